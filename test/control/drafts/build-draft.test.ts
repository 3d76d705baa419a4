/** A revision of what was read for it: which lists stay as they were, and what it is held for as a whole. */
import { beforeAll, expect, test } from 'vitest';
import { type BuiltDraft, buildDraft } from '../../../src/control/drafts/build-draft.ts';
import type { ModuleDraft, ShareDraft } from '../../../src/control/drafts/draft-module.ts';
import { createModule } from '../../../src/control/lists/modules.ts';
import type { RevisionDraft } from '../../../src/control/drafts/revision-draft.ts';
import { stateHashOf } from '../../../src/control/drafts/module-state.ts';
import { broughtBackFinding } from '../../../src/control/guards/guard-rollback.ts';
import type { Guardrails } from '../../../src/control/guards/guardrails.ts';
import { storedAs } from '../../../src/core/stored/stored-table.ts';
import { encodeTable } from '../../../src/core/stored/table-codec.ts';
import { decodeStoredTable } from '../../../src/core/stored/stored-table.ts';
import { OPEN_POLICY } from '../../../src/policy/policy-guardrail.ts';
import { type StoredContent, storeTable } from '../../../src/store/contents/contents.ts';
import { storeEntries } from '../../../src/store/modules/snapshots.ts';
import { deleteModule } from '../../../src/store/modules/modules.ts';
import { useTenant } from '../../tenant.ts';
import { guardrailsOf } from '../guards/guardrails.ts';
import { draftOf, ENTRY, shareOf } from './shares.ts';
import { storeGroups } from './stored.ts';

const tenant = useTenant();
const RED = { id: 'red', community: '65000:1', title: 'red' };
const [LIST, OTHER, HUGE] = ['1', '2', '3'].map((n) => `00000000-0000-4000-9000-00000000000${n}`) as [
  ...[string, string, string],
];
const NAMES = new Map([LIST, OTHER, HUGE].map((id, n) => [id, ['list', 'other', 'huge'][n]!]));

/** Contents of snapshots and revisions, by their hash. */
const contents = new Map<string, StoredContent>();
let policyHash: string;
beforeAll(async () => {
  policyHash = await storeGroups(tenant, [{ communities: ['red'], entries: ENTRY }]);
});

/** `count` /24s from this place on, as a written list has them; stored, as snapshots are. */
async function listOf(id: string, from: number, count: number): Promise<ShareDraft> {
  const prefixes = Array.from({ length: count }, (_, i) => {
    const at = (from + i) * 2;
    return `45.${at >> 8}.${at & 255}.0/24`;
  });
  const share = shareOf(prefixes, {
    module_id: id,
    name: NAMES.get(id) ?? null,
    entries_hash: null,
    policy_hash: policyHash,
  });
  const { stored, prefixCount } = share.content!;
  contents.set(share.input.content_hash, share.content!);
  await tenant.run((tx) => storeTable(tx, encodeTable(decodeStoredTable(stored)), prefixCount));
  return share;
}

interface Standing {
  /** The latest that is ready. */
  readonly before?: BuiltDraft;
  /** What speakers run: that by default; null: nothing. */
  readonly running?: BuiltDraft | null;
  readonly guardrails?: Partial<Guardrails>;
  /** Modules that are held. */
  readonly held?: BuiltDraft['withdrawals'];
  readonly openId?: string;
  readonly names?: ReadonlyMap<string, string>;
  readonly communities?: readonly (typeof RED)[];
}

const standing = ({ content, used }: BuiltDraft) => ({
  ...{ id: content.contentHash, content_hash: content.contentHash, inputs: used },
});

