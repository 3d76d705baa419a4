/** A module that was deleted and stays in revisions for `large_withdrawal` is shown and released by its id, over HTTP. */
import { hash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const digest = (parts: readonly unknown[]): string => hash('sha256', JSON.stringify(parts));
const release = { override: ['large_withdrawal'], reason: 'the customer has left us' };

/** What a build would have written down of a module that is gone. */
async function deletedAndHeld(): Promise<{
  readonly path: string;
  readonly id: string;
  readonly snapshot: string;
}> {
  const id = randomUUID();
  const state = digest(['gone', id]);
  const snapshot = digest([state, null]);
  const finding = {
    ...{ code: 'large_withdrawal', detail: 'Module gone: …', module_id: id, entry_id: null, community: null },
    ...{ examples: [], measured: 100, limit: 50 },
  };
  await service.database.admin(
    `INSERT INTO held_withdrawal (tenant_id, module_id, name, hash, state_hash, findings)
     VALUES ($1, $2, 'gone', decode($3, 'hex'), decode($4, 'hex'), $5)`,
    [service.tenant.id, id, snapshot, state, JSON.stringify([finding])],
  );
  return { path: `/v1/modules/${id}`, id, snapshot };
}

test('it is shown and released by its id, with a record in the audit log', async () => {
  const { path, id, snapshot } = await deletedAndHeld();
  expect(await service.call('GET', `${path}/held/diff`)).toMatchObject({
    ...{ status: 200, body: { name: 'gone', snapshot } },
  });
  const done = await service.call('POST', `${path}/release`, { body: { ...release, snapshot } });
  expect(done, done.text).toMatchObject({ status: 202, body: { type: 'revision_build' } });
  const { body } = await service.call('GET', `/v1/audit?resource_id=${id}`);
  expect(body.items).toMatchObject([{ action: 'module.release', resource: { id } }]);
});

test('what is held by now is released, and nothing else', async () => {
  const { path } = await deletedAndHeld();
  const body = { ...release, snapshot: digest(['something else']) };
  expect(await service.call('POST', `${path}/release`, { body })).toMatchObject({
    ...{ status: 409, body: { code: 'conflict' } },
  });
  const unknown = `/v1/modules/${randomUUID()}/release`;
  expect(await service.call('POST', unknown, { body: release })).toMatchObject({ status: 404 });
});
