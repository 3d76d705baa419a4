import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runListen } from '../../src/cli/commands/listen.ts';
import { LISTEN } from '../../src/cli/listen-command.ts';
import { helpOf } from '../../src/cli/table/help.ts';
import { readArguments } from '../../src/cli/table/read-arguments.ts';
import type { ListenOptions } from '../../src/cli/commands/listen.ts';
import type { PrefixTable } from '../../src/core/tables/prefix-table.ts';
import { startBird } from '../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../daemons/machine/ports.ts';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import {
  SPEAKER_ASN,
  never,
  peerModel,
  routesModel,
  speakerModel,
  startEngine,
  tableOf,
} from '../speakers/builtin/models.ts';

const stops: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** A running `listen`, with what it printed. */
class Running {
  printed = '';
  readonly stop = new AbortController();
  readonly code: Promise<number>;

  constructor(options: Partial<ListenOptions>, isTerminal = false) {
    const out = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this.printed += chunk.toString();
        done();
      },
    });
    const all: ListenOptions = {
      listen: { host: '127.0.0.1', port: 0 },
      asn: 65_000,
      routerId: 0x0afffffe,
      output: 'text',
      ...options,
    };
    this.code = runListen(all, out, isTerminal, this.stop.signal);
    stops.push(() => {
      this.stop.abort();
      return this.code;
    });
  }

  get lines(): string[] {
    return this.printed.trimEnd().split('\n');
  }

  get json(): Record<string, unknown>[] {
    return this.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  port(): Promise<number> {
    return waitFor(() => Number(/(?:port |"port":)(\d+)/.exec(this.printed)?.[1] ?? 0) || false, {
      what: 'the port',
    });
  }

  says(text: string): Promise<unknown> {
    return waitFor(() => this.printed.includes(text), {
      what: `the output "${text}"`,
      details: () => this.printed,
    });
  }
}

const routes = tableOf({
  '10.0.0.0/8': ['65000:1', '65000:1:2'],
  '192.0.2.0/24': ['65000:1', 'blackhole'],
  '198.51.100.0/24': [],
  '2001:db8::/32': ['65000:2'],
});

/** A builtin speaker that calls the listener and sends it the routes above. */
async function speakTo(port: number): Promise<(table: PrefixTable) => Promise<unknown>> {
  const engine = await startEngine();
  stops.push(() => engine.close(false));
  const driver = engine.driver('s');
  const peer = peerModel({ address: '127.0.0.1', port, remoteAsn: 65_000, families: ['ipv4', 'ipv6'] });
  await driver.configure(speakerModel([peer]));
  await driver.apply(routesModel(routes), never);
  return (table) => driver.apply(routesModel(table), never);
}