async function build(
  lists: readonly ModuleDraft[],
  { before, running, guardrails = {}, held = [], openId, names = NAMES, communities = [RED] }: Standing = {},
): Promise<BuiltDraft> {
  const revision = before === undefined ? null : standing(before);
  const applied = running === undefined ? revision : running && standing(running);
  const draft: RevisionDraft = {
    inputs: {
      ...{ modules: lists.map(({ module }) => module), entries: [], staleIds: [], communities },
      ...{ defaultCommunityId: null, heldSnapshots: [] },
      withdrawals: { held: held.map((one) => ({ ...one, is_edited: false })), released: [] },
    },
    ...{ modules: lists, names, latest: revision },
    parent: revision && contents.get(revision.content_hash)!,
    against: {
      guardrails: guardrailsOf(guardrails),
      applied: applied === null ? [] : [applied],
    },
  };
  const read = (hash: string) => Promise.resolve(contents.get(hash)!);
  const built = await buildDraft(
    draft,
    { read, inTenant: (work) => tenant.run(work) },
    undefined,
    openId ?? null,
  );
  const { encoded, contentHash, prefixCount } = built.content;
  const stored = storedAs(encoded, built.parent?.stored ?? null);
  contents.set(contentHash, { stored, prefixCount });
  return built;
}

const rows = ({ content }: BuiltDraft): number => content.prefixCount.ipv4;
const codes = (findings: BuiltDraft['findings']) => findings.map(({ code, module_id: id }) => [code, id]);
const heldIds = ({ withdrawals }: BuiltDraft) => withdrawals.map(({ module_id: id }) => id);

test('a list that a slip would empty stays as it was, and the others go on', async () => {
  const [list, other] = [await listOf(LIST, 0, 200), await listOf(OTHER, 300, 5)];
  const before = await build([draftOf(list)]);
  expect([rows(before), before.withdrawals, before.findings]).toEqual([200, [], []]);
  const built = await build([draftOf(other)], { before });
  expect(rows(built)).toBe(205);
  expect(heldIds(built)).toEqual([LIST]);
  expect(codes(built.withdrawals[0]!.findings)).toEqual([['large_withdrawal', LIST]]);
  expect(built.used).toContainEqual(list.input);
  expect(built.findings).toEqual([]);
});

test('where guardrails hold whole revisions, it goes, and the revision is held for that', async () => {
  const before = await build([draftOf(await listOf(LIST, 0, 200))]);
  const built = await build([], { before, guardrails: { scope: 'revision' } });
  expect([rows(built), heldIds(built)]).toEqual([0, []]);
  expect(codes(built.findings)).toEqual([['large_withdrawal', LIST]]);
});

test('a list that was deleted is called what it was called then', async () => {
  const id = await tenant.run(async (tx) => {
    const { resource } = await createModule(tx, { name: 'customers', type: 'IP_RANGES' });
    await deleteModule(tx, resource.id, null);
    return resource.id;
  });
  const before = await build([draftOf(await listOf(id, 0, 200))]);
  const { findings } = await build([], { before, guardrails: { scope: 'revision' }, names: new Map() });
  expect(findings[0]!.detail).toContain('Most of it came from the module customers.');
});

test('a list that is open goes, and is reported with what it was', async () => {
  const list = await listOf(LIST, 0, 200);
  const before = await build([draftOf(list)]);
  const built = await build([], { before, openId: LIST });
  expect([rows(built), heldIds(built)]).toEqual([0, []]);
  expect(codes(built.findings)).toEqual([['large_withdrawal', LIST]]);
  expect(built.open).toMatchObject({ before: { input: list.input }, shares: [] });
});

test('one that is held stays so while no speaker runs anything, or others announce much more', async () => {
  const list = await listOf(LIST, 0, 200);
  const before = await build([draftOf(list)]);
  const { withdrawals: held } = await build([], { before });
  const alone = await build([], { before, held, running: null });
  expect([rows(alone), heldIds(alone)]).toEqual([200, [LIST]]);
  const huge = draftOf(await listOf(HUGE, 1_000, 900));
  const more = await build([huge], { before, held });
  const beside = await build([huge], { before: more, held });
  expect([rows(beside), heldIds(beside)]).toEqual([1_100, [LIST]]);
});

