import { afterAll, beforeAll, expect, test } from 'vitest';
import { rollbackRevision } from '../../../src/control/rollout/rollback-revision.ts';
import { insertModule } from '../../../src/store/modules/modules.ts';
import { insertIpRangeEntries } from '../../../src/store/entries/ip-range-entries.ts';
import { startPlane, type Plane } from '../plane.ts';

let plane: Plane;
beforeAll(async () => {
  plane = await startPlane();
});
afterAll(() => plane.close());

test('a speaker runs the old content again, and one whose wrong apply is still waiting never ends at it', async () => {
  const speaker = await plane.addSpeaker('edge');
  const { resource: module } = await plane.run((tx) =>
    insertModule(tx, { name: 'ranges', type: 'IP_RANGES' }),
  );
  const add = (cidr: string) => plane.run((tx) => insertIpRangeEntries(tx, module.id, [{ cidr }], () => ''));
  const holding = await plane.hold();
  await add('5.0.0.0/24');
  const good = await plane.succeeded(await plane.refresh(module.id));
  await holding.close();

  // Nobody holds the speaker now, so the apply of this revision waits.
  await add('6.0.0.0/24');
  const { result: bad } = await plane.ended(await plane.refresh(module.id));
  const made = await plane.run((tx) => rollbackRevision(tx, plane.context, String(good.revision_id)));
  expect(made.resource.parent_id).toBe(bad!.revision_id);
  await plane.hold();
  const job = await plane.ended({ id: made.resource.apply_job_id! });
  expect(job).toMatchObject({ state: 'succeeded' });
  await plane.ended({ id: String(bad!.apply_job_id) });
  expect((await plane.speaker(speaker.id)).applied_revision_id).toBe(made.resource.id);
  expect(Object.keys(await plane.routes(made.resource.id))).toEqual(['5.0.0.0/24']);
});
