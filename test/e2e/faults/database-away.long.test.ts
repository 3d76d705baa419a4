/** Processes that start while their database is away, as all of a machine do after a power cut: each waits for it, says so once, and goes on by itself. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { stopProcess } from '../../../demo/program.ts';
import { mintApiKey } from '../../../src/store/keys/api-key-secret.ts';
import { createTestDatabase, type TestDatabase } from '../../database.ts';
import { type Bird, startBird } from '../../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { testProgram } from '../../program.ts';

const command = testProgram();
const ROLES = ['app-api', 'app-worker', 'app-scheduler', 'app-speaker'] as const;

interface Started {
  readonly child: ChildProcess;
  readonly url: string;
  readonly metrics: string;
  /** Messages of its log. */
  readonly log: string[];
}

describe.skipIf(requireDaemon('bird') === null)('a database that comes later', () => {
  const { secret } = mintApiKey('super_admin');
  const secretKey = randomBytes(32).toString('hex');
  const directory = mkdtempSync(join(tmpdir(), 'prefixcast-away-'));
  let database: TestDatabase;
  let bird: Bird;
  let port: number;
  /** Where the database is reached, while it is. */
  let gate: Server | null = null;
  const through = new Set<Socket>();
  let started: Started[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    const address = loopbackAddress();
    const neighbor = { address: '127.0.0.1', port: 1, asn: 64512, passive: true, gracefulRestart: true };
    bird = await startBird({
      ...{ listen: { address, port: await freePort(address) }, routerId: address, localAsn: 64496 },
      neighbors: [{ ...neighbor, families: ['ipv4', 'ipv6'] }],
    });
    port = await freePort();
  });
  beforeEach(async () => {
    for (const { child } of started) await stopProcess(child);
    started = [];
    close();
  });
  afterAll(async () => {
    for (const { child } of started) await stopProcess(child);
    close();
    await bird?.stop();
    await database?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  function close(): void {
    gate?.close();
    for (const socket of through) socket.destroy();
    through.clear();
    gate = null;
  }

  /** Lets who asks through to the database. */
  async function open(): Promise<void> {
    const { host, port: at } = database.address as { host: string; port: number };
    gate = createServer((client) => {
      const server = connect(`${host}/.s.PGSQL.${at}`);
      client.pipe(server).pipe(client);
      for (const end of [client, server]) {
        through.add(end);
        end.on('error', () => undefined).on('close', () => through.delete(end));
      }
    });
    await new Promise<void>((resolve) => gate!.listen(port, '127.0.0.1', resolve));
  }

  async function start(role: string): Promise<Started> {
    const { database: name } = database.address as { database: string };
    const [api, metrics, bgp] = [await freePort(), await freePort(), await freePort()];
    const child = spawn(process.execPath, [command, 'start'], {
      env: {
        ...{ PATH: process.env.PATH, TMPDIR: process.env.TMPDIR },
        ...{ APP_SERVICE: role, APP_HOST: '127.0.0.1', APP_PORT: String(api), APP_LOG_FORMAT: 'json' },
        ...{ APP_DATA_DIR: join(directory, role), APP_SECRET_KEY: secretKey, APP_BOOTSTRAP_API_KEY: secret },
        ...{ APP_METRICS_LISTEN: `127.0.0.1:${metrics}`, APP_BGP_LISTEN: `127.0.0.1:${bgp}` },
        DATABASE_URL: `postgres://prefixcast@127.0.0.1:${port}/${name}`,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const log: string[] = [];
    let rest = '';
    child.stdout.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop()!;
      for (const line of lines) log.push((JSON.parse(line) as { msg: string }).msg);
    });
    const process_ = { child, url: `http://127.0.0.1:${api}`, metrics: `http://127.0.0.1:${metrics}`, log };
    started.push(process_);
    return process_;
  }

  const isWaiting = (line: string): boolean => line.startsWith('Waiting up to 60 s for the database.');

  async function waits({ child, log, metrics }: Started): Promise<void> {
    const what = 'the process to wait for its database';
    await waitFor(() => log.some(isWaiting), { what, details: () => log.join('\n') });
    expect(log.find(isWaiting)).toContain(`127.0.0.1 port ${port}: nothing listens there`);
    expect((await fetch(`${metrics}/v1/health`)).status).toBe(200);
    expect(child.exitCode).toBeNull();
  }
  const isReady = async ({ url }: Started): Promise<boolean> =>
    (await fetch(`${url}/v1/ready`).catch(() => null))?.status === 200;

  async function ask<T>({ url }: Started, method: string, path: string, body?: object): Promise<T> {
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await answer.text();
    expect(answer.ok, text).toBe(true);
    return JSON.parse(text) as T;
  }

  test('is waited for by the processes of every role, which work together then', async () => {
    for (const role of ROLES) await start(role);
    for (const each of started) await waits(each);
    await open();
    const [api] = started as [Started];
    await waitFor(() => isReady(api), { what: 'the API to be ready' });
    await ask(api, 'POST', '/v1/peers', {
      ...{ name: 'router', address: bird.address, port: bird.port, remote_asn: 64496 },
    });
    const module = { name: 'ranges', type: 'IP_RANGES' };
    const { id } = await ask<{ id: string }>(api, 'POST', '/v1/modules', module);
    const items = [{ cidr: '45.0.1.0/24' }, { cidr: '45.0.3.0/24' }];
    await ask(api, 'POST', `/v1/modules/${id}/ip-range-entries`, { items });
    // The scheduler sees the edit, a worker builds and applies, and the speaker sends.
    await bird.waitRoutes(2);
    for (const { child, log } of started) {
      expect(log.filter(isWaiting)).toHaveLength(1);
      expect(child.exitCode).toBeNull();
    }
  });

  test('is waited for by the process that does everything', async () => {
    const all = await start('app-all');
    await waits(all);
    expect(await isReady(all)).toBe(false);
    await open();
    await waitFor(() => isReady(all), { what: 'the service to be ready' });
    expect(all.log.filter(isWaiting)).toHaveLength(1);
    await bird.waitRoutes(2);
  });
});
