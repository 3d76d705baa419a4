import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { Slices } from '../../concurrency/slices.ts';
import type { Finding } from '../../api/revisions/revisions.ts';
import { type IdTable, findLists, idAt } from '../../core/stored/id-table.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import type { StoredGroup } from '../../store/columns/column-shapes.ts';
import type { StoredContent } from '../../store/contents/contents.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { type RevisionInput, readEntryLists } from '../../store/revisions/revision-history.ts';
import type { AcceptedInput, ModuleInput, SnapshotInput } from '../../store/revisions/revision-inputs.ts';
import {
  type ChangeToMeasure,
  type NextContent,
  draftChange,
  draftReturn,
  entriesOf,
  mayHaveChanged,
} from './guard-revision.ts';
import { hashOfGroups } from '../../store/revisions/module-policies.ts';
import type { Contributed, ModulePolicy } from '../tables/build-revision.ts';
import { ContributionCache } from '../tables/contribution-cache.ts';
import type { Snapshot } from '../tables/encoded-content.ts';
import type { InTenant } from '../in-tenant.ts';
import { idTables } from '../tables/id-tables.ts';
import { storedCache } from '../tables/stored-cache.ts';
import { tableCache } from '../tables/table-cache.ts';
import { withoutLargest } from './kept-policy.ts';
import { isAsGivenBack, isCorrected, takenBackHash } from './taken-back.ts';

/** A snapshot that is not stored yet. Its table is handed over to whoever builds with it. */
export interface UnstoredSnapshot extends Snapshot, NextContent {}

/** A module as the next revision may have it, with the bytes that judging and building need. */
export interface ModuleDraft {
  readonly module: ModuleInput;
  /** What was collected last. */
  readonly latest: ShareDraft;
  /** What stays in the revision when that is held; null: nothing was accepted yet. */
  readonly accepted: AcceptedDraft | null;
  /** How much changed by itself in between, and of entries since they were switched off while the module was held. */
  readonly changes: readonly ChangeDraft[];
  /** The content that a rollback took back, or what is left of it since entries have left by themselves; null: none. */
  readonly takenBack: string | null;
  /** Whether somebody has disabled or deleted entries of what a rollback took back since. */
  readonly isCorrected: boolean;
  /** Whether what a rollback gave back in place of that has left by itself since, but for what the module has. */
  readonly isAsGivenBack: boolean;
}

/** What was accepted of a module last. A module is seldom held, and what it would contribute then costs as much to find as what it contributes. */
export interface AcceptedDraft {
  readonly contentHash: string;
  readonly rows: number;
  /** Made once, when it is asked for. It is the latest share itself where nothing differs. */
  share(inTenant: InTenant): Promise<ShareDraft>;
}

/** What a module would contribute. */
export interface ShareDraft {
  /** Names all that the contribution follows from. */
  readonly key: string;
  readonly rows: number;
  readonly policy: ModulePolicy;
  readonly input: RevisionInput;
  readonly known: Contributed | null;
  readonly table: PrefixTable | IdTable | null;
  readonly content: StoredContent | null;
  /** Where the snapshot is not stored yet: its list of entries. */
  readonly entries: string | null;
  /** What `policy_hash` of the input names; null: it is stored. */
  readonly groups: readonly StoredGroup[] | null;
}

export interface ChangeDraft {
  readonly key: string;
  readonly known: readonly Finding[] | null;
  readonly toMeasure: ChangeToMeasure | null;
}

/** About fifty million IPv4 prefixes. */
export const contributionCache = new ContributionCache(256 * 1024 * 1024);
/** What the guardrail about changes said of two snapshots. */
export const changeVerdicts = new LRUCache<string, readonly Finding[]>({ max: 10_000 });
/** Entries of a snapshot that do not count, by its list of entries and those that are enabled. */
const leftOutLists = new LRUCache<string, readonly string[]>({ max: 10_000 });

/** What an operator has made of the module: what it does with its snapshot, and the communities behind that. */
export interface Configured {
  readonly policy: ModulePolicy;
  readonly groups: readonly StoredGroup[];
}

/** What is alike for whatever is drafted of a module. */
export interface Drafting {
  /** The snapshot that the module is about to have; null: it has the one that is stored. */
  readonly own: UnstoredSnapshot | null;
  readonly maxChangePercent: number;
  /** Entries that have left by themselves. */
  readonly goneIds: readonly string[];
}

