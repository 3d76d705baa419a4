/** Which lists stay in a revision as they were, by what a tenant has stored of them. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Finding } from '../../../src/api/revisions/revisions.ts';
import type { ModuleDraft, ShareDraft } from '../../../src/control/drafts/draft-module.ts';
import { Keeper, type Past } from '../../../src/control/drafts/keep-modules.ts';
import { stateHashOf, type ModuleState } from '../../../src/control/drafts/module-state.ts';
import { broughtBackFinding } from '../../../src/control/guards/guard-rollback.ts';
import type { HeldRow } from '../../../src/store/revisions/held-withdrawals.ts';
import type { ModuleInput } from '../../../src/store/revisions/revision-inputs.ts';
import type { RevisionInput } from '../../../src/store/revisions/revision-history.ts';
import { useTenant } from '../../tenant.ts';
import { inputOf } from './inputs.ts';
import { storeSnapshot, storeGroups } from './stored.ts';

const tenant = useTenant();
const RED = { id: 'red', community: '65000:1', title: 'red' };
const CARRIED = { communities: ['65000:1'], entryIds: 'a,b' };

/** What the latest ready revision has of the list. */
let ready: RevisionInput;
beforeAll(async () => {
  ready = inputOf({
    content_hash: await storeSnapshot(tenant, { a: [0, 10], b: [10, 10] }),
    policy_hash: await storeGroups(tenant, [{ communities: ['red'], entries: 'a,b' }]),
  });
});

/** The list as it would be. */
function draftOf(input: RevisionInput, groups = [CARRIED]): ModuleDraft {
  const { purpose, families } = input;
  const latest: ShareDraft = {
    ...{ key: 'latest', rows: 0, policy: { purpose, families, groups }, input },
    ...{ known: null, table: null, content: null, entries: null, groups: null },
  };
  const module = { id: input.module_id, name: 'list' } as ModuleInput;
  return {
    ...{ module, latest, accepted: null, changes: [], takenBack: null },
    ...{ isCorrected: false, isAsGivenBack: false },
  };
}

const stateOf = (input: RevisionInput, groups = [CARRIED]): ModuleState => ({
  ...{ input, entryIds: groups.map(({ entryIds }) => entryIds) },
});
const finding = (limit = 50): Finding => ({
  ...{ code: 'large_withdrawal', detail: 'Edits take it away.', module_id: 'list', entry_id: null },
  ...{ community: null, examples: [], measured: 90, limit },
});
const held = (other: Partial<HeldRow> = {}): HeldRow => ({
  ...{ module_id: 'list', name: 'list', hash: 'hash', state_hash: stateHashOf('list', 'disabled') },
  ...{ findings: [finding()], is_edited: false },
  ...other,
});

/** @param drafts of enabled modules; `list` is called so whether it is or not */
function keeperOf(
  past: Partial<Past> = {},
  drafts: readonly ModuleDraft[] = [],
  openId: string | null = null,
) {
  const whole: Past = {
    ...{ inputs: [ready], held: [], released: [], releasedInputs: new Map(), communities: [RED] },
    ...{ goneIds: [], limit: 50, names: new Map([['list', 'list']]) },
    ...past,
  };
  return new Keeper(drafts, whole, openId, (work) => tenant.run(work));
}

const SLIP = { moduleId: 'list', name: 'list', finding: finding() };
const keptBy = (keeper: Keeper) => keeper.decided.kept.map(({ id, share }) => [id, share?.input ?? null]);

