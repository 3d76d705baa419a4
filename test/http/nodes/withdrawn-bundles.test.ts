import { afterAll, beforeAll, expect, test } from 'vitest';
import { NO_REVISION } from '../../../src/api/nodes/bundles.ts';
import { openBundle } from '../../../src/bundle/open-bundle.ts';
import { nodeRoutes } from '../../../src/http/routes/nodes/nodes.ts';
import { emptyTable } from '../../../src/core/tables/prefix-table.ts';
import { pruneRevisions } from '../../../src/store/revisions/revision-prune.ts';
import { startNodeService, type NodeService } from './node-service.ts';
import type { Body } from '../service.ts';

let service: NodeService;
let first: string;
beforeAll(async () => {
  service = await startNodeService();
  first = await service.revisionOf(['192.0.2.0/24']);
});
afterAll(() => service.close());

const example = nodeRoutes.find(({ operation }) => operation === 'reportApplyStatus')!.example as Body;

/** The node says that it has, or has not, taken what it is to run. */
async function report(sequence: number, status: 'applied' | 'failed'): Promise<void> {
  const path = `/v1/speakers/${service.speakerId}/apply-status`;
  const body = { ...example, sequence, status, announced: 1 };
  const answer = await service.call('POST', path, { key: service.tenant.keys.node, body });
  expect(answer.status, answer.text).toBe(200);
}

/** Queues the revision as that of a canary, without a job. */
async function canary(revisionId: string): Promise<string> {
  const id = await service.apply(revisionId);
  await service.database.admin('UPDATE speaker_apply SET wave = 0 WHERE id = $1', [id]);
  return id;
}

const set = (id: string, state: string) =>
  service.database.admin('UPDATE speaker_apply SET state = $2 WHERE id = $1', [id, state]);

const stateOf = async (id: string): Promise<unknown> =>
  (await service.database.admin('SELECT state FROM speaker_apply WHERE id = $1', [id]))[0];

const applied = async (): Promise<unknown> =>
  (await service.call('GET', `/v1/speakers/${service.speakerId}`)).body.applied_revision_id;

test('a node that never ran anything is not asked to withdraw it', async () => {
  const id = await canary(first);
  await service.database.admin(
    "UPDATE speaker_apply SET state = 'failed', started_at = now() WHERE id = $1",
    [id],
  );
  expect((await service.latest()).body.code).toBe('revision_not_ready');
});

test('a node that failed at its first revision as a canary is not to try it again', async () => {
  const id = await canary(first);
  const assigned = await service.assigned();
  expect(assigned.revision_id).toBe(first);
  await report(assigned.sequence, 'failed');
  expect(await stateOf(id)).toEqual({ state: 'failed' });
  expect(await service.assigned()).toMatchObject({ revision_id: NO_REVISION, revision_number: 0 });
  // What it says of the bundle before comes too late.
  await report(assigned.sequence, 'applied');
  expect(await stateOf(id)).toEqual({ state: 'failed' });
  expect(await applied()).toBeNull();
});

test('a canary that ran nothing before goes back to nothing, frozen or not, and stays there', async () => {
  const id = await canary(first);
  const running = await service.assigned();
  await report(running.sequence, 'applied');
  expect(await applied()).toBe(first);
  await service.call('PATCH', '/v1/settings', { body: { deploy_freeze: true } });
  await set(id, 'undoing');
  const assigned = await service.assigned();
  expect(assigned).toMatchObject({ revision_id: NO_REVISION, revision_number: 0 });
  expect(assigned.sequence).toBeGreaterThan(running.sequence);
  const pulled = await service.pull(assigned.bundle.url);
  const opened = openBundle(pulled.bytes, await service.reader({ highestSequence: running.sequence }));
  expect(opened.routes.table).toEqual(emptyTable());
  expect(opened.speaker.peers.map(({ name }) => name)).toEqual(['router']);
  const delta = await service.pull(`${assigned.bundle.url}&from=${first}`);
  expect(delta.bytes.equals(pulled.bytes)).toBe(true);
  expect(await stateOf(id)).toEqual({ state: 'undoing' });
  await report(assigned.sequence, 'applied');
  expect(await stateOf(id)).toEqual({ state: 'undone' });
  expect(await applied()).toBeNull();
  await service.call('PATCH', '/v1/settings', { body: { deploy_freeze: null } });
  expect(await service.assigned()).toEqual(assigned);
});

test('it stays there when the revision that it took back is pruned', async () => {
  const assigned = await service.assigned();
  const last = await service.revisionOf(['192.0.2.0/25']);
  const { db } = service.database;
  await db.inTenant(service.tenant.id, (tx) => pruneRevisions(tx, 0));
  expect((await service.call('GET', `/v1/revisions/${first}`)).status).toBe(404);
  expect(await service.assigned()).toEqual(assigned);
  await service.apply(last);
  const next = await service.assigned();
  expect(next.revision_id).toBe(last);
  const whole = await service.pull(next.bundle.url);
  const fromNothing = await service.pull(`${next.bundle.url}&from=${NO_REVISION}`);
  expect(fromNothing.bytes.equals(whole.bytes)).toBe(true);
  await report(next.sequence, 'applied');
});

test('who ran something before goes back to that, and never to nothing', async () => {
  const before = await applied();
  expect(before).not.toBeNull();
  const id = await canary(await service.revisionOf(['192.0.2.128/25']));
  await report((await service.assigned()).sequence, 'applied');
  await set(id, 'undoing');
  expect((await service.assigned()).revision_id).toBe(before);
  // Not even where nobody knows any more what that was.
  await service.database.admin('UPDATE speaker_apply SET previous_revision_id = NULL WHERE id = $1', [id]);
  await service.database.admin('UPDATE speaker SET applied_revision_id = $2 WHERE id = $1', [
    service.speakerId,
    before,
  ]);
  expect((await service.assigned()).revision_id).toBe(before);
  await set(id, 'undone');
});

test('an apply that is no canary is tried again, not withdrawn', async () => {
  const revision = await service.revisionOf(['192.0.2.64/26']);
  await service.apply(revision);
  const assigned = await service.assigned();
  await report(assigned.sequence, 'failed');
  expect((await service.assigned()).revision_id).toBe(revision);
});
