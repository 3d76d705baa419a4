import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { BirdRefusal, ControlSocket } from '../../../src/speakers/bird/process/control-socket.ts';
import { readProtocols, readStatus } from '../../../src/speakers/bird/status/read-status.ts';

const GREETING = '0001 BIRD 2.0.12 ready.\n';
const NOBODY = 65_534;
const cleanups: (() => void)[] = [];
afterEach(() => cleanups.splice(0).forEach((clean) => clean()));

/** A socket that says what BIRD might say: the faults that no BIRD can be brought to. */
async function speaking(
  answer: (line: string, socket: Socket) => void,
  greeting = GREETING,
): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), `pc-${process.pid}-ctl-`));
  const path = join(home, 'bird.ctl');
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write(greeting);
    let rest = '';
    socket.on('data', (chunk) => {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop()!;
      for (const line of lines) answer(line, socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  cleanups.push(() => {
    server.close();
    rmSync(home, { recursive: true, force: true });
  });
  return path;
}

const restricting =
  (answer: (line: string, socket: Socket) => void) =>
  (line: string, socket: Socket): void => {
    if (line === 'restrict') socket.write('0016 Access restricted\n');
    else answer(line, socket);
  };

describe('the client of the control socket', () => {
  it('joins answers that come in any pieces, repeats codes, and leaves out what was not asked for', async () => {
    const path = await speaking(
      restricting((_, socket) => {
        const answer =
          '1000-BIRD 3.1\n+unasked\n1011-Router ID is 192.0.2.1\n Hostname is x\n0013 Daemon is up\n';
        [...answer].forEach((character) => socket.write(character));
      }),
    );
    expect(await new ControlSocket(path).showStatus()).toEqual([
      { code: 1000, text: 'BIRD 3.1' },
      { code: 1011, text: 'Router ID is 192.0.2.1' },
      { code: 1011, text: 'Hostname is x' },
      { code: 13, text: 'Daemon is up' },
    ]);
  });

  it('asks for one thing at a time', async () => {
    let open = 0;
    let most = 0;
    const asked: string[] = [];
    const path = await speaking(
      restricting((line, socket) => {
        asked.push(line);
        most = Math.max(most, ++open);
        setTimeout(() => {
          open--;
          socket.write('0000 \n');
        }, 20);
      }),
    );
    const socket = new ControlSocket(path);
    await Promise.all([socket.showStatus(), socket.showProtocols('a*'), socket.showStatus()]);
    expect(asked).toEqual(['show status', 'show protocols all "a*"', 'show status']);
    expect(most).toBe(1);
  });

  it('goes on after a command that failed', async () => {
    let turn = 0;
    const path = await speaking(
      restricting((_, socket) =>
        socket.write(turn++ === 0 ? '9001-syntax error\n9001 here\n' : '0013 fine\n'),
      ),
    );
    const socket = new ControlSocket(path);
    const refused = await socket.showStatus().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(BirdRefusal);
    expect(refused).toMatchObject({ reply: 9001, code: 'daemon_refused' });
    expect((refused as Error).message).toContain('syntax error; here');
    expect(await socket.showStatus()).toHaveLength(1);
  });

  // What comes first needs time on a busy machine, and so does what BIRD says wrong; what never comes does not.
  it.each<[string, string | undefined, (line: string, socket: Socket) => void, number, RegExp]>([
    ['is silent', undefined, () => undefined, 3_000, /did not answer "restrict" within 3 s/],
    ['greets nobody', '', () => undefined, 200, /did not answer with its greeting within 0.2 s/],
    ['is something else', 'SSH-2.0-server\n', () => undefined, 60_000, /says "SSH-2.0-server": is it BIRD/],
    [
      'hangs up',
      undefined,
      (_, socket) => socket.destroy(),
      60_000,
      /closed its control socket before the answer to "restrict"/,
    ],
    [
      'drips',
      undefined,
      (_, socket) => void socket.write('1000-a\n'),
      3_000,
      /did not answer "restrict" within 3 s/,
    ],
  ])('says so when BIRD %s', async (_, greeting, answer, timeoutMs, words) => {
    const path = await speaking(answer, greeting);
    await expect(new ControlSocket(path, timeoutMs).showStatus()).rejects.toMatchObject({
      code: 'speaker_unreachable',
      message: expect.stringMatching(words) as string,
    });
  });

  it('says what to do when there is no socket', async () => {
    await expect(new ControlSocket('/nowhere/bird.ctl').showStatus()).rejects.toMatchObject({
      code: 'speaker_unreachable',
      message: expect.stringMatching(/\/nowhere\/bird.ctl .*APP_ROUTER_SOCKET/) as string,
    });
  });

  it('says what to do when it may not be written to', async () => {
    const path = await speaking(() => undefined);
    chmodSync(path, 0o000);
    const isRoot = process.getuid?.() === 0;
    // Root may write anywhere.
    if (isRoot) process.seteuid!(NOBODY);
    try {
      await expect(new ControlSocket(path).showStatus()).rejects.toThrow(/the right to write/);
    } finally {
      if (isRoot) process.seteuid!(0);
    }
  });

  it.each([
    ['0003 Reconfigured', { complete: true, file: '/etc/bird/bird.conf' }],
    ['0004 Reconfiguration in progress', { complete: false, file: '/etc/bird/bird.conf' }],
    [
      '0005 Reconfiguration already in progress, queueing new config',
      { complete: false, file: '/etc/bird/bird.conf' },
    ],
  ])('reads %s', async (last, outcome) => {
    const asked: string[] = [];
    const path = await speaking((line, socket) => {
      asked.push(line);
      socket.write(
        `0002-Reading configuration from /etc/bird/bird.conf\n0022-Undo scheduled in 7 s\n${last}\n`,
      );
    });
    expect(await new ControlSocket(path).configure(5_000, 7)).toEqual(outcome);
    expect(asked).toEqual(['configure timeout 7']);
  });

  it('distinguishes a confirmation from nothing to confirm', async () => {
    let last = '0018 Reconfiguration confirmed';
    const path = await speaking((_, socket) => socket.write(`${last}\n`));
    const socket = new ControlSocket(path);
    expect(await socket.confirm()).toBe(true);
    last = '0019 Nothing to do';
    expect(await socket.confirm()).toBe(false);
    expect(await socket.undo(5_000)).toBeNull();
    last = '0006 Reconfiguration ignored, shutting down';
    await expect(socket.configure(5_000)).rejects.toThrow(/shutting down/);
  });
});

const lines = (code: number, text: string): { code: number; text: string }[] =>
  text.split('\n').map((line) => ({ code: line.startsWith('pc_') ? 1002 : code, text: line }));

describe('what BIRD says of itself', () => {
  it('is read by label, with times as differences', () => {
    const status = readStatus(
      lines(
        1011,
        'BIRD 3.1.0\nRouter ID is 192.0.2.1\nHostname is x\nCurrent server time is 2026-11-21 00:10:00.500\nLast reboot on 2026-11-20 23:10:00.000\nLast reconfiguration on 2026-11-21 00:09:00.000\nReconfiguration in progress',
      ),
    );
    expect(status).toMatchObject({ version: 'BIRD 3.1.0', uptimeSeconds: 3_600, reconfiguring: true });
    expect(status.now! - status.reconfigured!).toBe(60_500);
    const protocols = readProtocols(
      lines(
        1006,
        'pc_a_peer  BGP        ---        up     23:59:00.000  Established   \n  BGP state:          Established\n  Channel ipv4\n    Routes:         2 imported, 5 exported, 1 preferred\n      Import updates:              7          0          0          0          1\n      Export updates:              9          0          2        ---          5\n  Channel ipv6\n    State:          DOWN\n    Routes:         1 imported, 3 filtered, 4 exported\n      Export updates:              4          0          0        ---          4\n  Last error:         Socket: Connection refused\npc_b       BGP        ---        start  2026-11-19  Idle\n  BGP state:          Idle\npc_c       Static     t          up     2026-11-20 01:02:03  \n  Description:    abc',
      ),
      status.now,
    );
    expect(protocols).toMatchObject([
      {
        ...{ name: 'pc_a_peer', kind: 'BGP', state: 'up', sessionState: 'established' },
        ...{ imported: 3, exported: 9, received: 7, sent: 9, lastError: 'Socket: Connection refused' },
        idleFamilies: ['ipv6'],
      },
      { name: 'pc_b', sessionState: 'idle', since: Date.UTC(2026, 10, 19) },
      { name: 'pc_c', kind: 'Static', description: 'abc', since: Date.UTC(2026, 10, 20, 1, 2, 3) },
    ]);
    // Before midnight, though the hour is later than now.
    expect(protocols[0]!.since).toBe(Date.UTC(2026, 10, 20, 23, 59));
  });

  it('leaves out times in a format of the operator', () => {
    const status = readStatus(
      lines(1011, 'BIRD 2.0.12\nCurrent server time is 1.4.2026\nLast reboot on yesterday'),
    );
    expect(status).toMatchObject({ now: null, uptimeSeconds: null, reconfigured: null });
  });
});
