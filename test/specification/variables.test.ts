/** What parts 4, 5 and 6 of the specification say of the process's variables, tried on real processes over one database: the titles quote it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Service } from '../../demo/service.ts';
import { startReceiver, type Receiver } from '../control/outbox/receiver.ts';
import { freePort } from '../daemons/machine/ports.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { testProgram } from '../program.ts';

const FILES = '/v1/runtime-logs/files';
const AUDIT = '/v1/runtime-logs/cleanup-audit';
const PUBLIC_URL = 'https://routes.example.net';
const ORIGIN = 'https://console.example.net';

const directory = mkdtempSync(join(tmpdir(), 'prefixcast-variables-'));
const logs = mkdtempSync(join(tmpdir(), 'prefixcast-variables-logs-'));
let database: TestDatabase;
let portal: Receiver;
let service: Service;
/** What the process has logged since its start. */
let output = '';

beforeAll(async () => {
  database = await createTestDatabase();
  portal = await startReceiver();
  writeFileSync(join(logs, 'bird.log'), 'line\n');
});
afterAll(async () => {
  await portal.close();
  await database.close();
  for (const path of [directory, logs]) rmSync(path, { recursive: true });
});

async function start(env: Record<string, string>): Promise<Service> {
  const { host, port, user, database: name } = database.address as unknown as Record<string, string>;
  const url = `postgres://${user}@localhost:${port}/${name}?host=${encodeURIComponent(host!)}`;
  output = '';
  service = await Service.start({
    onOutput: (text) => (output += text),
    ...{ dataDir: directory, port: await freePort(), bgpListen: `127.0.0.1:${await freePort()}` },
    command: testProgram(),
    env: { DATABASE_URL: url, ...env },
  });
  return service;
}

const made = async (title: string): Promise<void> => {
  await service.post('/v1/communities', { community: `65000:${title.length}`, title });
};

/** What it warned about at its start. */
function warnings(): string[] {
  const lines = output.split('\n').filter((line) => line.startsWith('{'));
  return lines
    .map((line) => JSON.parse(line) as { readonly level: string | number; readonly msg: string })
    .filter(({ level }) => level === 'warn' || level === 40)
    .map(({ msg }) => msg);
}

/** Statuses of the routes that read and write files. */
async function fileStatuses(): Promise<number[]> {
  const asked = [
    ['GET', FILES],
    ['GET', `${FILES}/bird.log`],
    ['GET', '/v1/runtime-logs/auto-estimate'],
    ['POST', '/v1/runtime-logs/auto-run?dry_run=true'],
    ['DELETE', `${FILES}/none.log`],
  ] as const;
  return Promise.all(asked.map(async ([method, path]) => (await service.request(method, path)).status));
}

describe('a process with all of the variables', () => {
  beforeAll(() =>
    start({
      ...{ APP_SERVICE: 'app-all', APP_RUNTIME_LOGS_DIR: logs, APP_CORS_ORIGINS: ORIGIN },
      ...{ AUTH_PORTAL_URL: portal.url, AUTH_AUDIT_INGEST_SECRET: 'ingest-secret-0123456789' },
      APP_PUBLIC_URL: PUBLIC_URL,
    }),
  );
  afterAll(() => service.stop());

  test('"The service\'s base address is `{base_url}`.": it says which', async () => {
    const { servers } = await service.get<{ servers: unknown }>('/v1/openapi.json');
    expect(servers).toEqual([{ url: PUBLIC_URL }]);
    const context = await service.get<{ control_plane_url: string }>('/v1/firewall/install-context');
    expect(context.control_plane_url).toBe(PUBLIC_URL);
  });

  test('has the file-system routes', async () => {
    expect(await fileStatuses()).toEqual([200, 200, 200, 200, 404]);
  });

  test('"Browser access is governed by the CORS origins variable `APP_CORS_ORIGINS`."', async () => {
    const allowed = async (origin: string) =>
      (await service.request('GET', '/v1/modules', undefined, { origin })).headers.get(
        'access-control-allow-origin',
      );
    expect([await allowed(ORIGIN), await allowed('https://elsewhere.example.net')]).toEqual([ORIGIN, null]);
  });

  test('"When both `AUTH_PORTAL_URL` and `AUTH_AUDIT_INGEST_SECRET` are configured, each audit record is also sent to `{auth_url}/api/v1/ingest/audit` with `source_app=bgp`."', async () => {
    await made('to the portal');
    const { items } = await service.get<{ items: { id: string }[] }>('/v1/audit?limit=500');
    const sent = () => portal.taken.map(({ record }) => record.id).sort();
    await expect.poll(sent, { timeout: 20_000, interval: 50 }).toEqual(items.map(({ id }) => id).sort());
    for (const { url, record } of portal.taken) {
      expect(url).toBe('/api/v1/ingest/audit');
      expect(record.source_app).toBe('bgp');
    }
  });
});

describe('"The file-system routes exist only when the process mode variable `APP_SERVICE` equals `app-all` and `APP_RUNTIME_LOGS_DIR` is set. Otherwise the file routes return 503."', () => {
  afterEach(() => service.stop());

  test('without `APP_RUNTIME_LOGS_DIR`; the cleanup audit "works without the log volume"; with one variable of the portal alone nothing is sent', async () => {
    const before = portal.requests.length;
    await start({
      ...{ APP_SERVICE: 'app-all', APP_RUNTIME_LOGS_DIR: '', AUTH_PORTAL_URL: portal.url },
      APP_PUBLIC_URI: PUBLIC_URL,
    });
    await expect
      .poll(warnings)
      .toEqual(
        expect.arrayContaining([
          expect.stringContaining('AUTH_PORTAL_URL is set without AUTH_AUDIT_INGEST_SECRET'),
          'APP_PUBLIC_URI means nothing to the service. Did you mean APP_PUBLIC_URL?',
        ]),
      );
    await made('to no portal');
    expect(await fileStatuses()).toEqual([503, 503, 503, 503, 503]);
    expect((await service.request('GET', AUDIT)).status).toBe(200);
    expect(portal.requests).toHaveLength(before);
  });

  test('with another `APP_SERVICE`', async () => {
    await start({
      ...{ APP_SERVICE: 'app-api', APP_RUNTIME_LOGS_DIR: logs },
      AUTH_AUDIT_INGEST_SECRET: 'ingest-secret-0123456789',
    });
    await expect
      .poll(warnings)
      .toContainEqual(expect.stringContaining('AUTH_AUDIT_INGEST_SECRET is set without AUTH_PORTAL_URL'));
    expect(output).not.toContain('ingest-secret');
    expect(await fileStatuses()).toEqual([503, 503, 503, 503, 503]);
    expect((await service.request('GET', AUDIT)).status).toBe(200);
  });
});
