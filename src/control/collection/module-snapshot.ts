import type { Module } from '../../api/lists/modules.ts';
import { contentHashOf, storedAs } from '../../core/stored/stored-table.ts';
import { loadStored, type StoredContent } from '../../store/contents/contents.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { findWithSettings, type ModuleToCollect } from '../../store/modules/module-to-collect.ts';
import { SETTINGS_BESIDE_MODULE, getSetting, noteSettings } from '../../store/tenants/settings.ts';
import type { GoodSnapshot, SnapshotNotes } from '../../store/modules/snapshots.ts';
import {
  type Collection,
  type EntryLists,
  type EntryOutcome,
  NOTHING_DROPPED,
  rebase,
} from '../collectors/collect-sources.ts';
import type { CollectRules, CollectTools, Reading, Since } from '../collectors/reading.ts';
import type { WrittenKind } from '../entries/kind.ts';
import { KINDS } from '../entries/kinds.ts';
import {
  type WrittenEntries,
  isSameEdits,
  readWritten,
  settleWritten,
  writtenSnapshot,
} from '../entries/written-snapshot.ts';
import { withoutEntries } from '../drafts/guard-revision.ts';
import { storedCache } from '../tables/stored-cache.ts';
import { buildSnapshot, groupSnapshot } from '../tables/table-threads.ts';
import type { Snapshot } from '../tables/encoded-content.ts';
import { notesOf, rebaseNotes } from './snapshot-notes.ts';

/** A module as a refresh has found it. */
interface Found {
  readonly module: Module;
  /** Edits that the refresh is going to have read. */
  readonly pending: readonly number[];
  /** Prefixes of the tenant's other modules. */
  readonly others: number;
  /** The snapshot that there was. */
  readonly seen: StoredContent | null;
  readonly noted: Noted;
}

type Noted = SnapshotNotes & Pick<GoodSnapshot, 'left_out'>;

/** What a refresh has read. */
export interface MadeSnapshot {
  readonly outcomes: readonly EntryOutcome[];
  readonly snapshot: Snapshot;
  readonly notes: SnapshotNotes;
}

/** The same as it is to be stored: on top of what operators, or another refresh of the module, have changed meanwhile. */
export interface CurrentSnapshot extends MadeSnapshot {
  /** What the snapshot was encoded after. */
  readonly parent: StoredContent | null;
  /** The snapshot that there is by now, if it was read: what it names is stored. */
  readonly before: GoodSnapshot | null;
  /** Ids of entries of which nothing was read, only of what they were. */
  readonly edited: ReadonlySet<string>;
  /** Edits that it holds. */
  readonly edits: readonly number[];
}

/** The snapshot that a refresh is making of a module. Its steps are called once each, in this order. */
export interface SnapshotMaker {
  readonly module: Module;
  readonly seen: StoredContent | null;
  /** Prefixes of the tenant's other modules. */
  readonly others: number;
  /** Entries that have to be read from somewhere. */
  readonly count: number;
  collect(signal: AbortSignal, progress: (done: number, total: number) => void): Promise<void>;
  make(signal: AbortSignal): Promise<MadeSnapshot>;
  /** Called in the transaction that stores it. @param now the module as it is there */
  update(tx: TenantTx, made: MadeSnapshot, now: ModuleToCollect): Promise<CurrentSnapshot>;
  record(tx: TenantTx, outcomes: readonly EntryOutcome[]): Promise<void>;
}

/** What a refresh needs to know of its module and its entries. Null: it was deleted. */
export async function beginSnapshot(
  tx: TenantTx,
  moduleId: string,
  tools: CollectTools,
): Promise<SnapshotMaker | null> {
  const begun = await findWithSettings(tx, moduleId, SETTINGS_BESIDE_MODULE);
  if (begun === null) return null;
  noteSettings(tx, begun.settings);
  const { module, snapshot, editIds: pending, tenantPrefixes } = begun.found;
  const seen = snapshot === null ? null : await storedCache.load(tx, snapshot.content_hash);
  const others = tenantPrefixes - module.prefix_count.ipv4 - module.prefix_count.ipv6;
  const found = { module, pending, seen, others, noted: goodNotes(snapshot) };
  const kind = KINDS[module.type];
  if ('prefixes' in kind)
    return new WrittenSnapshot(found, kind, await readWritten(tx, kind, moduleId, seen));
  const reading = await kind.read(tx, module, tools);
  return new CollectedSnapshot(found, reading, {
    bogons: await getSetting(tx, 'guard_bogons'),
    mayBeEmpty: module.can_be_empty || (await getSetting(tx, 'guard_empty_result')) === 'allow',
    maxRejectedPercent: await getSetting(tx, 'guard_max_rejected_percent'),
  });
}

/** Of entries that are prefixes themselves. */
class WrittenSnapshot implements SnapshotMaker {
  readonly module: Module;
  readonly seen: StoredContent | null;
  readonly others: number;
  readonly count = 0;
  readonly #kind: WrittenKind;
  #entries: WrittenEntries;

  constructor({ module, seen, others }: Found, kind: WrittenKind, entries: WrittenEntries) {
    this.module = module;
    this.seen = seen;
    this.others = others;
    this.#kind = kind;
    this.#entries = entries;
  }

  collect(): Promise<void> {
    return Promise.resolve();
  }