export async function draftModule(
  tx: TenantTx,
  module: ModuleInput,
  configured: Configured,
  drafting: Drafting,
): Promise<ModuleDraft> {
  const { own, goneIds } = drafting;
  const table = own?.table ?? null;
  const takenBack = await takenBackHash(tx, module, table, goneIds);
  const { policy, groups } = configured;
  const most = withoutLargest(groups);
  const notCounted = await notCountedOf(tx, module, policy, own);
  const latest = await draftShare(tx, module, module, { policy, groups: most, leftOut: notCounted }, own);
  const accepted =
    module.accepted === null ? null : draftAccepted(module, module.accepted, configured, latest);
  const change = accepted === null ? null : await draftVerdict(tx, module, accepted, latest, drafting);
  const returns = await draftReturns(tx, module, latest, drafting);
  const back = { taken: takenBack, notCounted, goneIds };
  return {
    module,
    latest,
    accepted,
    changes: [...(change === null ? [] : [change]), ...returns],
    takenBack,
    isCorrected: own === null && (await isCorrected(tx, module, back)),
    isAsGivenBack: await isAsGivenBack(tx, module, back, table),
  };
}

function draftAccepted(
  module: ModuleInput,
  accepted: AcceptedInput,
  configured: Configured,
  latest: ShareDraft,
): AcceptedDraft {
  let share: Promise<ShareDraft> | null = null;
  return {
    contentHash: accepted.content_hash,
    rows: rowsOf(accepted),
    share: (inTenant) =>
      (share ??= inTenant((tx) => shareOfAccepted(tx, module, accepted, configured, latest))),
  };
}

async function shareOfAccepted(
  tx: TenantTx,
  module: ModuleInput,
  accepted: AcceptedInput,
  { policy, groups }: Configured,
  latest: ShareDraft,
): Promise<ShareDraft> {
  const rest = withoutEntries(policy, accepted.left_out);
  const isSame =
    accepted.content_hash === latest.input.content_hash && keyOf(rest, accepted.content_hash) === latest.key;
  if (isSame) return latest;
  // Its table may hold entries that have gone since, and so all that count are named.
  const leftOut = new Set([...accepted.left_out, ...(await notCountedOf(tx, accepted, policy, null))]);
  return draftShare(tx, module, accepted, { policy: rest, groups, leftOut: [...leftOut].sort() }, null);
}

function rowsOf({ prefix_count: { ipv4, ipv6 } }: SnapshotInput): number {
  return ipv4 + ipv6;
}

async function draftShare(
  tx: TenantTx,
  { id, name, purpose, families, released }: ModuleInput,
  snapshot: SnapshotInput,
  { policy, groups, leftOut }: Configured & { readonly leftOut: readonly string[] },
  own: UnstoredSnapshot | null,
): Promise<ShareDraft> {
  const { content_hash, entries_hash } = snapshot;
  const key = keyOf(policy, content_hash);
  const known = contributionCache.get(key) ?? null;
  const codes = released?.content_hash === content_hash ? released.codes : [];
  return {
    key,
    rows: rowsOf(snapshot),
    policy,
    input: {
      ...{ module_id: id, name, purpose, families, content_hash, entries_hash },
      ...{ left_out: leftOut, released: codes, policy_hash: hashOfGroups(groups) },
    },
    known,
    table: known === null ? (own?.table ?? idTables.get(content_hash) ?? null) : null,
    content: own?.content ?? (known === null ? await storedCache.load(tx, content_hash) : null),
    entries: own?.entries ?? null,
    groups,
  };
}

async function draftVerdict(
  tx: TenantTx,
  module: ModuleInput,
  accepted: AcceptedDraft,
  { input: after }: ShareDraft,
  { own, maxChangePercent }: Drafting,
): Promise<ChangeDraft | null> {
  if (!mayHaveChanged(module.accepted!, after)) return null;
  const { input: before } = await accepted.share((work) => work(tx));
  const key = hash('sha256', JSON.stringify([module.name, before, after, maxChangePercent]));
  const known = changeVerdicts.get(key) ?? null;
  return { key, known, toMeasure: known === null ? await draftChange(tx, module, before, after, own) : null };
}

/** Of entries that count again: since when they were switched off, they are measured from what was accepted of them then. */
async function draftReturns(
  tx: TenantTx,
  module: ModuleInput,
  { input }: ShareDraft,
  { own, maxChangePercent }: Drafting,
): Promise<ChangeDraft[]> {
  if (module.held_entries.length === 0) return [];
  const now = new Set((await entriesOf(tx, input, own?.entries ?? null)).split(','));
  const back = module.held_entries.filter(({ entry }) => now.has(entry));
  const drafts: ChangeDraft[] = [];
  for (const [before, some] of Map.groupBy(back, ({ content_hash }) => content_hash)) {
    if (before === input.content_hash) continue;
    const entries = some.map(({ entry }) => entry).join(',');
    const key = hash(
      'sha256',
      JSON.stringify([module.name, before, entries, input.content_hash, input.families, maxChangePercent]),
    );
    const known = changeVerdicts.get(key) ?? null;
    const toMeasure =
      known === null ? await draftReturn(tx, module, { before, after: input, entries }, own) : null;
    drafts.push({ key, known, toMeasure });
  }
  return drafts;
}

