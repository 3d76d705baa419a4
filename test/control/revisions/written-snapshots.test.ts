import { expect, test } from 'vitest';
import { createIpRangeEntries } from '../../../src/control/entries/ip-range-entries.ts';
import { createModule } from '../../../src/control/lists/modules.ts';
import { storeWrittenSnapshots } from '../../../src/control/revisions/written-snapshots.ts';
import { deleteModule } from '../../../src/store/modules/modules.ts';
import { waitFor } from '../../daemons/wait.ts';
import { useTenant } from '../../tenant.ts';

const tenant = useTenant();

async function isSomebodyWaiting(): Promise<boolean> {
  const rows = await tenant.database.admin(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rows.length > 0;
}

test('a module that is deleted while its edits are taken in is left out', async () => {
  const { id } = (await tenant.run((tx) => createModule(tx, { name: 'gone', type: 'IP_RANGES' }))).resource;
  await tenant.run((tx) => createIpRangeEntries(tx, id, [{ cidr: '11.0.0.0/24' }], () => ''));
  const deleted = Promise.withResolvers<void>();
  const mayCommit = Promise.withResolvers<void>();
  const deleting = tenant.run(async (tx) => {
    await deleteModule(tx, id, null);
    deleted.resolve();
    await mayCommit.promise;
  });
  await deleted.promise;
  const storing = tenant.run((tx) => storeWrittenSnapshots(tx, [id], null));
  await waitFor(isSomebodyWaiting, { what: 'the edits to wait for the deletion' });
  mayCommit.resolve();
  await deleting;
  await storing;
  const left = await tenant.database.admin('SELECT FROM snapshot WHERE module_id = $1', [id]);
  expect(left).toEqual([]);
});
