/** Whoever deletes a speaker or its tenant, and the process that holds the speaker, wait for each other in turn and never in a circle. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteTenant } from '../../../src/control/tenants/tenants.ts';
import type { TenantTx } from '../../../src/store/database/database.ts';
import { insertJob } from '../../../src/store/jobs/jobs.ts';
import { claimLeases, holdsLease, reportDaemon } from '../../../src/store/holding/leases.ts';
import { insertPeer } from '../../../src/store/speakers/peers.ts';
import { SecretBox } from '../../../src/store/secrets.ts';
import { reportSessions } from '../../../src/store/holding/sessions.ts';
import { deleteSpeaker, insertSpeaker } from '../../../src/store/speakers/speakers.ts';
import { lockTenant } from '../../../src/store/database/locks.ts';
import { createTestDatabase, type TestDatabase } from '../../database.ts';
import { waitFor } from '../../daemons/wait.ts';

const secrets = new SecretBox(Buffer.alloc(32, 1));
const GOOD = { reachable: true, version: null, routerId: null, uptimeSeconds: 1, lastReconfiguredAt: null };

let database: TestDatabase;
let home: string;
beforeAll(async () => {
  database = await createTestDatabase();
  home = await database.createTenant();
});
afterAll(() => database.close());

interface Held {
  readonly tenantId: string;
  readonly speakerId: string;
  readonly peerId: string;
  readonly holder: string;
  readonly run: <T>(work: (tx: TenantTx) => Promise<T>) => Promise<T>;
}

/** A suspended tenant whose speaker somebody holds. */
async function held(): Promise<Held> {
  const tenantId = await database.createTenant();
  const run: Held['run'] = (work) => database.db.inTenant(tenantId, work);
  const speaker = await run((tx) => insertSpeaker(tx, { name: 'edge', local_asn: 64_512 }));
  const peer = await run((tx) =>
    insertPeer(tx, secrets, { name: 'router', address: '192.0.2.1', remote_asn: 64_496 }),
  );
  const holder = randomUUID();
  await database.db.inSystem((tx) => claimLeases(tx, holder, 60, ['builtin']));
  await database.admin("UPDATE tenant SET status = 'suspended' WHERE id = $1", [tenantId]);
  return { tenantId, run, speakerId: speaker.resource.id, peerId: peer.resource.id, holder };
}

const remove = async ({ tenantId }: Held): Promise<void> => {
  const [row] = await database.admin<{ slug: string }>('SELECT slug FROM tenant WHERE id = $1', [tenantId]);
  await database.db.inTenant(home, (tx) =>
    deleteTenant(tx, { secrets }, tenantId, { confirm: row!.slug }, null),
  );
};

/** Begins the transaction, has the other one run until it waits for a lock or has ended, and goes on. */
async function between<T>(
  { run }: Held,
  first: (tx: TenantTx) => Promise<unknown>,
  other: () => Promise<unknown>,
  last: (tx: TenantTx) => Promise<T>,
): Promise<T> {
  let beside: Promise<unknown> = Promise.resolve();
  const result = await run(async (tx) => {
    await first(tx);
    let hasEnded = false;
    beside = other().finally(() => (hasEnded = true));
    beside.catch(() => undefined); // awaited below
    await waitFor(async () => hasEnded || (await waiting()) > 0, { what: 'the other transaction to wait' });
    return last(tx);
  });
  await beside;
  return result;
}

async function waiting(): Promise<number> {
  const [row] = await database.admin<{ n: number }>(
    `SELECT count(*)::integer AS n FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return row!.n;
}

const sessionsOf =
  ({ speakerId, peerId }: Held) =>
  (tx: TenantTx) =>
    reportSessions(tx, speakerId, [
      {
        ...{ peerId, state: 'established', since: '2026-01-01T00:00:00.000Z', routesExported: 1 },
        ...{ routesReceived: 0, updatesSent: 1, lastError: null },
      },
    ]);

const reports =
  ({ speakerId, holder }: Held) =>
  (tx: TenantTx) =>
    reportDaemon(tx, speakerId, holder, { ...GOOD, error: null });

test('a tenant is deleted while the holder of its speaker reports sessions', async () => {
  const one = await held();
  await between(one, reports(one), () => remove(one), sessionsOf(one));
  expect(await database.admin('SELECT id FROM tenant WHERE id = $1', [one.tenantId])).toEqual([]);
});

test('a speaker is deleted while its holder reports sessions', async () => {
  const one = await held();
  const deleted = () => one.run((tx) => deleteSpeaker(tx, one.speakerId, null));
  await between(one, reports(one), deleted, sessionsOf(one));
  expect(await one.run((tx) => holdsLease(tx, one.speakerId, one.holder))).toBe(false);
});

test('a tenant is deleted while one of its jobs is written', async () => {
  const one = await held();
  const job = await one.run((tx) =>
    insertJob(tx, {
      type: 'revision_build',
      input: {},
      resource: null,
      requestedBy: 'key:test',
      parentId: null,
    }),
  );
  // A trigger writes the event when the row is locked already.
  const lock = (tx: TenantTx) =>
    tx.sql.selectFrom('job').select('id').where('id', '=', job.id).forUpdate().execute();
  const change = (tx: TenantTx) =>
    tx.sql.updateTable('job').set({ attempt: 1 }).where('id', '=', job.id).execute();
  await between(one, lock, () => remove(one), change);
  expect(await database.admin('SELECT id FROM tenant WHERE id = $1', [one.tenantId])).toEqual([]);
});

test('a tenant is deleted while a revision of it is built', async () => {
  const one = await held();
  const module = randomUUID();
  await database.admin(
    `INSERT INTO module (tenant_id, id, name, type) VALUES ($1, $2, 'lists', 'CDN_SOURCES')`,
    [one.tenantId, module],
  );
  const begin = async (tx: TenantTx) => {
    await lockTenant(tx, 'revision');
    await tx.sql.updateTable('module').set({ prefix_count_ipv4: 1 }).where('id', '=', module).execute();
  };
  const end = (tx: TenantTx) =>
    tx.sql.updateTable('tenant').set({ last_revision_number: 1 }).where('id', '=', one.tenantId).execute();
  await between(one, begin, () => remove(one), end);
  expect(await database.admin('SELECT id FROM tenant WHERE id = $1', [one.tenantId])).toEqual([]);
});
