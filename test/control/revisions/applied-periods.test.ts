/** When speakers had a revision, and a prefix of it: a list that returns to an earlier revision says both times. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readHistory } from '../../../src/control/history/history.ts';
import { rollbackRevision } from '../../../src/control/rollout/rollback-revision.ts';
import { changeSpeaker } from '../../../src/control/speakers/speakers.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { deleteSpeaker } from '../../../src/store/speakers/speakers.ts';
import { listRevisions } from '../../../src/store/revisions/revisions.ts';
import {
  findAppliedRevision,
  findLatestReadyRevision,
  findRevision,
} from '../../../src/store/revisions/stored-revisions.ts';
import { GrowingModule } from '../rollout/rollout.ts';
import { startPlane, type Plane } from '../plane.ts';

let plane: Plane;
let module: GrowingModule;
let speakerIds: string[];

beforeAll(async () => {
  plane = await startPlane();
  await plane.hold();
  await plane.run((tx) => changeSettings(tx, { auto_apply: false }));
  module = await GrowingModule.create(plane);
});
afterAll(() => plane.close());

beforeEach(async () => {
  for (const id of speakerIds ?? []) await plane.run((tx) => deleteSpeaker(tx, id, null)).catch(() => null);
  speakerIds = [(await plane.addSpeaker('one')).id, (await plane.addSpeaker('two')).id];
  await plane.idle();
});

const apply = async (revisionId: string, ...ids: string[]): Promise<void> => {
  const job = await plane.apply(revisionId, ...(ids.length === 0 ? [] : [ids]));
  expect(await plane.ended(job)).toMatchObject({ state: 'succeeded' });
};
const periods = async (id: string) => (await plane.revision(id)).applied_periods;
/** As if the apply of the revision had ended that many seconds after all others at this speaker. */
const endsAfter = (speakerId: string, revisionId: string, seconds: number) =>
  plane.database.admin(
    `UPDATE speaker_apply
        SET finished_at = (SELECT max(finished_at) FROM speaker_apply WHERE revision_id = $2 AND speaker_id <> $1)
                          + make_interval(secs => $3)
      WHERE speaker_id = $1 AND revision_id = $2`,
    [speakerId, revisionId, seconds],
  );
const number = async (id: string) => (await plane.revision(id)).number;
/** When the speaker was moved, by the revision and its turn. */
async function moves(): Promise<string[]> {
  const rows = await plane.database.admin<{ at: Date }>(
    `SELECT finished_at AS at FROM speaker_apply
      WHERE speaker_id = $1 AND state = 'succeeded' AND revision_id IS NOT NULL ORDER BY sequence`,
    [speakerIds[0]],
  );
  return rows.map(({ at }) => at.toISOString());
}

test('a revision that is applied again has a period for each time, and the one in between ends', async () => {
  const [old, late] = [await module.nextRevision(), await module.nextRevision()];
  for (const id of [old, late, old]) await apply(id, speakerIds[0]!);
  const [first, second, third] = await moves();
  expect(await periods(old)).toEqual([
    { from: third, until: null },
    { from: first, until: second },
  ]);
  expect(await periods(late)).toEqual([{ from: second, until: third }]);
  expect(await plane.revision(old)).toMatchObject({ first_applied_at: first });
  // Once more the same ends nothing.
  await apply(old, speakerIds[0]!);
  expect((await periods(old))[0]).toEqual({ from: third, until: null });

  const back = (await plane.run((tx) => rollbackRevision(tx, plane.context, late))).resource;
  await apply(back.id, speakerIds[0]!);
  const left = (await moves()).at(-1);
  expect((await periods(old))[0]).toEqual({ from: third, until: left });
  expect(await periods(back.id)).toEqual([{ from: left, until: null }]);

  const prefix = `11.${module.size - 1}.0.0/24`;
  const { items } = await plane.run((tx) => readHistory(tx, { prefix }));
  const own = { speaker_id: speakerIds[0], speaker: 'one' };
  expect(items.map(({ revision, applied }) => ({ revision, applied }))).toEqual([
    {
      revision: await number(late),
      applied: [
        {
          ...own,
          revision_id: back.id,
          revision: back.number,
          applied_at: left,
          until: null,
          until_revision: null,
        },
        {
          ...{ ...own, revision_id: late, revision: await number(late), applied_at: second },
          ...{ until: third, until_revision: await number(old) },
        },
      ],
    },
  ]);
});

test('a prefix says at most five times of a speaker, the newest first', async () => {
  const [old, late] = [await module.nextRevision(), await module.nextRevision()];
  for (let turn = 0; turn < 6; turn++) for (const id of [late, old]) await apply(id, speakerIds[0]!);
  const { items } = await plane.run((tx) => readHistory(tx, { prefix: `11.${module.size - 1}.0.0/24` }));
  const at = await moves();
  expect(items[0]!.applied.map(({ applied_at: from, until }) => [from, until])).toEqual(
    [10, 8, 6, 4, 2].map((place) => [at[place], at[place + 1]]),
  );
  expect(await periods(late)).toHaveLength(6);
});

