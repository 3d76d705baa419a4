/** Which of the differences of two revisions somebody wants to see. */
import type { RevisionDiffQuery } from '../../api/revisions/diff.ts';
import { fieldProblem } from '../../api/problems/problem.ts';
import type { RevisionCommunity } from '../../api/revisions/revisions.ts';
import { widthOf } from '../../core/address.ts';
import { covers } from '../../core/bits.ts';
import { parsePrefix, type Prefix } from '../../core/prefix.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import { meets } from '../../core/sets/within.ts';
import type { TenantTx } from '../../store/database/database.ts';
import type { ChangedRow, RowOfTable } from './changed-rows.ts';
import { addressesOfModule } from './module-uses.ts';

export type ChangeFilters = Omit<RevisionDiffQuery, 'cursor' | 'limit'>;

interface Side {
  readonly id: string;
  readonly table: PrefixTable;
  readonly communities: readonly RevisionCommunity[];
}

/** Null: all of them. @throws {Problem} `validation_failed` */
export async function changeFilter(
  tx: TenantTx,
  before: Side,
  after: Side,
  filters: ChangeFilters,
): Promise<((row: ChangedRow) => boolean) | null> {
  const { change, family, community_id, module_id, within } = filters;
  const conditions: ((row: ChangedRow) => boolean)[] = [];
  if (change !== undefined) conditions.push((row) => change.includes(row.change));
  if (family !== undefined) conditions.push((row) => placeOf(row).rows.family === family);
  if (within !== undefined) conditions.push(isWithin(readPrefix(within)));
  if (community_id !== undefined) conditions.push(hasCommunity(before, after, community_id.toLowerCase()));
  if (module_id !== undefined) {
    const addresses = await addressesOfModule(tx, [before.id, after.id], module_id);
    conditions.push((row) => {
      const { rows, index } = placeOf(row);
      return meets(rows, index, addresses[rows.family]);
    });
  }
  if (conditions.length === 0) return null;
  return (row) => conditions.every((isMet) => isMet(row));
}

/** Its prefix is the same on both sides. */
function placeOf({ before, after }: ChangedRow): RowOfTable {
  return (after ?? before)!;
}

function readPrefix(text: string): Prefix {
  const parsed = parsePrefix(text);
  if (!parsed.ok) throw fieldProblem('?within', parsed.reason);
  return parsed.value;
}

function isWithin({ family, words, length }: Prefix): (row: ChangedRow) => boolean {
  return (row) => {
    const { rows, index } = placeOf(row);
    if (rows.family !== family || rows.lengths[index]! < length) return false;
    return covers(words, 0, length, rows.words, index * widthOf(family));
  };
}

function hasCommunity(before: Side, after: Side, id: string): (row: ChangedRow) => boolean {
  const labels = [before, after].map(
    ({ communities }) => communities.find((community) => community.community_id === id)?.community,
  );
  if (labels.every((label) => label === undefined))
    throw fieldProblem(
      '?community_id',
      'Neither revision has a community of this id. Its communities are listed in each revision.',
    );
  const [wasWanted, isWanted] = [before, after].map(({ table }, side) =>
    table.labelSets.map((set) => labels[side] !== undefined && set.includes(labels[side])),
  );
  const has = (row: RowOfTable | null, wanted: readonly boolean[]): boolean =>
    row !== null && wanted[row.rows.labels[row.index]!]!;
  return (row) => has(row.before, wasWanted!) || has(row.after, isWanted!);
}
