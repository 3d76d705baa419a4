/** What a revision, and the snapshots that it was built from, have around a prefix; and the same of the revision before. */
import type { Family } from '../../core/address.ts';
import type { PrefixChange } from '../../core/stored/change-list.ts';
import { type LabelledPrefix, rowsAround } from '../../core/tables/rows-around.ts';
import { fieldProblem } from '../../api/problems/problem.ts';
import { formatPrefix, type Prefix } from '../../core/prefix.ts';
import type { TenantTx } from '../../store/database/database.ts';
import type { RevisionInput } from '../../store/revisions/revision-history.ts';
import { tableCache } from '../tables/table-cache.ts';

/** Prefixes of one list that are followed back: of a longer history nobody reads what became of each. */
const MOST_ROWS = 4_096;

/** By prefix, as text. */
export type Rows = ReadonlyMap<string, LabelledPrefix>;

export interface PastModule {
  readonly purpose: RevisionInput['purpose'];
  readonly families: readonly Family[];
  /** Entries of its snapshot that did not count. */
  readonly leftOut: ReadonlySet<string>;
  readonly rows: Rows;
}

export interface PastState {
  readonly routes: Rows;
  readonly modules: ReadonlyMap<string, PastModule>;
}

export const NOTHING: PastState = { routes: new Map(), modules: new Map() };

/** The rows of a stored table that have addresses of the prefix. @throws {Problem} `validation_failed` when they are too many */
export async function loadRows(tx: TenantTx, contentHash: string, around: Prefix): Promise<Rows> {
  const rows = rowsAround(await tableCache.load(tx, contentHash), around, MOST_ROWS);
  if (rows === null) throw tooMany(around);
  return new Map(rows.map((row) => [formatPrefix(row.prefix), row]));
}

export async function loadModule(tx: TenantTx, input: RevisionInput, around: Prefix): Promise<PastModule> {
  return { ...usageOf(input), rows: await loadRows(tx, input.content_hash, around) };
}

/** What the module was used for, whatever it had. */
export function usageOf({ purpose, families, left_out: leftOut }: RevisionInput): Omit<PastModule, 'rows'> {
  return { purpose, families, leftOut: new Set(leftOut) };
}

/** The rows before the changes. */
export function undo(rows: Rows, changes: readonly PrefixChange[], around: Prefix): Rows {
  if (changes.length === 0) return rows;
  const earlier = new Map(rows);
  for (const { prefix, before } of changes) {
    const name = formatPrefix(prefix);
    if (before === null) earlier.delete(name);
    else earlier.set(name, { prefix, labels: before });
  }
  if (earlier.size > MOST_ROWS) throw tooMany(around);
  return earlier;
}

function tooMany(around: Prefix): Error {
  return fieldProblem(
    '?prefix',
    `${formatPrefix(around)} has more than ${MOST_ROWS} prefixes of a list in it. Ask for a longer prefix, or compare revisions with GET /v1/revisions/{a}/diff/{b}?within=${formatPrefix(around)}`,
  );
}

/** A row that an entry of a module has put into the revision, or taken out of it. */
export interface Contribution {
  readonly module_id: string;
  readonly purpose: PastModule['purpose'];
  readonly entry_id: string;
  readonly prefix: string;
}

/** Who contributes around the prefix, by a name that says all of it. */
export function contributionsOf({ modules }: PastState, family: Family): ReadonlyMap<string, Contribution> {
  const found = new Map<string, Contribution>();
  for (const [id, { purpose, families, leftOut, rows }] of modules) {
    if (!families.includes(family)) continue;
    for (const [prefix, { labels }] of rows)
      for (const entryId of labels)
        if (!leftOut.has(entryId))
          found.set(`${id} ${purpose} ${entryId} ${prefix}`, {
            ...{ module_id: id, purpose, entry_id: entryId, prefix },
          });
  }
  return found;
}

/** Whether the routes are the same, with their communities. */
export function areSameRoutes(one: Rows, other: Rows): boolean {
  if (one === other) return true;
  if (one.size !== other.size) return false;
  for (const [prefix, { labels }] of one) {
    if (other.get(prefix)?.labels.join() !== labels.join()) return false;
  }
  return true;
}