test('what is ready already is judged no more: a rollback is meant, however much it withdraws', async () => {
  const running = await build([draftOf(await listOf(LIST, 0, 200))]);
  const other = draftOf(await listOf(OTHER, 300, 5));
  const before = await build([other]);
  const built = await build([other], { before, running });
  expect([rows(built), heldIds(built), built.findings]).toEqual([5, [], []]);
  const next = await build([draftOf(await listOf(OTHER, 300, 6))], { before, running });
  expect(codes(next.findings)).toEqual([['large_withdrawal', LIST]]);
});

test('what a tightened policy takes away is no slip, however much it is', async () => {
  const list = draftOf(await listOf(LIST, 0, 200), await listOf(LIST, 0, 200));
  const before = await build([list]);
  const policy = { ...OPEN_POLICY, prefixes: ['45.0.0.0/24'] };
  const built = await build([list], { before, guardrails: { policy } });
  expect([rows(built), heldIds(built), built.findings]).toEqual([1, [], []]);
  expect(built.held.flatMap(({ findings }) => codes(findings))).toEqual([['tenant_policy', LIST]]);
});

test('what is left of what a rollback took back is written down, where something of it has left', async () => {
  const list = await listOf(LIST, 0, 10);
  const drafted = (rolled_back_hash: string, takenBack: string | null): ModuleDraft => {
    const draft = draftOf(list, list, { takenBack });
    return { ...draft, module: { ...draft.module, rolled_back_hash } };
  };
  expect((await build([drafted('taken', 'taken')])).leftOvers).toEqual([]);
  expect((await build([drafted('taken', null)])).leftOvers).toEqual([]);
  expect((await build([drafted('taken', 'left')])).leftOvers).toEqual([
    { module_id: LIST, content_hash: 'left' },
  ]);
});

test('a source that is switched off is an edit, and one that has lost its routes by itself is none', async () => {
  const entries_hash = await tenant.run((tx) => storeEntries(tx, `${ENTRY} 1`));
  const withList = (share: ShareDraft, other: Partial<ShareDraft['input']> = {}): ShareDraft => ({
    ...share,
    input: { ...share.input, entries_hash, ...other },
  });
  const list = withList(await listOf(LIST, 0, 200));
  const before = await build([draftOf(list)]);
  const off = withList(list, { left_out: [ENTRY] });
  const switched = { ...off, key: 'off', policy: { ...off.policy, groups: [] } };
  expect(heldIds(await build([draftOf(switched)], { before }))).toEqual([LIST]);
  const nothing = withList(await listOf(LIST, 0, 0), { left_out: [ENTRY] });
  expect(heldIds(await build([draftOf(nothing)], { before }))).toEqual([LIST]);
  const emptied = await build([draftOf(withList(await listOf(LIST, 0, 0)))], { before });
  expect([rows(emptied), heldIds(emptied)]).toEqual([0, []]);
});

test('what a rollback brought back and cannot stay holds the revision, where lists are held', async () => {
  const before = await build([draftOf(await listOf(LIST, 0, 5))]);
  const module = { id: LIST, name: 'list' };
  const findings = [broughtBackFinding(module, 'was disabled')];
  const held = [
    { ...{ module_id: LIST, name: 'list', hash: '', findings }, state_hash: stateHashOf(LIST, 'disabled') },
  ];
  const stays = await build([], { before, held });
  expect([rows(stays), heldIds(stays), stays.findings]).toEqual([5, [LIST], []]);
  const stuck = await build([], { before, held, communities: [] });
  expect([rows(stuck), codes(stuck.findings)]).toEqual([0, [['rolled_back', LIST]]]);
  const whole = await build([], { before, held, guardrails: { scope: 'revision' } });
  expect([rows(whole), heldIds(whole), whole.findings]).toEqual([0, [], []]);
});