/** What a module contributes follows from these two. */
export function keyOf(policy: ModulePolicy, contentHash: string): string {
  const groups = policy.groups.map(({ communities, entryIds }) => ({
    communities,
    ids: hashOfIds(entryIds),
  }));
  return `${contentHash} ${hash('sha256', JSON.stringify({ ...policy, groups }))}`;
}

/** The ids of a large module have many megabytes, and are asked for several times while a revision is built. */
const MANY_CHARACTERS = 64 * 1024;
const MOST_CHARACTERS = 16 * 1024 * 1024;
const idHashes: { readonly text: string; readonly hash: string }[] = [];
const MOST_HASHES = 2;

function hashOfIds(text: string): string {
  if (text.length < MANY_CHARACTERS || text.length > MOST_CHARACTERS) return hash('sha256', text);
  const known = idHashes.find((one) => one.text === text);
  if (known !== undefined) return known.hash;
  const made = { text, hash: hash('sha256', text) };
  idHashes.unshift(made);
  idHashes.splice(MOST_HASHES);
  return made.hash;
}

/** All entries that the snapshot holds although they are disabled or gone. */
function notCountedOf(
  tx: TenantTx,
  snapshot: SnapshotInput,
  policy: ModulePolicy,
  own: UnstoredSnapshot | null,
): Promise<readonly string[]> {
  return snapshot.entries_hash === null
    ? rangesLeftOutOf(tx, snapshot, policy, own)
    : leftOutOf(tx, snapshot, policy, own);
}

/** The entries that the snapshot holds although they are disabled or gone. Ranges are nothing that is read from somewhere. */
async function leftOutOf(
  tx: TenantTx,
  { entries_hash: entriesHash }: Pick<SnapshotInput, 'entries_hash'>,
  policy: ModulePolicy,
  own: UnstoredSnapshot | null,
): Promise<readonly string[]> {
  if (entriesHash === null) return [];
  const enabled = policy.groups.map(({ entryIds }) => entryIds).join(',');
  const key = `${tx.tenantId} ${entriesHash} ${hashOfIds(enabled)}`;
  const known = leftOutLists.get(key);
  if (known !== undefined) return known;
  const list = own?.entries ?? (await readEntryLists(tx, [entriesHash])).get(entriesHash) ?? '';
  const counted = new Set(enabled.split(','));
  const ids = list.split(',').map((entry) => entry.slice(0, entry.indexOf(' ')));
  const leftOut = ids.filter((id) => id !== '' && !counted.has(id));
  leftOutLists.set(key, leftOut);
  return leftOut;
}

/**
 * Ranges that the snapshot holds although they are disabled or gone: the module is not collected for what leaves it, and a revision has to
 * say which of them it lacked.
 */
async function rangesLeftOutOf(
  tx: TenantTx,
  { content_hash: contentHash }: Pick<SnapshotInput, 'content_hash'>,
  policy: ModulePolicy,
  own: UnstoredSnapshot | null,
): Promise<readonly string[]> {
  const enabled = policy.groups.map(({ entryIds }) => entryIds).join(',');
  const key = `${tx.tenantId} ${contentHash} ${hashOfIds(enabled)}`;
  const known = leftOutLists.get(key);
  if (known !== undefined) return known;
  const table = own?.table ?? idTables.get(contentHash) ?? (await tableCache.load(tx, contentHash));
  const leftOut = 'ids' in table ? await idsLeftOut(table, policy) : labelsLeftOut(table, enabled);
  leftOutLists.set(key, leftOut);
  return leftOut;
}

function labelsLeftOut({ labelSets }: PrefixTable, enabled: string): string[] {
  const counted = new Set(enabled.split(','));
  return [...new Set(labelSets.flat().filter((id) => !counted.has(id)))].sort();
}

/** Ids between two looks at the clock. */
const LOOK = 1_024;

async function idsLeftOut(table: IdTable, { groups }: ModulePolicy): Promise<string[]> {
  const work = findLists(
    table,
    groups.map(({ entryIds }) => entryIds),
  );
  const slices = new Slices();
  let step = work.next();
  for (; step.done !== true; step = work.next()) await slices.pause();
  const listOf = step.value;
  const leftOut: string[] = [];
  for (let place = listOf.indexOf(-1); place >= 0; place = listOf.indexOf(-1, place + 1)) {
    leftOut.push(idAt(table.ids, place));
    if (leftOut.length % LOOK === 0) await slices.pause();
  }
  return leftOut;
}

function withoutEntries(policy: ModulePolicy, leftOut: readonly string[]): ModulePolicy {
  if (leftOut.length === 0) return policy;
  const gone = new Set(leftOut);
  const groups = policy.groups.map(({ communities, entryIds }) => ({
    communities,
    entryIds: entryIds
      .split(',')
      .filter((id) => !gone.has(id))
      .join(','),
  }));
  return { ...policy, groups: groups.filter(({ entryIds }) => entryIds !== '') };
}
