import { expect, test } from 'vitest';
import type { ControlContext } from '../../../src/control/context.ts';
import { changeDohProfile, createDohProfile } from '../../../src/control/lists/doh-profiles.ts';
import { createModule } from '../../../src/control/lists/modules.ts';
import { deleteDohProfile, listProfilesToAsk } from '../../../src/store/modules/doh-profiles.ts';
import { SecretBox } from '../../../src/store/secrets.ts';
import { useTenant } from '../../tenant.ts';
import { waitFor } from '../../daemons/wait.ts';

const tenant = useTenant();
const secrets = new SecretBox(Buffer.alloc(32, 5));
const context = { secrets } as ControlContext;
let made = 0;

const profile = async (body: object = {}): Promise<string> =>
  tenant.run(async (tx) => {
    const named = { name: `p${++made}`, url: 'https://dns.example/dns-query', ...body };
    return (await createDohProfile(tx, context, named)).resource.id;
  });

/** Whether some transaction waits for another. */
async function isSomebodyWaiting(): Promise<boolean> {
  const [row] = await tenant.database.admin<{ waiting: number }>(
    `SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return row!.waiting > 0;
}

test('a profile that a module is about to use cannot be deleted in that moment', async () => {
  const id = await profile();
  let isWritten = false;
  let commit = (): void => undefined;
  const mayCommit = new Promise<void>((resolve) => (commit = resolve));
  const writing = tenant.run(async (tx) => {
    await createModule(tx, { name: 'user', type: 'DOMAINS', doh_profile_ids: [id] });
    isWritten = true;
    await mayCommit;
  });
  await waitFor(() => isWritten, { what: 'the module' });
  const deleting = tenant.run((tx) => deleteDohProfile(tx, id, null)).catch((error: unknown) => error);
  await waitFor(isSomebodyWaiting, { what: 'the deletion to wait' });
  commit();
  await writing;
  expect(await deleting).toMatchObject({ code: 'in_use' });
});

test('a module cannot use a profile that is being deleted', async () => {
  const id = await profile();
  let isDeleted = false;
  let commit = (): void => undefined;
  const mayCommit = new Promise<void>((resolve) => (commit = resolve));
  const deleting = tenant.run(async (tx) => {
    await deleteDohProfile(tx, id, null);
    isDeleted = true;
    await mayCommit;
  });
  await waitFor(() => isDeleted, { what: 'the deletion' });
  const writing = tenant
    .run((tx) => createModule(tx, { name: 'late', type: 'DOMAINS', doh_profile_id: id }))
    .catch((error: unknown) => error);
  await waitFor(isSomebodyWaiting, { what: 'the module to wait' });
  commit();
  await deleting;
  expect(await writing).toMatchObject({
    code: 'validation_failed',
    errors: [{ pointer: '/doh_profile_id', detail: expect.stringContaining(id) as string }],
  });
});

test('headers come back in clear for asking only, and stay when something else changes', async () => {
  const headers = { Authorization: 'Bearer 1' };
  const id = await profile({ headers });
  const read = async () => {
    const [found] = await tenant.run((tx) => listProfilesToAsk(tx, secrets, [id]));
    return found?.headers;
  };
  expect(await read()).toEqual(headers);
  const change = (patch: object) => tenant.run((tx) => changeDohProfile(tx, context, id, patch, null));
  await change({ method: 'GET' });
  expect(await read()).toEqual(headers);
  expect((await change({ headers: {} })).resource.headers).toEqual({ Authorization: null });
  expect((await change({ headers: { Authorization: null } })).resource.headers).toEqual({});
  expect(await read()).toEqual({});
});

test('profiles are asked in the order of the module, those disabled not at all', async () => {
  const [one, two, three] = [await profile(), await profile({ enabled: false }), await profile()];
  const ids = await tenant.run(async (tx) =>
    (await listProfilesToAsk(tx, secrets, [three, two, one])).map(({ id }) => id),
  );
  expect(ids).toEqual([three, one]);
});