describe('an edit that takes too much away', () => {
  test('leaves the list as the latest ready revision has it', async () => {
    const keeper = keeperOf();
    await keeper.keep([SLIP], [[ready]], []);
    expect(keptBy(keeper)).toEqual([['list', ready]]);
    expect(keeper.decided.kept[0]!.share).toMatchObject({ rows: 20, policy: { groups: [CARRIED] } });
    expect(keeper.held).toMatchObject([
      { module_id: 'list', findings: [finding()], state_hash: stateHashOf('list', 'disabled') },
    ]);
  });

  test('leaves it without entries that have left by themselves, and names no others', async () => {
    const keeper = keeperOf({ goneIds: ['b', 'of another list'] });
    await keeper.keep([SLIP], [[ready]], []);
    expect(keptBy(keeper)).toEqual([['list', { ...ready, left_out: ['b'] }]]);
    expect(keeper.decided.kept[0]!.share!.policy.groups).toEqual([{ ...CARRIED, entryIds: 'a' }]);
  });

  test.each<[string, Partial<Past>, (input: RevisionInput) => RevisionInput]>([
    ['a community of it is gone', { communities: [] }, (input) => input],
    ['nobody knows what it carried', {}, (input) => ({ ...input, policy_hash: null })],
    ['what it carried is not stored', {}, (input) => ({ ...input, policy_hash: 'ab'.repeat(32) })],
  ])('cannot, where %s', async (_what, past, of) => {
    const keeper = keeperOf({ ...past, inputs: [of(ready)] });
    await keeper.keep([SLIP], [[of(ready)]], []);
    expect(keptBy(keeper)).toEqual([]);
    expect(keeper.wayOf('list', ready, null)).toBeNull();
  });

  test('of an exclusion needs no community', async () => {
    const excluding = { ...ready, purpose: 'exclude' as const };
    const keeper = keeperOf({ communities: [], inputs: [excluding] });
    await keeper.keep([SLIP], [[excluding]], []);
    expect(keptBy(keeper)).toEqual([['list', excluding]]);
  });

  test('of a new exclusion keeps that away', async () => {
    const keeper = keeperOf({ inputs: [] });
    await keeper.keep([SLIP], [[]], [ready]);
    expect(keptBy(keeper)).toEqual([['list', null]]);
  });

  test('goes on with what it was held for first', async () => {
    const first = finding(55);
    const keeper = keeperOf({ held: [held({ findings: [first] })] });
    await keeper.keep([SLIP], [[ready]], []);
    expect(keeper.held).toMatchObject([{ findings: [first] }]);
  });
});

describe('what may be done about a list', () => {
  const way = (past: Partial<Past>, next: RevisionInput | null = null, drafts: readonly ModuleDraft[] = []) =>
    keeperOf(past, drafts).wayOf('list', ready, next);

  test('it may stay as it was', () => expect(way({})).toBe('holdable'));
  test('it stays held', () => expect(way({ held: [held()] })).toBe('held'));

  test('it has not changed since', () => {
    expect(way({}, ready)).toBeNull();
  });

  test('nobody knows what it carried', () => {
    expect(way({ inputs: [{ ...ready, policy_hash: null }] })).toBeNull();
  });

  test('it left before, and only a speaker has it still', () => {
    expect(way({ inputs: [] })).toBeNull();
    expect(keeperOf({ inputs: [] }).wayOf('list', null, ready)).toBe('holdable');
  });

  test('it was held for a state that it is not in any more', () => {
    expect(way({ held: [held()], names: new Map() })).toBe('holdable');
  });

  test('it was held for more than would hold it now', () => {
    expect(way({ held: [held()], limit: 60 })).toBe('holdable');
    expect(way({ held: [held()], limit: 40 })).toBe('held');
  });

  test('it was let through as it is, and not as it was before', () => {
    const released = (state_hash: string) => [{ module_id: 'list', state_hash, revision_id: null }];
    expect(way({ released: released(stateHashOf('list', 'disabled')), held: [held()] })).toBe('released');
    expect(way({ released: released(stateHashOf('list', 'gone')) })).toBe('holdable');
  });
});

describe('lists that stay held where nothing shows what they would take away', () => {
  test('are those that are held in the state that they are in', () => {
    expect(keeperOf({ held: [held()] }).boundSlips).toEqual([SLIP]);
    expect(keeperOf({ held: [held()] }).isBound).toBe(true);
    expect(keeperOf({ held: [held()], names: new Map() }).boundSlips).toEqual([]);
    expect(keeperOf({ held: [held()], names: new Map() }).isBound).toBe(false);
  });

  test('and not the one that is open, nor those that are decided', async () => {
    expect(keeperOf({ held: [held()] }, [], 'list').boundSlips).toEqual([]);
    const keeper = keeperOf({ held: [held()] });
    await keeper.keep([SLIP], [[ready]], []);
    expect(keeper.boundSlips).toEqual([]);
  });
});

