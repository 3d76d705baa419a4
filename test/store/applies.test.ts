import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { emptyTable } from '../../src/core/tables/prefix-table.ts';
import { encodeTable } from '../../src/core/stored/table-codec.ts';
import {
  finishApply,
  listAppliesOf,
  planApplies,
  startNextApply,
  type ApplyEnd,
  type SpeakerApply,
} from '../../src/store/rollout/applies.ts';
import { storeTable } from '../../src/store/contents/contents.ts';
import type { TenantTx } from '../../src/store/database/database.ts';
import { insertJob } from '../../src/store/jobs/jobs.ts';
import { claimLeases } from '../../src/store/holding/leases.ts';
import { insertRevision } from '../../src/store/revisions/revisions.ts';
import { startWave, undoCanaries } from '../../src/store/rollout/rollouts.ts';
import { listSentAttributes } from '../../src/store/rollout/sent-attributes.ts';
import { recordAudit } from '../../src/store/audit/audit.ts';
import { putSettings } from '../../src/store/tenants/settings.ts';
import { getSpeaker, insertSpeaker } from '../../src/store/speakers/speakers.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';

const WELL: ApplyEnd = { announced: 1, withdrawn: 0, changed: 0, sessions: [] };
const BADLY: ApplyEnd = { code: 'verification_failed', error: 'A router ended its session.' };

let database: TestDatabase;
let tenantId: string;
let speakerId: string;
const holder = randomUUID();

const run = <T>(work: (tx: TenantTx) => Promise<T>): Promise<T> => database.db.inTenant(tenantId, work);

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  tenantId = await database.createTenant();
  speakerId = (await run((tx) => insertSpeaker(tx, { name: 'one', local_asn: 64_512 }))).resource.id;
  await database.db.inSystem((tx) => claimLeases(tx, holder, 600, ['builtin']));
});

async function makeRevision(): Promise<string> {
  const prefix_count = { ipv4: 0, ipv6: 0 };
  const trigger = { kind: 'manual', module_id: null, job_id: null, actor: null } as const;
  const { id } = await run(async (tx) => {
    const content_hash = await storeTable(tx, encodeTable(emptyTable()), prefix_count);
    const rest = { parent_id: null, rollback_of: null, trigger, prefix_count, communities: [], warnings: [] };
    return insertRevision(tx, { state: 'ready', content_hash, ...rest });
  });
  return id;
}

/** Queues an apply to the speaker, as its canary or as one of a wave. @returns its job */
async function queue(revisionId: string, wave: number): Promise<string> {
  const request = { type: 'apply', input: {}, resource: null, requestedBy: 'cli', parentId: null } as const;
  return run(async (tx) => {
    const { id } = await insertJob(tx, request);
    await planApplies(tx, id, [{ speakerId, revisionId, wave }]);
    await startWave(tx, id, wave);
    return id;
  });
}

const next = (): Promise<SpeakerApply | null> => run((tx) => startNextApply(tx, speakerId, holder));

async function carryOut(end: ApplyEnd): Promise<SpeakerApply> {
  const apply = (await next())!;
  await run((tx) => finishApply(tx, apply, holder, end));
  return apply;
}

const stateOf = async (job: string) => (await run((tx) => listAppliesOf(tx, job)))[0]!.state;
const runs = async () => (await run((tx) => getSpeaker(tx, speakerId))).resource.applied_revision_id;

