/**
 * Which of the latest routes a peer over its `max_prefixes_out` is sent in place of those that it holds and that are announced in other prefixes by
 * now: merged with a neighbour, or in part. Pure.
 */
import { setOfRows } from '../core/sets/prefix-set.ts';
import { holdsRow, meets } from '../core/sets/within.ts';
import { pickRowsAt, type PrefixRows } from '../core/tables/prefix-table.ts';

export interface RowsToReplace {
  readonly held: PrefixRows;
  /** Rows of `held` that the peer was sent, and whose prefixes are announced no more. */
  readonly lost: readonly number[];
  readonly latest: PrefixRows;
  /** Whether the peer is to be sent routes of this label set of `latest`. */
  readonly isWanted: (labelSet: number) => boolean;
}

/**
 * Marks them in `isHeld`, which has 1 for each row of `latest` that the peer holds: no more rows than are lost. Those that have all of a lost one come
 * first, then the largest parts. O(rows), and nothing where no row is lost.
 */
export function markReplacing({ held, lost, latest, isWanted }: RowsToReplace, isHeld: Uint8Array): void {
  if (lost.length === 0) return;
  const gone = setOfRows(pickRowsAt(held, lost));
  const found: { readonly row: number; readonly isPart: boolean; readonly length: number }[] = [];
  for (let row = 0; row < latest.size; row++) {
    if (isHeld[row] === 1 || !isWanted(latest.labels[row]!) || !meets(latest, row, gone)) continue;
    found.push({ row, isPart: holdsRow(gone, latest, row), length: latest.lengths[row]! });
  }
  // Of two around the same one the longer says where its traffic goes.
  found.sort((a, b) =>
    a.isPart === b.isPart
      ? a.isPart
        ? a.length - b.length
        : b.length - a.length
      : Number(a.isPart) - Number(b.isPart),
  );
  for (const { row } of found.slice(0, lost.length)) isHeld[row] = 1;
}
