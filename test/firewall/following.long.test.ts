/** What the command line says of a host: with the real client in a namespace, which follows, dies and comes back. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useDesk } from '../cli/desk/desk.ts';
import { daemonDirectory } from '../daemons/process.ts';
import { waitFor } from '../daemons/wait.ts';
import { testProgram } from '../program.ts';
import { Line } from './line.ts';
import { CONTROL, CONTROL_PORT, makeSpace, requireNft, type Space } from './space.ts';

const nft = requireNft();

describe.skipIf(nft === null)('commands and a firewall host', () => {
  const desk = useDesk();
  const { type, mustType } = desk;
  let space: Space;
  let line: Line;
  let directory: string;
  let client: ChildProcess | undefined;
  let log = '';

  beforeAll(async () => {
    space = await makeSpace();
    directory = daemonDirectory('following');
    const path = join(directory, 'line');
    line = new Line(path, desk.casting.service.url);
    await space.outside.ask('forward', { host: CONTROL, port: CONTROL_PORT, path });
    await mustType('module create scanners --type IP_RANGES');
    await mustType('firewall rule create bad --action block --direction in --module scanners');
    const token = (await mustType('firewall client token --policy block')).trim();
    const [code] = (await once(
      start(['enroll', '--name', 'web'], { APP_FIREWALL_TOKEN: token }),
      'exit',
    )) as [number];
    expect(code, log).toBe(0);
    client = start(['run']);
    await mustType('entry add scanners 5.5.5.0/24 --wait');
    await holds('5.5.5.0/24');
  });
  afterAll(async () => {
    await kill();
    line?.close();
    space?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
    const [ip, ...rest] = space.onHost;
    const started = spawn(ip!, [...rest, process.execPath, testProgram(), 'firewall', ...args], {
      env: {
        ...process.env,
        APP_FIREWALL_CONTROL_URL: `http://${CONTROL}:${CONTROL_PORT}`,
        APP_FIREWALL_ALLOW_HTTP: 'true',
        APP_FIREWALL_DATA_DIR: join(directory, 'state'),
        APP_FIREWALL_NFT: nft!,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [started.stdout, started.stderr])
      stream.on('data', (text: Buffer) => (log += text.toString()));
    return started;
  }

  async function kill(): Promise<void> {
    if (client?.exitCode !== null || client.signalCode !== null) return;
    client.kill('SIGKILL');
    await once(client, 'exit');
  }

  const isIn = (prefix: string): boolean => space.nft('list', 'ruleset').includes(prefix);

  async function holds(prefix: string): Promise<void> {
    await waitFor(() => isIn(prefix), { what: prefix, details: () => log });
  }

  const isOnline = async (): Promise<boolean> => {
    const { online } = JSON.parse(await mustType('firewall client list -o ndjson')) as { online: boolean };
    return online;
  };

  test('--wait ends when the host has the entry', async () => {
    const { code, err } = await type('entry add scanners 9.9.9.0/24 --wait');
    expect(isIn('9.9.9.0/24')).toBe(true);
    expect(code, err).toBe(0);
    expect(err).not.toContain('host');
    expect((await type('why 9.9.9.9')).out).not.toContain('host');
  });

  test('a host that dies is named, first as one that does not take it, soon as out of reach', async () => {
    await kill();
    const died = Date.now();
    const first = await type('entry add scanners 8.8.8.0/24 --wait');
    expect(first.code, first.err).toBe(9);
    expect(first.err).toMatch(/^firewall host web does not have it yet: it was last heard of at 2\S+Z$/m);
    await waitFor(async () => !(await isOnline()), {
      what: 'the host to be out of reach',
    });
    // It asks every 20 s, and is away 35 s after it last did.
    expect(Date.now() - died).toBeLessThan(50_000);
    const away = /firewall host web is out of reach since 2\S+Z: it keeps the rules that it applied last/;
    const next = await type('entry add scanners 8.8.4.0/24 --wait');
    expect(next.code, next.err).toBe(0);
    expect(next.err).toMatch(away);
    expect((await type('why 8.8.8.8')).out).toMatch(away);
    expect(isIn('8.8.4.0/24')).toBe(false);
    client = start(['run']);
    await holds('8.8.4.0/24');
    await waitFor(async () => !away.test((await type('why 8.8.8.8')).out), { what: 'no word of the host' });
  });
});
