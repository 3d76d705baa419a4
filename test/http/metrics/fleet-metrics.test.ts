import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPERATOR_EVENTS } from '../../../src/api/activity/operator-events.ts';
import { observeFleet } from '../../../src/http/metrics/fleet-metrics.ts';
import { makeFixtures, type Fixtures } from '../fixtures.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
let ids: Fixtures;
const faults: unknown[] = [];
beforeAll(async () => {
  service = await startService();
  ids = await makeFixtures(service, service.tenant);
});
afterAll(() => service.close());

const log = { warn: (fields: object) => void faults.push(fields) };

async function scrape(): Promise<string> {
  const registry = new Registry();
  observeFleet(service.database.db, registry, log);
  return registry.metrics();
}
async function slug(): Promise<string> {
  const rows = await service.database.admin<{ slug: string }>('SELECT slug FROM tenant WHERE id = $1', [
    service.tenant.id,
  ]);
  return rows[0]!.slug;
}
const run = (sql: string, ...values: unknown[]) => service.database.admin(sql, values);

test('speakers report their revision and routes, sessions their state, modules how stale their sources are', async () => {
  const { tenant } = service;
  await run('UPDATE speaker SET applied_revision_id = $1 WHERE id = $2', ids.revision, ids.speaker);
  await run(
    // Who reported 15 s ago is silent, and a busy machine may take that long until the scrape.
    `INSERT INTO speaker_session
       (tenant_id, speaker_id, peer_id, state, since, reported_at, routes_exported, routes_received, updates_sent)
     VALUES ($1, $2, $3, 'established', now(), now() + interval '1 hour', 0, 0, 0)`,
    ...[tenant.id, ids.speaker, ids.peer],
  );
  const begun = performance.now();
  await run(
    `UPDATE cdn_source SET status = 'stale', last_refreshed_at = now() - interval '1 hour' WHERE id = $1`,
    ids['CDN source'],
  );
  const name = await slug();
  const text = await scrape();
  for (const line of [
    `prefixcast_speaker_routes{tenant="${name}",speaker="edge",family="ipv4"} 2`,
    `prefixcast_speaker_routes{tenant="${name}",speaker="edge",family="ipv6"} 1`,
    `prefixcast_speaker_applied_revision{tenant="${name}",speaker="edge"} 1`,
    `prefixcast_peer_session_state{tenant="${name}",speaker="edge",peer="router"} 6`,
    `prefixcast_module_stale_sources{tenant="${name}",module="cdn"} 1`,
    `prefixcast_module_stale_sources{tenant="${name}",module="networks"} 0`,
    `prefixcast_held_revisions{tenant="${name}"} 0`,
    'prefixcast_series_left_out{kind="sessions"} 0',
  ])
    expect(text).toContain(`${line}\n`);
  const age = Number(/prefixcast_module_source_age_seconds\{[^}]*module="cdn"\} (\S+)/.exec(text)![1]);
  expect(age).toBeGreaterThanOrEqual(3_600);
  expect(age).toBeLessThan(3_601 + (performance.now() - begun) / 1000);
  expect(text).not.toContain('module="ranges"'); // it is read from nowhere
});

test('the session of a holder that went silent is idle', async () => {
  await run("UPDATE speaker_session SET reported_at = now() - interval '1 minute'");
  expect(await scrape()).toMatch(/prefixcast_peer_session_state\{[^}]*peer="router"\} 1\n/);
});

test('a held revision counts until a newer one is ready', async () => {
  const name = await slug();
  await run("UPDATE revision SET state = 'held' WHERE id = $1", ids.revision);
  expect(await scrape()).toContain(`prefixcast_held_revisions{tenant="${name}"} 1\n`);
  await run("UPDATE revision SET state = 'ready' WHERE id = $1", ids.revision);
});

test('speakers count by their lease: none, held, and lapsed once the holder is silent', async () => {
  const leases = async (): Promise<string[]> =>
    [...(await scrape()).matchAll(/^prefixcast_speaker_leases\{state="(\w+)"\} (\d+)$/gm)].map(
      ([, state, count]) => `${state} ${count}`,
    );
  const all = Number((await run('SELECT count(*) AS count FROM speaker WHERE enabled'))[0]!.count);
  expect(await leases()).toEqual(['held 0', 'lapsed 0', `none ${all}`]);
  await run(
    `INSERT INTO speaker_lease (tenant_id, speaker_id, holder, expires_at)
     VALUES ($1, $2, gen_random_uuid(), now() + interval '1 hour')`,
    ...[service.tenant.id, ids.speaker],
  );
  expect(await leases()).toEqual(['held 1', 'lapsed 0', `none ${all - 1}`]);
  await run("UPDATE speaker_lease SET expires_at = now() - interval '1 hour'");
  expect(await leases()).toEqual(['held 0', 'lapsed 1', `none ${all - 1}`]);
  await run('DELETE FROM speaker_lease');
});

