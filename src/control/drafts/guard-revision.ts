import { ENTRY_KINDS, type ModuleType } from '../../api/entries/entry-kinds.ts';
import type { Finding } from '../../api/revisions/revisions.ts';
import type { StoredContent } from '../../store/contents/contents.ts';
import type { TenantTx } from '../../store/database/database.ts';
import {
  type RevisionInput,
  type UsedSnapshot,
  readEntryLists,
} from '../../store/revisions/revision-history.ts';
import type { GuardrailFacts } from '../../store/revisions/guardrail-facts.ts';
import { type StandingRevision, readStandingRevisions } from '../../store/revisions/standing-revisions.ts';
import { type ChangedModule, judgeChange } from '../guards/guard-change.ts';
import { type Guardrails, readGuardrails } from '../guards/guardrails.ts';
import { storedCache } from '../tables/stored-cache.ts';
import type { ChangeTask } from '../tables/table-tasks.ts';
import { measureSnapshots } from '../tables/table-threads.ts';

/** All that the findings of a revision depend on beside what it is built from. */
export interface Against {
  readonly guardrails: Guardrails;
  /** What speakers run: each content once. */
  readonly applied: readonly AppliedContent[];
}

export interface AppliedContent {
  readonly content_hash: string;
  /** What it was built from. */
  readonly inputs: readonly RevisionInput[];
}

export async function readAgainst(tx: TenantTx): Promise<Against> {
  return (await readStanding(tx)).against;
}

/** {@link readAgainst}, and the latest revision that is ready. @param facts where they were read before in this transaction */
export async function readStanding(
  tx: TenantTx,
  facts?: GuardrailFacts,
): Promise<{ readonly against: Against; readonly latest: StandingRevision | null }> {
  const { running, latest } = await readStandingRevisions(tx);
  const applied = running.map(({ content_hash, inputs }) => ({ content_hash, inputs }));
  return { against: { guardrails: await readGuardrails(tx, undefined, facts), applied }, latest };
}

/** A module whose change is measured. */
export interface ModuleToMeasure extends ChangedModule {
  readonly type: ModuleType;
}

/** Two snapshots of a module to compare, with the bytes of both. */
export interface ChangeToMeasure extends Pick<ChangeTask, 'entries' | 'families'> {
  readonly module: ModuleToMeasure;
  readonly before: StoredContent;
  readonly after: StoredContent;
}

/** A snapshot that is not stored yet. */
export interface NextContent {
  readonly moduleId: string;
  readonly content: StoredContent;
  readonly entries: string | null;
}

/**
 * What has to be measured to know how much a module changed by itself between two snapshots; null: nothing can have. Each remembers
 * the versions of its entries and which of them count, so this is known exactly, whatever was refreshed or edited since.
 */
export async function draftChange(
  tx: TenantTx,
  module: ModuleToMeasure,
  before: UsedSnapshot,
  after: RevisionInput,
  next: NextContent | null = null,
): Promise<ChangeToMeasure | null> {
  if (!mayHaveChanged(before, after)) return null;
  return {
    module,
    families: after.families,
    before: await storedCache.load(tx, before.content_hash),
    after: next?.content ?? (await storedCache.load(tx, after.content_hash)),
    entries: await readEntries(tx, before, after, next?.entries ?? null),
  };
}

/**
 * What has to be measured to know how much entries changed while they were switched off.
 * @param entries of what was accepted before that and of the latest, in the same versions: `id version,id version…`
 */
export async function draftReturn(
  tx: TenantTx,
  module: ModuleToMeasure,
  {
    before,
    after,
    entries,
  }: { readonly before: string; readonly after: RevisionInput; readonly entries: string },
  next: NextContent | null,
): Promise<ChangeToMeasure> {
  return {
    module,
    families: after.families,
    before: await storedCache.load(tx, before),
    after: next?.content ?? (await storedCache.load(tx, after.content_hash)),
    entries: { before: entries, after: entries },
  };
}

/** Whether sources may have brought about a difference. Of what is the same nothing has changed by itself. */
export function mayHaveChanged(before: Hashes, after: Hashes): boolean {
  const changeByThemselves = before.entries_hash !== null && after.entries_hash !== null;
  return changeByThemselves && before.content_hash !== after.content_hash;
}

type Hashes = Pick<UsedSnapshot, 'content_hash' | 'entries_hash'>;

/** The entries that count in both, as `id version,id version…`. */
export async function readEntries(
  tx: TenantTx,
  before: UsedSnapshot,
  after: UsedSnapshot,
  afterEntries: string | null = null,
): Promise<ChangeTask['entries']> {
  const hashes = [before.entries_hash, after.entries_hash].filter((hash) => hash !== null);
  const lists = await readEntryLists(tx, [...new Set(hashes)]);
  return {
    before: withoutEntries(lists.get(before.entries_hash ?? '') ?? '', before.left_out),
    after: withoutEntries(afterEntries ?? lists.get(after.entries_hash ?? '') ?? '', after.left_out),
  };
}

/** Those that count, as `id version,id version…`. @param list of a snapshot that is not stored yet; null: it is */
export async function entriesOf(
  tx: TenantTx,
  { entries_hash: hash, left_out: leftOut }: Pick<UsedSnapshot, 'entries_hash' | 'left_out'>,
  list: string | null = null,
): Promise<string> {
  if (hash === null && list === null) return '';
  return withoutEntries(list ?? (await readEntryLists(tx, [hash!])).get(hash!) ?? '', leftOut);
}

/** The list without these entries. */
export function withoutEntries(list: string, leftOut: readonly string[]): string {
  if (leftOut.length === 0) return list;
  const gone = new Set(leftOut);
  return list
    .split(',')
    .filter((entry) => !gone.has(entry.slice(0, entry.indexOf(' '))))
    .join(',');
}

/** What the guardrail about changes has against it. */
export async function judgeMeasured(
  { module, before, after, ...rest }: ChangeToMeasure,
  { maxChangePercent: percent }: Pick<Guardrails, 'maxChangePercent'>,
  signal?: AbortSignal,
): Promise<Finding[]> {
  // Names lead elsewhere from one hour to the next.
  const limits = { percent, mayBeReplaced: ENTRY_KINDS[module.type].isResolved };
  const changes = await measureSnapshots(before, after, { ...rest, limits }, signal);
  return changes.flatMap((change) => judgeChange(change, limits, module) ?? []);
}