  async make(signal: AbortSignal): Promise<MadeSnapshot> {
    const snapshot = await writtenSnapshot(this.#entries, this.seen, signal);
    return { outcomes: [], snapshot, notes: NO_NOTES };
  }

  /** What was edited is read again, so that all edits are in it. */
  async update(
    tx: TenantTx,
    made: MadeSnapshot,
    { editIds: edits, snapshot: before }: ModuleToCollect,
  ): Promise<CurrentSnapshot> {
    const since = await this.#kind.edits(tx, this.module.id);
    const rest = { ...made, before: null, edited: new Set<string>(), edits };
    if (isSameEdits(this.#entries.edits, since)) return { ...rest, parent: this.seen };
    const parent = before === null ? null : await storedCache.load(tx, before.content_hash);
    this.#entries = await readWritten(tx, this.#kind, this.module.id, parent);
    return { ...rest, snapshot: await writtenSnapshot(this.#entries, parent), parent };
  }

  /** Its snapshot is about to be stored. */
  record(tx: TenantTx): Promise<void> {
    return settleWritten(tx, this.module.id, this.#entries);
  }
}

/** Of entries that are read from somewhere. */
class CollectedSnapshot implements SnapshotMaker {
  readonly module: Module;
  readonly seen: StoredContent | null;
  readonly others: number;
  readonly #pending: readonly number[];
  readonly #noted: Noted;
  readonly #reading: Reading;
  readonly #rules: Omit<CollectRules, 'signal'>;
  #collected: Collection = { lists: NOTHING, outcomes: [] };

  constructor(
    { module, seen, others, pending, noted }: Found,
    reading: Reading,
    rules: Omit<CollectRules, 'signal'>,
  ) {
    this.module = module;
    this.seen = seen;
    this.others = others;
    this.#pending = pending;
    this.#noted = noted;
    this.#reading = reading;
    this.#rules = rules;
  }

  get count(): number {
    return this.#reading.count;
  }

  async collect(signal: AbortSignal, progress: (done: number, total: number) => void): Promise<void> {
    const previous = this.seen === null ? NOTHING : await listsOf(this.seen, this.#noted.left_out, signal);
    this.#collected = await this.#reading.collect(previous, { ...this.#rules, signal }, progress);
  }

  async make(signal: AbortSignal): Promise<MadeSnapshot> {
    const { lists, outcomes } = this.#collected;
    // The lists are not needed any more, and may be large.
    this.#collected = { lists: NOTHING, outcomes };
    const snapshot = await buildSnapshot(lists, this.seen, signal);
    return { outcomes, snapshot, notes: notesOf(this.module, outcomes, this.#noted) };
  }

  async update(tx: TenantTx, made: MadeSnapshot, now: ModuleToCollect): Promise<CurrentSnapshot> {
    const since = await this.#reading.compare(tx, now.module);
    const current = await this.#rebase(tx, made, since, now.snapshot);
    return { ...current, edited: since.edited, edits: this.#pending };
  }

  record(tx: TenantTx, outcomes: readonly EntryOutcome[]): Promise<void> {
    return this.#reading.record(tx, outcomes);
  }

  async #rebase(
    tx: TenantTx,
    { outcomes: read, snapshot, notes }: MadeSnapshot,
    { newer, edited }: Since,
    current: GoodSnapshot | null,
  ): Promise<Omit<CurrentSnapshot, 'edited' | 'edits'>> {
    const { module, seen } = this;
    const outcomes = read.map((outcome) => (edited.has(outcome.id) ? passedOver(outcome) : outcome));
    const noted = goodNotes(current);
    const seenHash = seen === null ? undefined : contentHashOf(seen.stored);
    const isAsRead = newer === null && edited.size === 0;
    if (isAsRead && current === null) return { outcomes, snapshot, notes, parent: seen, before: null };
    if (isAsRead && current?.content_hash === seenHash)
      return { outcomes, snapshot, notes: notesOf(module, outcomes, noted), parent: seen, before: current };
    const others = current === null ? null : await loadStored(tx, current.content_hash);
    const lists = (): Promise<EntryLists> => {
      const stored = storedAs(snapshot.encoded, seen?.stored ?? null);
      return groupSnapshot({ stored, prefixCount: snapshot.prefixCount });
    };
    const rebased = rebase(
      newer ?? { lists: await lists(), outcomes },
      others === null ? NOTHING : await listsOf(others, noted.left_out),
    );
    return {
      outcomes: rebased.outcomes,
      snapshot: await buildSnapshot(rebased.lists, others),
      notes: rebaseNotes(module, rebased.outcomes, noted),
      parent: others,
      before: current,
    };
  }
}

const NOTHING: EntryLists = new Map();
const NO_NOTES = { entries: null, warnings: [], left_out: [] };

/** What the entries contributed that may stay when they fail: of those left out nothing was accepted. */
async function listsOf(
  content: StoredContent,
  leftOut: readonly string[],
  signal?: AbortSignal,
): Promise<EntryLists> {
  const lists = await groupSnapshot(content, signal);
  if (leftOut.length === 0) return lists;
  const gone = new Set(leftOut);
  return new Map([...lists].filter(([id]) => !gone.has(id)));
}

function goodNotes(snapshot: GoodSnapshot | null): Noted {
  if (snapshot === null) return NO_NOTES;
  const { entries, warnings, left_out } = snapshot;
  return { entries: entries === null ? null : withoutEntries(entries, left_out), warnings, left_out };
}

/** Of an entry that stays as it is, and is no fault of the refresh. */
function passedOver(outcome: EntryOutcome): EntryOutcome {
  const prefixCount = { ipv4: 0, ipv6: 0 };
  return { ...outcome, status: 'ok', error: null, modified: false, ...NOTHING_DROPPED, prefixCount };
}