describe('prefixcast listen', () => {
  it('prints what a router would receive, and ends with its whole table', async () => {
    const running = new Running({ once: true });
    await speakTo(await running.port());
    expect(await running.code).toBe(0);
    expect(running.lines.slice(1)).toEqual([
      `session with 127.0.0.1 up: AS ${SPEAKER_ASN}, IPv4 and IPv6, hold time 90 s`,
      '+ 198.51.100.0/24 next hop 127.0.0.1 path 64512',
      '+ 10.0.0.0/8 next hop 127.0.0.1 path 64512 communities 65000:1 65000:1:2',
      '+ 192.0.2.0/24 next hop 127.0.0.1 path 64512 communities 65000:1 blackhole',
      'IPv4 of 127.0.0.1 complete: 3 routes',
      '+ 2001:db8::/32 next hop 2001:db8:ffff::1 path 64512 communities 65000:2',
      'IPv6 of 127.0.0.1 complete: 1 route',
      '4 routes: 3 IPv4, 1 IPv6',
      '  65000:1         2',
      '  (no community)  1',
      '  65000:1:2       1',
      '  65000:2         1',
      '  blackhole       1',
    ]);
  });

  it('prints a JSON object a line, follows changes, and reports the sum when it is stopped', async () => {
    const running = new Running({ output: 'json', asn: 65_000 });
    const apply = await speakTo(await running.port());
    await running.says('"family":"ipv6"');
    await apply(
      tableOf({ '10.0.0.0/8': ['65000:1'], '192.0.2.0/24': ['65000:1', 'blackhole'], '198.51.100.0/24': [] }),
    );
    await running.says('"withdraw"');
    running.stop.abort();
    expect(await running.code).toBe(0);
    const events = running.json;
    expect(events.find(({ event }) => event === 'session_up')).toEqual({
      event: 'session_up',
      peer: '127.0.0.1',
      asn: SPEAKER_ASN,
      families: ['ipv4', 'ipv6'],
      hold_time: 90,
    });
    expect(events.slice(-3)).toEqual([
      {
        event: 'announce',
        peer: '127.0.0.1',
        prefix: '10.0.0.0/8',
        next_hop: '127.0.0.1',
        as_path: '64512',
        communities: ['65000:1'],
      },
      { event: 'withdraw', peer: '127.0.0.1', prefix: '2001:db8::/32' },
      { event: 'summary', sessions: 1, ipv4: 3, ipv6: 0, communities: { '65000:1': 2, '': 1, blackhole: 1 } },
    ]);
  });

  it('counts without printing routes, shows a live line on a terminal, and saves them to a file', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'pc-listen-'));
    stops.push(() => rmSync(directory, { recursive: true }));
    const running = new Running({ once: true, count: true, save: join(directory, 'routes.txt') }, true);
    await speakTo(await running.port());
    expect(await running.code).toBe(0);
    expect(running.printed).not.toContain('+ 10.0.0.0/8');
    expect(running.printed).toContain(' announced, 0 withdrawn …\r\x1b[K');
    expect(readFileSync(join(directory, 'routes.txt'), 'utf8').split('\n')).toContain(
      '10.0.0.0/8 next hop 127.0.0.1 path 64512 communities 65000:1 65000:1:2',
    );
  });

  it.skipIf(requireDaemon('bird') === null)(
    'connects to a speaker itself, and accepts any speaker',
    async () => {
      const bird = await startBird({
        listen: { address: loopbackAddress(), port: await freePort() },
        routerId: '192.0.2.1',
        localAsn: 65_001,
        neighbors: [{ address: '127.0.0.1', port: 1, asn: 65_000, passive: true }],
        announce: [{ prefix: '203.0.113.0/24', communities: ['65001:7'] }],
      });
      stops.push(() => bird.stop());
      const running = new Running({ connect: { host: bird.address, port: bird.port } });
      await running.says('+ 203.0.113.0/24 next hop 192.0.2.179 path 65001 communities 65001:7');
    },
  );

  it('fails when the table does not come in time, and not when there was nothing to wait for', async () => {
    expect(await new Running({ once: true, timeout: 0.05 }).code).toBe(1);
    const patient = new Running({ timeout: 0.05 });
    expect(await patient.code).toBe(0);
    expect(patient.printed).toContain('no session, no routes');
  });

  it('says before the session that the file cannot be written', async () => {
    const complaints: string[] = [];
    const stderr = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      complaints.push(String(text));
      return true;
    });
    stops.push(() => stderr.mockRestore());
    const running = new Running({ save: '/nonexistent/routes.txt' });
    expect(await running.code).toBe(1);
    expect(running.printed).toBe('');
    expect(complaints.join('')).toMatch(
      /^cannot save to \/nonexistent\/routes\.txt: .*directory that exists/,
    );
  });

  it('ends in peace when its reader does', async () => {
    const command = join(import.meta.dirname, '../../src/prefixcast.ts');
    const child = spawn(process.execPath, [command, 'listen', '--listen', '127.0.0.1:0'], { stdio: 'pipe' });
    stops.push(() => void child.kill('SIGKILL'));
    let complaint = '';
    child.stderr.on('data', (text: Buffer) => (complaint += text.toString()));
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    child.stdout.destroy();
    await speakTo(Number(/port (\d+)/.exec(line.toString())![1]));
    const [code] = (await once(child, 'exit')) as [number];
    expect({ code, complaint }).toEqual({ code: 0, complaint: '' });
  });

  it('shows defaults as one would write them', () => {
    const help = helpOf(LISTEN, 'prefixcast listen');
    expect(help).toMatch(/default:\s+127\.0\.0\.1:1179/);
    expect(help).toMatch(/default:\s+10\.255\.255\.254/);
  });

  it('refuses another AS number than asked for, with the reason', async () => {
    const running = new Running({ peerAsn: 65_077 });
    await speakTo(await running.port());
    await running.says('the peer says AS 64512, configured is AS 65077');
  });

  it('fails when its address is taken', async () => {
    const squatter = createServer();
    await new Promise<void>((resolve) => squatter.listen(0, '127.0.0.1', resolve));
    const { port } = squatter.address() as { port: number };
    expect(await new Running({ listen: { host: '127.0.0.1', port } }).code).toBe(1);
    squatter.close();
  });

  it.each([
    [['--listen', 'here'], '127.0.0.1:1179'],
    [['--listen', '127.0.0.1:70000'], '127.0.0.1:1179'],
    [['--asn', '0'], 'asn'],
    [['--router-id', '0.0.0.0'], '192.0.2.1'],
    [['--timeout', 'soon'], 'seconds'],
    [['--output', 'xml'], 'text, json'],
  ])('refuses %j and reports what to write', (args, remedy) => {
    expect(() => readArguments(LISTEN, args)).toThrow(remedy);
  });
});
