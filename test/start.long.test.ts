import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Service } from '../demo/service.ts';
import { createTestDatabase } from './database.ts';
import { freePort } from './daemons/machine/ports.ts';
import { waitFor } from './daemons/wait.ts';

const command = join(import.meta.dirname, '../src/prefixcast.ts');

/** Runs the command to its end; what it says, and its exit code. */
async function run(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [command, ...args], { env: { PATH: process.env.PATH, ...env } });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output, errors };
}

describe('prefixcast', () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'prefixcast-start-'));
    chmodSync(directory, 0o711); // as root, the database runs as another user and has to come through
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  test('a wrong variable stops the start with one line and exit code 78', async () => {
    const { code, errors } = await run(['start'], { APP_PORT: 'http' });
    expect(code).toBe(78);
    expect(errors).toBe('APP_PORT="http" is not valid: a port from 0 (any free one) to 65535\n');
  });

  test('an agent that has not enrolled is shown how to, in one line', async () => {
    const dataDir = join(directory, 'agent');
    const { code, errors } = await run(['agent'], { APP_AGENT_DATA_DIR: dataDir });
    expect(code).toBe(78);
    expect(errors).toMatch(
      /^The service could not start\. This node has not enrolled\. .*APP_AGENT_TOKEN.*\n$/,
    );
  });

  test('an unknown command is named, with the way to the help', async () => {
    const { code, errors } = await run(['lisen']);
    expect(code).toBe(2);
    expect(errors).toContain("unknown command 'lisen'");
    expect(errors).toContain('--help');
  });

  test.each(['app-all', 'app-api', 'app-worker', 'app-scheduler', 'app-speaker'])(
    'a database that stays away ends the start of %s after the wait, with one line of log before',
    async (service) => {
      const port = await freePort();
      const { code, output, errors } = await run([], {
        APP_SERVICE: service,
        APP_DATA_DIR: directory,
        APP_BGP_LISTEN: `127.0.0.1:${await freePort()}`,
        APP_DATABASE_WAIT_SECONDS: '2',
        DATABASE_URL: `postgres://prefixcast:geheim@127.0.0.1:${port}/x`,
      });
      expect(code).toBe(1);
      expect(errors).toBe(
        `The service could not start. The database cannot be reached within 2 s. 127.0.0.1 port ${port}: ` +
          `nothing listens there (connect ECONNREFUSED 127.0.0.1:${port}). ` +
          'Start it, check the host and port of DATABASE_URL, or unset it for the embedded PostgreSQL.\n',
      );
      const lines = output.trim().split('\n');
      expect(lines).toHaveLength(1);
      expect(lines[0]).toContain('Waiting up to 2 s for the database');
      expect(output + errors).not.toContain('geheim');
    },
  );

  test('a database where nobody listens is reported as that, a socket that is not there as one', async () => {
    const port = await freePort();
    const hosts = [
      [`127.0.0.1:${port}/x`, `127.0.0.1 port ${port}: nothing listens there`],
      [
        `localhost/x?host=${encodeURIComponent(directory)}`,
        `${directory} port 5432: there is no such socket`,
      ],
    ];
    for (const [host, words] of hosts) {
      const { code, errors } = await run([], {
        ...{ APP_DATA_DIR: directory, APP_DATABASE_WAIT_SECONDS: '0' },
        DATABASE_URL: `postgres://prefixcast@${host}`,
      });
      expect(code).toBe(1);
      expect(errors).toContain(`The database cannot be reached. ${words}`);
      expect(errors).toContain('Start it, check the host and port of DATABASE_URL');
      expect(errors).not.toContain('let us in');
    }
  });

  test.each([
    [
      'a database that is not there',
      'prefixcast',
      'there_is_none',
      'database "there_is_none" does not exist',
    ],
    ['a user that is not there', 'nobody', 'postgres', 'role "nobody" does not exist'],
  ])('what the server itself refuses is reported as that, at once: %s', async (_what, user, name, words) => {
    const database = await createTestDatabase();
    const { host, port } = database.address as { host: string; port: number };
    try {
      const { code, output, errors } = await run([], {
        APP_DATA_DIR: directory,
        DATABASE_URL: `postgres://${user}@localhost:${port}/${name}?host=${encodeURIComponent(host)}`,
      });
      expect(code).toBe(1);
      expect(errors).toContain(`The database of DATABASE_URL does not let us in: ${words}. Check the user`);
      expect(output).not.toContain('Waiting');
    } finally {
      await database.close();
    }
  });

  test('a data directory that cannot be made is reported with its path', async () => {
    writeFileSync(join(directory, 'file'), '');
    const { code, errors } = await run([], { APP_DATA_DIR: join(directory, 'file', 'data') });
    expect(code).toBe(1);
    expect(errors).toContain(join(directory, 'file'));
    expect(errors).toContain('APP_DATA_DIR');
  });

  test('a data directory where the system takes no new names is reported at once', async () => {
    const { code, errors } = await run([], { APP_DATA_DIR: '/proc/prefixcast/data' });
    expect(code).toBe(1);
    expect(errors).toContain('/proc/prefixcast cannot be written');
  });

  test('a port in use is reported, and the embedded database does not stay behind', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    const dataDir = join(directory, 'taken');
    const env = {
      APP_DATA_DIR: dataDir,
      APP_PORT: String(port),
      APP_BGP_LISTEN: `127.0.0.1:${await freePort()}`,
    };
    const { code, errors } = await run([], env);
    taken.close();
    expect(code).toBe(1);
    expect(errors).toContain(`Another program listens on 127.0.0.1 port ${port}`);
    expect(() => statSync(join(dataDir, 'postgres/data/postmaster.pid'))).toThrow('ENOENT');
  });

  test('the service writes its log beside others, serves it, and goes on in a new file when it was deleted', async () => {
    const logs = join(directory, 'logs');
    const service = await Service.start({
      ...{
        dataDir: join(directory, 'logged'),
        port: await freePort(),
        bgpListen: `127.0.0.1:${await freePort()}`,
      },
      env: { APP_RUNTIME_LOGS_DIR: logs, APP_LOG_FORMAT: 'json' },
    });
    const ask = (method: string, path: string): Promise<Response> =>
      fetch(`${service.url}/v1/runtime-logs/${path}`, {
        method,
        headers: { authorization: `Bearer ${service.key}`, 'x-request-id': `${method} ${path}` },
      });
    const lines = async (query: string): Promise<string[]> =>
      ((await (await ask('GET', `files/app-all.log?${query}`)).json()) as { lines: string[] }).lines;
    await waitFor(async () => (await lines('grep=answers%20at')).length === 1, {
      what: 'the line of the start',
    });
    expect(statSync(join(logs, 'app-all.log')).mode & 0o777).toBe(0o640);
    expect((await ask('DELETE', 'files/app-all.log?mode=delete')).status).toBe(204);
    await waitFor(async () => (await lines('grep=DELETE')).length === 1, {
      what: 'the line of the deletion',
    });
    expect(await lines('grep=answers%20at')).toEqual([]);
    expect(await (await fetch(`${service.url}/metrics`)).text()).toContain(
      'prefixcast_runtime_logs_files 1\n',
    );
    await service.stop();
    expect(readFileSync(join(logs, 'app-all.log'), 'utf8')).toContain('Stopping');
  });

  test('the first start keeps its key where only its user can read it, and later starts show none', async () => {
    const dataDir = join(directory, 'first');
    const options = { dataDir, port: await freePort(), bgpListen: `127.0.0.1:${await freePort()}` };
    const service = await Service.start(options);
    const path = join(dataDir, 'bootstrap-key');
    const key = readFileSync(path, 'utf8');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await service.get('/v1/auth/session')).toMatchObject({
      role: 'super_admin',
      tenant: { slug: 'default' },
    });
    await service.stop();
    const again = await Service.start(options);
    expect(readFileSync(path, 'utf8')).toBe(key);
    await again.stop();
  });

  test('the first start says where to sign in with its key', async () => {
    const port = await freePort();
    const child = spawn(process.execPath, [command, 'start'], {
      env: {
        ...{ PATH: process.env.PATH, APP_DATA_DIR: join(directory, 'console'), APP_PORT: String(port) },
        APP_BGP_LISTEN: `127.0.0.1:${await freePort()}`,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const address = `http://127.0.0.1:${port}/console/`;
    try {
      await waitFor(() => said.includes(`Sign in with it at ${address}\n`), { what: 'the address' });
      expect(said.indexOf('The first API key')).toBeLessThan(said.indexOf(address));
      // Where nobody has built the console, a page there says so.
      expect(await (await fetch(address)).text()).toMatch(/<title>Prefixcast/);
    } finally {
      const gone = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGTERM');
      await gone;
    }
  });
});
