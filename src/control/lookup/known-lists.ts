/**
 * The modules and entries of tenants as lookups know them: read whole once, and then what has changed since. An answer is never older than its
 * request, as if all had been read: the database says which rows are newer than what is known.
 */
import { LRUCache } from 'lru-cache';
import { parsePrefix } from '../../core/prefix.ts';
import { type PrefixTable, PrefixTableBuilder } from '../../core/tables/prefix-table.ts';
import type { TenantTx } from '../../store/database/database.ts';
import {
  type ChangedModules,
  type ChangedRows,
  listChangedEntries,
  listChangedModules,
  type LookupMark,
  readLookupMark,
} from '../../store/lookup/changed-lookup.ts';
import {
  listLookupEntries,
  listLookupModules,
  type LookupEntry,
  type LookupModule,
} from '../../store/lookup/lookup.ts';
import type { HeldEntries } from './lookup-state.ts';

/** Entries that are read at once: a few milliseconds. */
const HELD_ENTRIES = 5_000;
/** Modules and entries of all tenants together. */
const KNOWN_ROWS = 200_000;

/** What never changes: whoever knows it may go on with it. */
export interface KnownLists {
  /** By id, in its order. */
  readonly modules: ReadonlyMap<string, LookupModule>;
  /** Null where there are too many to hold. */
  readonly held: HeldEntries | null;
}

interface Known extends KnownLists {
  /** From before it was read. */
  readonly mark: LookupMark;
}

/** What a process knows. */
export class ListReader {
  readonly #known = new LRUCache<string, Known>({
    maxSize: KNOWN_ROWS,
    sizeCalculation: ({ modules, held }) => 1 + modules.size + (held?.byId.size ?? 0),
  });

  /** The lists as the tenant has them now. The transaction has written nothing: what is known afterwards is for others too. */
  async read(tx: TenantTx): Promise<KnownLists> {
    const before = this.#known.get(tx.tenantId);
    const lists = (before === undefined ? null : await follow(tx, before)) ?? (await readAll(tx));
    this.#known.set(tx.tenantId, lists);
    return lists;
  }
}

/** Of this process. */
const reader = new ListReader();

export function readKnownLists(tx: TenantTx): Promise<KnownLists> {
  return reader.read(tx);
}

async function readAll(tx: TenantTx): Promise<Known> {
  const mark = await readLookupMark(tx);
  const modules = new Map((await listLookupModules(tx)).map((module) => [module.id, module]));
  return { mark, modules, held: await readEntries(tx) };
}

/** What has changed since, on top of what is known. Null: some have gone, or the server is another one, so that all has to be read. */
async function follow(tx: TenantTx, before: Known): Promise<Known | null> {
  const changed = await listChangedModules(tx, before.mark);
  const { mark } = changed;
  if (mark.server !== before.mark.server || !isComplete(before.modules, changed)) return null;
  return { mark, modules: changedModules(before.modules, changed), held: await followEntries(tx, before) };
}

/** In the order of ids. New ones are nearly always the last: the ids of ten thousand are sorted only where they are not. */
function changedModules(
  before: Known['modules'],
  { rows, heldIds }: ChangedModules,
): ReadonlyMap<string, LookupModule> {
  const held = new Set(heldIds);
  const turned: LookupModule[] = [];
  let last = '';
  for (const module of before.values()) {
    if (module.is_held !== held.has(module.id)) turned.push(module);
    last = module.id;
  }
  if (rows.length + turned.length === 0) return before;
  const after = new Map(before);
  const byId = rows.length === 1 ? rows : [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));
  for (const row of [...turned, ...byId]) after.set(row.id, { ...row, is_held: held.has(row.id) });
  const isInOrder = byId.every(({ id }) => id > last || before.has(id));
  return isInOrder ? after : new Map([...after].sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function readEntries(tx: TenantTx): Promise<HeldEntries | null> {
  const entries = await listLookupEntries(tx, HELD_ENTRIES);
  return entries === null ? null : { byId: entries, ranges: rangesAmong(entries.values()) };
}

/** Null: they are too many. */
async function followEntries(tx: TenantTx, { mark, held: before }: Known): Promise<HeldEntries | null> {
  if (before === null) return readEntries(tx);
  const changed = await listChangedEntries(tx, mark);
  if (!isComplete(before.byId, changed) || changed.count > HELD_ENTRIES) return readEntries(tx);
  if (changed.rows.length === 0) return before;
  const byId = new Map(before.byId);
  for (const row of changed.rows) byId.set(row.id, row);
  const hasRanges = changed.rows.some((row) => isOtherRange(row, before.byId.get(row.id)));
  return { byId, ranges: hasRanges ? rangesAmong(byId.values()) : before.ranges };
}

function isOtherRange({ kind, value }: LookupEntry, before: LookupEntry | undefined): boolean {
  return kind === 'ip_range_entry' && before?.value !== value;
}

/** Whether these and those that are known are all: none has gone. */
function isComplete(
  before: ReadonlyMap<string, unknown>,
  { count, rows }: ChangedRows<{ readonly id: string }>,
): boolean {
  return before.size + rows.filter(({ id }) => !before.has(id)).length === count;
}

function rangesAmong(entries: Iterable<LookupEntry>): PrefixTable {
  const builder = new PrefixTableBuilder();
  for (const { id, kind, value } of entries) {
    if (kind !== 'ip_range_entry') continue;
    const prefix = parsePrefix(value);
    if (prefix.ok) builder.add(prefix.value.family, prefix.value.words, prefix.value.length, id);
  }
  return builder.build();
}