describe('what a rollback brought back', () => {
  const broughtBack = (other: Partial<HeldRow> = {}): HeldRow =>
    held({ findings: [broughtBackFinding({ id: 'list', name: 'list' }, 'was deleted')], ...other });
  /** The list as an operator has left it: without the entry b. */
  const edited = () => inputOf({ ...ready, entries_hash: 'others' });
  const EDITED = [{ ...CARRIED, entryIds: 'a' }];

  async function after(
    past: Partial<Past>,
    drafts: readonly ModuleDraft[] = [],
    openId: string | null = null,
  ) {
    const keeper = keeperOf(past, drafts, openId);
    await keeper.keepBroughtBack();
    return keeper;
  }

  test('stays', async () => {
    expect(keptBy(await after({ held: [broughtBack()] }))).toEqual([['list', ready]]);
  });

  test('stays although sources bring something else, until somebody edits the list', async () => {
    const drafts = [draftOf(edited(), EDITED)];
    expect(keptBy(await after({ held: [broughtBack()] }, drafts))).toEqual([['list', ready]]);
    expect(keptBy(await after({ held: [broughtBack({ is_edited: true })] }, drafts))).toEqual([]);
  });

  test('stays in no build that is to show what comes without it', async () => {
    expect(keptBy(await after({ held: [broughtBack()] }, [], 'list'))).toEqual([]);
  });

  test('goes once somebody has let that through', async () => {
    const state_hash = stateHashOf('list', 'disabled');
    const released = [{ module_id: 'list', state_hash, revision_id: null }];
    expect(keptBy(await after({ held: [broughtBack()], released }))).toEqual([]);
  });

  test('holds the revision where it cannot stay', async () => {
    const keeper = await after({ held: [broughtBack()], communities: [] });
    expect(keptBy(keeper)).toEqual([]);
    expect(keeper.findings).toMatchObject([{ code: 'rolled_back', module_id: 'list' }]);
    expect(keeper.held).toMatchObject([{ module_id: 'list', findings: [{ code: 'rolled_back' }] }]);
  });

  describe('is nothing any more once all that the list lacks has left by itself', () => {
    const goneIds = ['b'];
    const after2 = async (groups: typeof EDITED, other: Partial<RevisionInput> = {}, gone = goneIds) =>
      keptBy(
        await after({ held: [broughtBack()], goneIds: gone }, [draftOf({ ...edited(), ...other }, groups)]),
      ).length;

    test('and nothing else differs', async () => expect(await after2(EDITED)).toBe(0));
    test('but for an entry that is there no more', async () =>
      expect(await after2([{ ...CARRIED, entryIds: 'c' }])).toBe(1));
    test('but for what it carries', async () =>
      expect(await after2([{ communities: ['65000:2'], entryIds: 'a' }])).toBe(1));
    test('but for its families', async () => expect(await after2(EDITED, { families: ['ipv4'] })).toBe(1));
    test('and something has', async () => expect(await after2(EDITED, {}, [])).toBe(1));

    test('or all of it, of a list that is gone', async () => {
      const rows = [broughtBack({ state_hash: stateHashOf('list', 'disabled') })];
      expect(keptBy(await after({ held: rows, goneIds: ['a', 'b'] }))).toEqual([]);
      expect(keptBy(await after({ held: rows, goneIds: ['a'] }))).toHaveLength(1);
    });
  });
});

test('the list that is open is compared with what it was', async () => {
  expect((await keeperOf({}, [], 'list').shareOfOpen())?.input).toEqual(ready);
  expect(await keeperOf({ inputs: [] }, [], 'list').shareOfOpen()).toBeNull();
});

test('what somebody let through of a list that was edited since is known by its revision', () => {
  const released = [{ module_id: 'list', state_hash: stateHashOf('list', stateOf(ready)), revision_id: 'r' }];
  const past = { released, releasedInputs: new Map([['list', ready]]) };
  expect(keeperOf(past).releasedOf('list')).toEqual(ready);
  expect(keeperOf(past).releasedIds).toEqual(['list']);
  // As it is let through: there is nothing to compare.
  expect(keeperOf(past, [draftOf(ready)]).releasedOf('list')).toBeUndefined();
  expect(keeperOf({ released }).releasedIds).toEqual([]);
});
