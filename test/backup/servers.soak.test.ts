/**
 * Each PostgreSQL that a service may have, from 15 on: what is moved there, backed up there and restored there is what it was. `POSTGRES_SERVERS` names directories
 * of programs (`initdb`, `postgres`), with commas; Debian's are found without it.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import { typist, type Typed } from '../cli/desk/typing.ts';
import { freePort } from '../daemons/machine/ports.ts';
import { unavailable } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { startCasting, type Casting } from '../e2e/casting.ts';

vi.setConfig({ testTimeout: 600_000 });

const DEBIAN = '/usr/lib/postgresql';
/** PostgreSQL refuses to run as root. */
const NOBODY = 65_534;

const servers =
  process.env.POSTGRES_SERVERS === undefined
    ? (existsSync(DEBIAN) ? readdirSync(DEBIAN) : []).map((version) => join(DEBIAN, version, 'bin'))
    : process.env.POSTGRES_SERVERS.split(',');

const versionOf = (bin: string): string =>
  execFileSync(join(bin, 'postgres'), ['--version'], { encoding: 'utf8' }).trim();

let casting: Casting | null = null;
let server: Server | null = null;
afterEach(async () => {
  await casting?.close();
  await server?.stop();
  [casting, server] = [null, null];
});

test('there are servers to try', () => {
  if (servers.length === 0)
    unavailable('PostgreSQL', 'set POSTGRES_SERVERS, or install a postgresql package');
});

test.each(servers.map((bin) => [versionOf(bin), bin]))('%s', async (_version, bin) => {
  casting = await startCasting();
  const { service, dataDir } = casting;
  server = await Server.start(bin);
  const local = typist({ APP_DATA_DIR: dataDir, DATABASE_URL: server.url('first') });
  const must = async (typed: Promise<Typed>): Promise<string> => {
    const { code, out, err } = await typed;
    expect(code, out + err).toBe(0);
    return out;
  };
  const remote = (...words: string[]): Promise<string> =>
    must(typist({ PREFIXCAST_URL: casting!.service.url, PREFIXCAST_KEY: service.key })(...words));
  const routes = (): Promise<string> => remote('revision', 'prefixes', 'latest');
  await service.post('/v1/peers', {
    ...{ name: 'locked', address: '192.0.2.9', remote_asn: 64499, password: 'very secret', enabled: false },
  });
  await remote('community', 'create', '64500:666', '--title', 'Drop');
  await remote('module', 'create', 'scanners', '--type', 'IP_RANGES', '--community', 'Drop');
  await remote('entry', 'add', 'scanners', '9.9.9.0/24', '2620:fe::/48', '--wait');
  const before = await routes();
  await service.stop();

  expect(await must(local('migrate-database'))).toContain('compared row by row');
  await casting.restart({ DATABASE_URL: server.url('first') });
  expect(await routes()).toBe(before);
  await remote('entry', 'add', 'scanners', '8.8.4.0/24', '--wait');
  const after = await routes();
  const file = join(server.directory, 'backup.tar');
  await must(local('backup', file));
  expect(await must(local('verify', file))).toContain('is whole');
  await casting.service.stop();

  // On another database of the server, and back in the embedded one.
  const other = typist({ APP_DATA_DIR: dataDir, DATABASE_URL: server.url('second') });
  await must(other('restore', file));
  await casting.restart({ DATABASE_URL: server.url('second') });
  expect(await routes()).toBe(after);
  // Other findings may be of this machine.
  expect((await other('doctor')).out).toMatch(/key +it opens [1-9]\d* secrets/);
  await casting.service.stop();
  await must(other('migrate-database', '--back', '--replace'));
  await casting.restart();
  expect(await routes()).toBe(after);
});

class Server {
  readonly directory: string;
  readonly #port: number;
  readonly #process: ChildProcess;

  private constructor(directory: string, port: number, process: ChildProcess) {
    this.directory = directory;
    this.#port = port;
    this.#process = process;
  }

  static async start(bin: string): Promise<Server> {
    const directory = mkdtempSync(join(tmpdir(), 'prefixcast-server-'));
    chmodSync(directory, 0o755);
    const data = join(directory, 'data');
    mkdirSync(data, { mode: 0o700 });
    const isRoot = process.getuid?.() === 0;
    if (isRoot) chownSync(data, NOBODY, NOBODY);
    const user = { cwd: '/', env: { LC_ALL: 'C' }, ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}) };
    const setUp = ['-D', data, '-U', 'postgres', '-E', 'UTF8', '-A', 'trust', '--no-sync'];
    execFileSync(join(bin, 'initdb'), setUp, { ...user, stdio: ['ignore', 'ignore', 'inherit'] });
    const port = await freePort();
    const words = [
      '-D',
      data,
      '-p',
      String(port),
      '-k',
      '',
      '-c',
      'fsync=off',
      '-c',
      'listen_addresses=127.0.0.1',
    ];
    const child = spawn(join(bin, 'postgres'), words, { ...user, stdio: 'ignore' });
    const started = new Server(directory, port, child);
    await waitFor(() => started.#isReady(), { what: `${bin} to answer` });
    // The roles that it makes are of the whole server; from 16 on, nobody but who has made one may become it.
    await started.#ask('CREATE ROLE prefixcast LOGIN CREATEROLE');
    for (const name of ['first', 'second']) await started.#ask(`CREATE DATABASE ${name} OWNER prefixcast`);
    return started;
  }

  url(name: string): string {
    return `postgresql://prefixcast@127.0.0.1:${this.#port}/${name}`;
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGINT');
    await ended;
    rmSync(this.directory, { recursive: true, force: true });
  }

  #isReady(): Promise<boolean> {
    return this.#ask('SELECT').then(
      () => true,
      () => false,
    );
  }

  async #ask(sql: string): Promise<void> {
    const options = { host: '127.0.0.1', port: this.#port, user: 'postgres', database: 'postgres' };
    const client = new pg.Client(options);
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  }
}