test('a module that a guardrail holds counts until it is free', async () => {
  const name = await slug();
  const count = async (): Promise<number> =>
    Number(new RegExp(`prefixcast_held_modules{tenant="${name}"} (\\d+)\n`).exec(await scrape())![1]);
  const before = await count();
  const [held] = await run(
    `INSERT INTO held_withdrawal (tenant_id, module_id, name, hash, state_hash, findings)
     SELECT tenant_id, id, name, sha256('a'), sha256('a'), '[]' FROM module
      WHERE tenant_id = $1 AND id NOT IN (SELECT module_id FROM held_snapshot) LIMIT 1 RETURNING module_id`,
    service.tenant.id,
  );
  expect(await count()).toBe(before + 1);
  await run('DELETE FROM held_withdrawal WHERE module_id = $1', held!.module_id);
  expect(await count()).toBe(before);
});

test('maintenance policies count by how their last run ended', async () => {
  const name = await slug();
  const counts = async (): Promise<Record<string, number>> =>
    Object.fromEntries(
      [
        ...(await scrape()).matchAll(
          new RegExp(`^prefixcast_maintenance_policies{tenant="${name}",state="(\\w+)"} (\\d+)$`, 'gm'),
        ),
      ].map(([, state = '', count]): [string, number] => [state, Number(count)]),
    );
  const before = (await counts()).never_run ?? 0;
  const path = '/v1/maintenance/policies';
  const { id } = await service.make(path, { name: 'counted', kind: 'job_prune' });
  expect((await counts()).never_run).toBe(before + 1);
  const { body: first } = await service.call('POST', `${path}/${id}/run`);
  expect((await counts()).queued).toBe(1);
  await run("UPDATE job SET state = 'failed', finished_at = now() WHERE id = $1", first.id);
  expect((await counts()).failed).toBe(1);
  const { body: second } = await service.call('POST', `${path}/${id}/run`);
  await run("UPDATE job SET state = 'succeeded', finished_at = now() WHERE id = $1", second.id);
  expect(await counts()).toMatchObject({ succeeded: 1 });
  expect((await counts()).failed).toBeUndefined();
  await service.call('PATCH', `${path}/${id}`, { body: { enabled: false } });
  expect((await counts()).disabled).toBe(1);
  await service.call('DELETE', `${path}/${id}`);
  expect((await counts()).disabled).toBeUndefined();
});

test('a tenant with ten thousand peers has 500 series, and crowds nobody out', async () => {
  const { other } = service;
  // It counts all peers of the tenant for each new one, which is no matter where they come one by one.
  await run('ALTER TABLE peer DISABLE TRIGGER peer_quota');
  await run(
    `INSERT INTO speaker (tenant_id, id, name, local_asn) VALUES ($1, gen_random_uuid(), 'big', 64512)`,
    other.id,
  );
  await run(
    `WITH made AS (
       INSERT INTO peer (tenant_id, id, name, address, remote_asn)
       SELECT $1, gen_random_uuid(), 'p' || n, ('10.0.' || n / 256 || '.' || n % 256), 64496
         FROM generate_series(1, 10000) n RETURNING tenant_id, id)
     INSERT INTO speaker_session (tenant_id, speaker_id, peer_id, state, since, routes_exported, routes_received, updates_sent)
     SELECT made.tenant_id, speaker.id, made.id, 'idle', now(), 0, 0, 0
       FROM made JOIN speaker ON speaker.tenant_id = made.tenant_id`,
    other.id,
  );
  await run('ALTER TABLE peer ENABLE TRIGGER peer_quota');
  const text = await scrape();
  expect(text.match(/^prefixcast_peer_session_state\{/gm)).toHaveLength(501);
  expect(text).toContain('peer="router"');
  expect(text).toContain('prefixcast_series_left_out{kind="sessions"} 9500\n');
});

test('a scrape costs as many statements whatever there is, and scrapes at once share them', async () => {
  const registry = new Registry();
  observeFleet(service.database.db, registry, log);
  let transactions = 0;
  const { db } = service.database;
  const inSystem = db.inSystem.bind(db);
  db.inSystem = (work) => {
    transactions++;
    return inSystem(work);
  };
  await Promise.all(Array.from({ length: 20 }, () => registry.metrics()));
  db.inSystem = inSystem;
  expect(transactions).toBe(1);
  expect(faults).toEqual([]);
});

test('docs/reference/metrics.md has every event and every metric', async () => {
  const docs = readFileSync(join(import.meta.dirname, '../../../docs/reference/metrics.md'), 'utf8');
  for (const [event, level] of Object.entries(OPERATOR_EVENTS))
    expect(docs).toMatch(new RegExp(`\\| \`${event}\`\\s+\\| ${level} `));
  for (const [, name] of (await scrape()).matchAll(/^# TYPE (\S+)/gm)) expect(docs).toContain(`\`${name}\``);
});