describe('a canary that is to go back when a newer apply comes to its speaker', () => {
  let good: string;
  let bad: string;
  let newest: string;
  let canary: string;
  beforeEach(async () => {
    [good, bad, newest] = [await makeRevision(), await makeRevision(), await makeRevision()];
    await queue(good, 1);
    await carryOut(WELL);
    canary = await queue(bad, 0);
    await carryOut(WELL);
    expect(await runs()).toBe(bad);
    await run((tx) => undoCanaries(tx, canary, 'It lost a session.'));
  });

  test('goes back all the same when that fails', async () => {
    const job = await queue(newest, 1);
    expect(await carryOut(BADLY)).toMatchObject({ state: 'running', revision_id: newest });
    expect(await stateOf(job)).toBe('failed');
    expect(await carryOut(WELL)).toMatchObject({ state: 'undoing', revision_id: good });
    expect(await runs()).toBe(good);
    expect(await stateOf(canary)).toBe('undone');
    expect(await next()).toBeNull();
  });

  test('need not when that succeeds', async () => {
    await queue(newest, 1);
    await carryOut(WELL);
    expect(await next()).toBeNull();
    expect(await stateOf(canary)).toBe('superseded');
    expect(await runs()).toBe(newest);
  });

  test('goes back first when applies are frozen', async () => {
    const job = await queue(newest, 1);
    await run((tx) => putSettings(tx, { deploy_freeze: true }));
    expect(await carryOut(WELL)).toMatchObject({ state: 'undoing', revision_id: good });
    expect(await runs()).toBe(good);
    expect(await stateOf(job)).toBe('queued');
  });

  test('has the next hops that came with its apply, and its way back sends no later ones', async () => {
    const id = randomUUID();
    const changed = (nextHop: string): Promise<void> =>
      run((tx) => {
        const changes = { before: { next_hop_ipv4: nextHop }, after: {} };
        return recordAudit(tx, {
          actor: 'cli',
          action: 'community.change',
          resource: { id, name: 'x' },
          changes,
        });
      });
    await changed('192.0.2.1');
    await database.admin(
      'UPDATE audit_record SET at = (SELECT max(started_at) FROM speaker_apply WHERE tenant_id = $1) WHERE resource_id = $2',
      [tenantId, id],
    );
    await changed('192.0.2.2');
    const now = { id, next_hop_ipv4: '192.0.2.3', next_hop_ipv6: null };
    const sent = async (): Promise<unknown> => {
      const all = await run((tx) => listSentAttributes(tx, { nextHops: [now], noExport: true }));
      return all.get(speakerId)?.nextHops;
    };
    const then = [{ ...now, next_hop_ipv4: '192.0.2.2' }];
    expect(await sent()).toEqual(then);
    const undo = (await next())!;
    expect(await sent()).toEqual(then);
    await run((tx) => finishApply(tx, undo, holder, WELL));
    expect(await stateOf(canary)).toBe('undone');
    expect(await sent()).toEqual(then);
  });

  test('is not where a newer canary goes back to', async () => {
    const job = await queue(newest, 0);
    await carryOut(WELL);
    await run((tx) => undoCanaries(tx, job, 'It lost a session.'));
    expect(await carryOut(WELL)).toMatchObject({ state: 'undoing', revision_id: good });
    expect(await runs()).toBe(good);
    expect(await next()).toBeNull();
  });
});

test('next hops of an apply under way count for what routers have, and not for what is announced again after a restart', async () => {
  await queue(await makeRevision(), 1);
  await carryOut(WELL);
  const id = randomUUID();
  await run((tx) =>
    recordAudit(tx, {
      ...{ actor: 'cli', action: 'community.change', resource: { id, name: 'x' } },
      changes: { before: { next_hop_ipv4: '192.0.2.1' }, after: {} },
    }),
  );
  const now = { id, next_hop_ipv4: '192.0.2.2', next_hop_ipv6: null };
  const sent = async (underWay: boolean): Promise<string | null | undefined> => {
    const attributes = { nextHops: [now], noExport: true };
    const all = await run((tx) => listSentAttributes(tx, attributes, null, underWay));
    return (all.get(speakerId)?.nextHops ?? [now])[0]!.next_hop_ipv4;
  };
  const both = async () => ({ ended: await sent(false), underWay: await sent(true) });
  await queue(await makeRevision(), 1);
  expect(await both()).toEqual({ ended: '192.0.2.1', underWay: '192.0.2.1' });
  const apply = (await next())!;
  expect(await both()).toEqual({ ended: '192.0.2.1', underWay: '192.0.2.2' });
  await run((tx) => finishApply(tx, apply, holder, BADLY));
  expect(await both()).toEqual({ ended: '192.0.2.1', underWay: '192.0.2.1' });
});
