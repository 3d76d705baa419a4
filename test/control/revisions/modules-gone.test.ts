import { afterAll, beforeAll, expect, test } from 'vitest';
import { requestRevision } from '../../../src/control/collection/follow-edits.ts';
import { createIpRangeEntries } from '../../../src/control/entries/ip-range-entries.ts';
import { changeModule, createModule } from '../../../src/control/lists/modules.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import type { TenantTx } from '../../../src/store/database/database.ts';
import { deleteModule } from '../../../src/store/modules/modules.ts';
import { startPlane, type Plane } from '../plane.ts';

let plane: Plane;
let community_id: string;
beforeAll(async () => {
  plane = await startPlane();
  community_id = await plane.addCommunity('64500:1');
  await plane.run((tx) => changeSettings(tx, { auto_revision: false }));
});
afterAll(() => plane?.close());

const addModule = async (name: string, cidr: string): Promise<string> => {
  const body = { name, type: 'IP_RANGES', community_id } as const;
  const { id } = (await plane.run((tx) => createModule(tx, body))).resource;
  await plane.run((tx) => createIpRangeEntries(tx, id, [{ cidr }], () => ''));
  return id;
};

type Take = (tx: TenantTx, id: string) => Promise<unknown>;

test.each<[how: string, take: Take]>([
  ['deleted', (tx, id) => deleteModule(tx, id, null)],
  ['disabled', (tx, id) => changeModule(tx, id, { enabled: false }, null)],
])('a module that is %s while a revision is asked for is left out of it', async (how, take) => {
  const gone = await addModule(`${how} meanwhile`, '11.0.0.0/24');
  await addModule(`not ${how}`, '12.0.0.0/24');
  const { queue } = plane.context;
  let isGone = false;
  // The build is queued between the look at what was edited and the refreshes of it.
  const meeting: typeof queue = {
    ...queue,
    enqueue: async (tx, job) => {
      if (!isGone) await plane.run<unknown>((other) => take(other, gone));
      isGone = true;
      return queue.enqueue(tx, job);
    },
  };
  const job = await plane.run((tx) => requestRevision(tx, { ...plane.context, queue: meeting }));
  const { result } = await plane.ended(job);
  expect(isGone).toBe(true);
  expect(await plane.routes(String(result!.revision_id))).toEqual({ '12.0.0.0/24': ['64500:1'] });
});