test('it lasts while any speaker has it, and overlapping times are one', async () => {
  const [old, late] = [await module.nextRevision(), await module.nextRevision()];
  await apply(old);
  await apply(late, speakerIds[1]!);
  expect(await periods(old)).toMatchObject([{ until: null }]);
  expect(await periods(late)).toMatchObject([{ until: null }]);
  await apply(old, speakerIds[1]!);
  expect(await periods(old)).toMatchObject([{ until: null }]);
  expect(await periods(late)).toMatchObject([{ until: expect.any(String) as string }]);
});

test.each([
  ['as the last', 1],
  ['together with it', 0],
])('a disabled speaker that took it %s keeps nothing open that another left', async (_, seconds) => {
  const [one, two] = speakerIds as [string, string];
  const [old, late] = [await module.nextRevision(), await module.nextRevision()];
  await apply(old);
  await endsAfter(two, old, seconds);
  await plane.run((tx) => changeSpeaker(tx, two, { enabled: false }, null));
  await plane.idle();
  await apply(late, one);
  expect(await periods(old)).toEqual([{ from: expect.any(String) as string, until: (await moves())[1] }]);
});

test('it lasts while a speaker has it that was neither the first nor the last to take it', async () => {
  const [first, last] = speakerIds as [string, string];
  const { id: middle } = await plane.addSpeaker('three');
  const [old, late] = [await module.nextRevision(), await module.nextRevision()];
  await apply(old);
  await endsAfter(middle, old, 1);
  await endsAfter(last, old, 1);
  await apply(late, first, last);
  expect(await plane.revision(old)).toMatchObject({
    applied_on: [{ speaker_id: middle }],
    applied_periods: [{ until: null }],
  });
  await plane.run((tx) => deleteSpeaker(tx, middle, null));
});

test('a disabled speaker keeps nothing open that another left, and a deleted one is left out', async () => {
  const [one, two] = speakerIds as [string, string];
  const [old, late] = [await module.nextRevision(), await module.nextRevision()];
  await apply(old);
  await plane.run((tx) => changeSpeaker(tx, two, { enabled: false }, null));
  await plane.idle();
  await apply(late, one);
  const [begun, left] = await moves();
  expect(await periods(old)).toEqual([{ from: expect.any(String) as string, until: left }]);
  expect(Date.parse((await periods(old))[0]!.from)).toBeLessThanOrEqual(Date.parse(begun!));
  expect((await plane.revision(old)).applied_on).toMatchObject([{ speaker_id: two }]);
  // Nobody else says when it ended.
  await plane.run((tx) => deleteSpeaker(tx, one, null));
  expect(await periods(old)).toMatchObject([{ until: null }]);
  expect(await periods(late)).toEqual([]);
});

test('an apply that was taken back counts for nothing, and what was pruned in between ends what it followed', async () => {
  const [one] = speakerIds as [string];
  const [old, late, last] = [
    await module.nextRevision(),
    await module.nextRevision(),
    await module.nextRevision(),
  ];
  for (const id of [old, late, last]) await apply(id, one);
  const [first, second, third] = await moves();
  await plane.database.admin("UPDATE speaker_apply SET state = 'undone' WHERE revision_id = $1", [late]);
  expect(await periods(old)).toEqual([{ from: first, until: third }]);
  expect(await periods(late)).toEqual([]);
  await plane.database.admin("UPDATE speaker_apply SET state = 'succeeded' WHERE revision_id = $1", [late]);
  expect(await periods(old)).toEqual([{ from: first, until: second }]);
  await plane.database.admin('DELETE FROM speaker_apply WHERE revision_id IN ($1, $2)', [late, last]);
  expect(await periods(old)).toMatchObject([{ from: first, until: (await plane.speaker(one)).applied_at }]);
  const page = await plane.run((tx) => listRevisions(tx, { limit: 3 }));
  expect(page.items.map(({ applied_periods }) => applied_periods.length)).toEqual([0, 0, 1]);
});

test('what is only built or planned from is read without them', async () => {
  const id = await module.nextRevision();
  await apply(id);
  const found = await Promise.all([
    plane.run(findLatestReadyRevision),
    plane.run((tx) => findAppliedRevision(tx)),
    plane.run((tx) => findRevision(tx, id)),
  ]);
  for (const revision of found) {
    expect(revision).toMatchObject({ id, state: 'ready' });
    expect(revision).not.toHaveProperty('applied_periods');
  }
});
