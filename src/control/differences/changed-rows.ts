import type { Change } from '../../api/revisions/diff.ts';
import { FAMILIES, type Family, widthOf } from '../../core/address.ts';
import { compareWords } from '../../core/bits.ts';
import type { TableDiff } from '../../core/tables/diff.ts';
import type { PrefixRows, PrefixTable } from '../../core/tables/prefix-table.ts';

export interface RowOfTable {
  readonly rows: PrefixRows;
  readonly index: number;
}

/** One difference: a row of the table before, of the one after, or of both. */
export interface ChangedRow {
  readonly change: Change;
  readonly before: RowOfTable | null;
  readonly after: RowOfTable | null;
}

/** Each difference of the two tables, IPv4 before IPv6, by address. */
export function* changedRows(
  before: PrefixTable,
  after: PrefixTable,
  diff: TableDiff,
): Generator<ChangedRow> {
  for (const family of FAMILIES) yield* changedRowsOf(family, before[family], after[family], diff);
}

/** Joins the three ascending lists of the family into one. */
function* changedRowsOf(
  family: Family,
  before: PrefixRows,
  after: PrefixRows,
  diff: TableDiff,
): Generator<ChangedRow> {
  const { announced, withdrawn, changed } = diff[family];
  const width = widthOf(family);
  let [a, w, c] = [0, 0, 0];
  /** Order of a row before against a row after; a list that has ended comes last. */
  const order = (i: number | undefined, j: number | undefined): number => {
    if (i === undefined) return 1;
    if (j === undefined) return -1;
    return (
      compareWords(before.words, i * width, after.words, j * width, width) ||
      before.lengths[i]! - after.lengths[j]!
    );
  };
  for (;;) {
    const gone = withdrawn[w];
    const other = changed[2 * c];
    const fresh = announced[a];
    if (gone === undefined && other === undefined && fresh === undefined) return;
    const isGoneFirst = gone !== undefined && (other === undefined || gone < other);
    const first = isGoneFirst ? gone : other;
    if (order(first, fresh) > 0) {
      yield { change: 'announced', before: null, after: { rows: after, index: fresh! } };
      a++;
    } else if (isGoneFirst) {
      yield { change: 'withdrawn', before: { rows: before, index: gone }, after: null };
      w++;
    } else {
      const pair = {
        before: { rows: before, index: other! },
        after: { rows: after, index: changed[2 * c + 1]! },
      };
      yield { change: 'changed', ...pair };
      c++;
    }
  }
}
