import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { VtySocket } from '../../../src/speakers/frr/vty-socket.ts';
import { startFrr, type Frr } from '../../daemons/frr/frr.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { daemonDirectory } from '../../daemons/process.ts';
import { requireDaemon } from '../../daemons/programs.ts';

describe.skipIf(requireDaemon('frr-bgpd') === null)("FRR's socket", () => {
  let frr: Frr;
  let socket: VtySocket;
  beforeAll(async () => {
    const address = loopbackAddress();
    const listen = { address, port: await freePort(address) };
    frr = await startFrr({ listen, routerId: '192.0.2.2', localAsn: 65_530, neighbors: [] });
    socket = new VtySocket(join(frr.directory, 'bgpd.vty'));
  });
  afterAll(() => frr?.stop());

  it('answers several who ask at once', async () => {
    const asked = Array.from({ length: 100 }, () => socket.show('show running-config'));
    for (const answer of await Promise.all(asked)) expect(answer).toContain('router bgp 65530');
  });

  it('passes on what FRR says against a command, and sends none after it', async () => {
    const commands = ['configure terminal', 'router bgp 65530', 'nonsense', 'neighbor 192.0.2.7 remote-as 1'];
    await expect(socket.run(commands)).rejects.toMatchObject({
      code: 'daemon_refused',
      message: expect.stringMatching(/^FRR answers "nonsense" with: .*Unknown command/) as string,
    });
    expect(await socket.show('show running-config')).not.toContain('192.0.2.7');
  });

  it('never shows a password', async () => {
    const commands = [
      'configure terminal',
      'router bgp 65530',
      'neighbor 192.0.2.8 password hunter2 hunter2',
    ];
    const refusal = socket.run(commands);
    await expect(refusal).rejects.toThrow('"neighbor 192.0.2.8 password ***"');
    await expect(refusal).rejects.not.toThrow('hunter2');
  });

  it('takes no second line for a second command', async () => {
    for (const end of ['\n', '\r', '\0'])
      await expect(socket.show(`show version${end}write terminal`)).rejects.toThrow(RangeError);
  });
});

describe('a socket that is not as it should be', () => {
  const path = join(daemonDirectory('vty'), 'bgpd.vty');
  let server: Server | undefined;
  const open: Socket[] = [];
  afterEach(() => {
    for (const socket of open.splice(0)) socket.destroy();
    server?.close();
    server = undefined;
  });

  const serve = (onCommand: (socket: Socket, command: string) => void): Promise<void> =>
    new Promise((resolve) => {
      server = createServer((socket) => {
        open.push(socket);
        socket.on('error', () => undefined);
        socket.on('data', (chunk) => onCommand(socket, chunk.toString().replace('\0', '')));
      });
      server.listen(path, resolve);
    });

  it('that is not there says what to look at', async () => {
    await expect(new VtySocket(path).show('show version')).rejects.toMatchObject({
      code: 'speaker_unreachable',
      message: expect.stringContaining('APP_ROUTER_SOCKET') as string,
    });
  });

  it('that answers in single octets is read all the same', async () => {
    await serve((socket, command) => {
      const octets = [...Buffer.from(command === 'enable' ? '\0\0\0\0' : 'one\ntwo\0\0\0\0')];
      const next = (): void => {
        const octet = octets.shift();
        if (octet !== undefined) socket.write(Buffer.of(octet), () => setImmediate(next));
      };
      next();
    });
    expect(await new VtySocket(path).show('show version')).toBe('one\ntwo');
  });

  it('that is silent is reported within the deadline', async () => {
    await serve(() => undefined);
    await expect(new VtySocket(path, 200).show('show version')).rejects.toThrow(
      /did not answer "enable" within 0.2 s/,
    );
  });

  it('that closes in the middle of an answer is reported', async () => {
    await serve((socket, command) => (command === 'enable' ? socket.write('\0\0\0\0') : socket.end('half')));
    await expect(new VtySocket(path).show('show version')).rejects.toThrow(/closed its socket before/);
  });
});
