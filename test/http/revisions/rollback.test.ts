import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeFixtures, makeRevision } from '../fixtures.ts';
import { startService, type Body, type TestService } from '../service.ts';

let service: TestService;
let communityId: string;

beforeAll(async () => {
  service = await startService();
  communityId = (await makeFixtures(service, service.tenant)).community!;
});
afterAll(() => service.close());

const revisionOf = (...prefixes: string[]) => makeRevision(service, service.tenant, communityId, prefixes);
const read = async (id: string) => (await service.call('GET', `/v1/revisions/${id}`)).body;

test('201: a new revision, the latest, with the old content; its apply is queued', async () => {
  const old = await revisionOf('5.0.0.0/24', '6.0.0.0/24');
  const bad = await revisionOf('7.0.0.0/24');
  const { body } = await service.call('POST', `/v1/revisions/${old}/rollback`);
  const before = await read(old);
  expect(body).toMatchObject({
    state: 'ready',
    rollback_of: old,
    parent_id: bad,
    number: (before.number as number) + 2,
    content_hash: before.content_hash,
    prefix_count: { ipv4: 2, ipv6: 0 },
    communities: before.communities as Body[],
    trigger: { kind: 'rollback', actor: 'key:the operator' },
  });
  const { apply_job_id: jobId, ...revision } = body;
  expect(await read(String(body.id))).toEqual(revision);
  const job = await service.call('GET', `/v1/jobs/${String(jobId)}`);
  expect(job.body).toMatchObject({ type: 'apply', resource: { type: 'revision', id: body.id } });
  const diff = await service.call('GET', `/v1/revisions/${old}/diff/${String(body.id)}`);
  expect(diff.body).toMatchObject({ summary: { announced: 0, withdrawn: 0, changed: 0 } });
});

test('201: why it was done is in the new revision and in the audit log, where somebody says so', async () => {
  const old = await revisionOf('5.0.0.0/24');
  const reason = 'the office lost its list';
  const path = `/v1/revisions/${old}/rollback`;
  const { body } = await service.call('POST', path, { body: { reason } });
  expect(body).toMatchObject({ rollback_of: old, reason });
  expect(await read(String(body.id))).toMatchObject({ reason });
  const { body: audit } = await service.call('GET', '/v1/audit?action=revision.rollback&limit=1');
  expect(audit.items).toMatchObject([{ changes: { after: { reason } } }]);
  expect((await service.call('POST', path, { body: {} })).body.reason).toBeNull();
  expect((await service.call('POST', path, { body: { reason: '' } })).status).toBe(422);
});

test('201: without auto_apply nothing is queued', async () => {
  const old = await revisionOf('5.0.0.0/24');
  await service.call('PATCH', '/v1/settings', { body: { auto_apply: false } });
  const { body } = await service.call('POST', `/v1/revisions/${old}/rollback`);
  expect(body.apply_job_id).toBeNull();
  await service.call('PATCH', '/v1/settings', { body: { auto_apply: null } });
});

test('201 once: a request that is repeated under its Idempotency-Key makes one revision', async () => {
  const old = await revisionOf('5.0.0.0/24');
  const again = { headers: { 'idempotency-key': 'rollback-1' } };
  const first = await service.call('POST', `/v1/revisions/${old}/rollback`, again);
  const second = await service.call('POST', `/v1/revisions/${old}/rollback`, again);
  expect(second.body).toEqual(first.body);
  expect(second.headers.get('idempotency-replayed')).toBe('true');
});

test('201 each: rollbacks at the same time get numbers of their own, each on top of the one before', async () => {
  const old = await revisionOf('5.0.0.0/24');
  const made = await Promise.all(
    Array.from({ length: 6 }, async () => {
      for (;;) {
        const answer = await service.call('POST', `/v1/revisions/${old}/rollback`);
        // Whoever has waited for the others for too long is to come again.
        if (answer.status !== 503) return answer;
      }
    }),
  );
  const inOrder = made.map(({ body }) => body).sort((a, b) => Number(a.number) - Number(b.number));
  expect(new Set(inOrder.map(({ number }) => number)).size).toBe(6);
  expect(inOrder.slice(1).map((body) => body.parent_id)).toEqual(inOrder.slice(0, -1).map(({ id }) => id));
});

test('409: what is not ready is not rolled back to', async () => {
  const held = await revisionOf('5.0.0.0/24');
  await service.database.admin("UPDATE revision SET state = 'held' WHERE id = $1", [held]);
  const { status, body } = await service.call('POST', `/v1/revisions/${held}/rollback`);
  expect({ status, code: body.code }).toEqual({ status: 409, code: 'revision_not_ready' });
});
