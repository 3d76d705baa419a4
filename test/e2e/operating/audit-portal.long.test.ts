import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Service } from '../../../demo/service.ts';
import type { AuditRecord } from '../../../src/api/activity/audit.ts';
import { firstArrivals, startReceiver, type Receiver } from '../../control/outbox/receiver.ts';
import { freePort } from '../../daemons/machine/ports.ts';
import { waitFor } from '../../daemons/wait.ts';

const SECRET = 'ingest-secret-of-the-whole';

let dataDir: string;
let portal: Receiver;
let service: Service;

async function start(): Promise<void> {
  service = await Service.start({
    dataDir,
    port: await freePort(),
    bgpListen: `127.0.0.1:${await freePort()}`,
    env: { AUTH_PORTAL_URL: portal.url, AUTH_AUDIT_INGEST_SECRET: SECRET },
  });
}

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'prefixcast-portal-'));
  portal = await startReceiver();
  // Away at first: what happens meanwhile waits.
  portal.react = () => 503;
  await start();
});
afterAll(async () => {
  await service.stop();
  await portal.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Creates modules one after the other until the service is gone; answers the names of those that it was answered. */
async function createUntilGone(client: string): Promise<string[]> {
  const names: string[] = [];
  for (let i = 0; i < 1_000; i++) {
    const name = `${client}-${i}`;
    const body = { name, type: 'IP_RANGES' };
    const answer = await service.request('POST', '/v1/modules', body).catch(() => null);
    if (answer?.status !== 201) break;
    names.push(name);
  }
  return names;
}

async function readAuditLog(): Promise<AuditRecord[]> {
  const all: AuditRecord[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: { items: AuditRecord[]; next_cursor: string | null } = await service.get(
      `/v1/audit?limit=500${cursor === '' ? '' : `&cursor=${cursor}`}`,
    );
    all.push(...page.items);
    cursor = page.next_cursor;
  }
  return all;
}

const metric = async (name: string): Promise<number> => {
  const text = await (await service.request('GET', '/metrics')).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
};

test('a service killed amid changes, with a portal that comes and goes, leaves every change in both audit logs', async () => {
  await service.post('/v1/modules', { name: 'early', type: 'IP_RANGES' });
  await waitFor(async () => (await metric('prefixcast_audit_unsent')) >= 4, { what: 'a backlog' });
  portal.react = (_, n) => (n % 10 === 0 ? 500 : 202);

  const clients = ['a', 'b', 'c'].map((client) => createUntilGone(client));
  await waitFor(() => portal.taken.length >= 20, { what: 'twenty records' });
  await service.stop('SIGKILL');
  const reported = await Promise.all(clients);
  expect(Math.min(...reported.map((names) => names.length))).toBeGreaterThan(0);

  portal.react = () => 202;
  await start();
  await waitFor(async () => (await metric('prefixcast_audit_unsent')) === 0, {
    what: 'an empty outbox',
  });
  const records = await readAuditLog();
  const created = records.filter(({ action }) => action === 'module.create');
  const names = new Set(created.map(({ resource }) => resource.name));
  for (const each of reported) expect(each.filter((name) => !names.has(name))).toEqual([]);
  expect(names.size).toBe(created.length);

  const arrived = firstArrivals(portal.taken);
  expect([...arrived].sort()).toEqual(records.map(({ id }) => id).sort());
  // What one client did, one change after the other, arrives in that order.
  const nameOf = new Map(records.map(({ id, resource }) => [id, resource.name]));
  const order = arrived.map((id) => nameOf.get(id));
  for (const each of reported) expect(order.filter((name) => each.includes(name!))).toEqual(each);
  expect(order.slice(0, 4)).toEqual(['Default', 'builtin', 'bootstrap', 'early']);
  expect(portal.requests.map(({ text }) => text).join()).not.toContain(service.key);
}, 300_000);
