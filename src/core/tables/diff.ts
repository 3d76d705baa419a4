/** The changes between two tables, in one walk over both. */
import { widthOf } from '../address.ts';
import { compareWords } from '../bits.ts';
import { compareLabelSets } from './label-sets.ts';
import type { PrefixRows, PrefixTable } from './prefix-table.ts';

/** Row indices, ascending: `announced` in the table after, `withdrawn` in the one before, `changed` in pairs (before, after). */
export interface RowsDiff {
  readonly announced: Uint32Array;
  readonly withdrawn: Uint32Array;
  readonly changed: Uint32Array;
}

/** A route is changed if the prefix is in both tables with different labels. */
export interface TableDiff {
  readonly announced: number;
  readonly withdrawn: number;
  readonly changed: number;
  readonly ipv4: RowsDiff;
  readonly ipv6: RowsDiff;
}

/** O(rows before + rows after). */
export function diffTables(before: PrefixTable, after: PrefixTable): TableDiff {
  const sameSet = matchLabelSets(before.labelSets, after.labelSets);
  const ipv4 = diffRows(before.ipv4, after.ipv4, sameSet);
  const ipv6 = diffRows(before.ipv6, after.ipv6, sameSet);
  return {
    announced: ipv4.announced.length + ipv6.announced.length,
    withdrawn: ipv4.withdrawn.length + ipv6.withdrawn.length,
    changed: (ipv4.changed.length + ipv6.changed.length) / 2,
    ipv4,
    ipv6,
  };
}

function diffRows(before: PrefixRows, after: PrefixRows, sameSet: Int32Array): RowsDiff {
  const width = widthOf(before.family);
  const announced = new IndexList();
  const withdrawn = new IndexList();
  const changed = new IndexList();
  const equal = new EqualRuns(before, after, sameSet);
  let i = 0;
  let j = 0;
  for (;;) {
    const same = equal.from(i, j);
    i += same;
    j += same;
    if (i === before.size || j === after.size) break;
    const order =
      compareWords(before.words, i * width, after.words, j * width, width) ||
      before.lengths[i]! - after.lengths[j]!;
    if (order < 0) withdrawn.push(i++);
    else if (order > 0) announced.push(j++);
    else {
      if (sameSet[before.labels[i]!] !== after.labels[j]) {
        changed.push(i);
        changed.push(j);
      }
      i++;
      j++;
    }
  }
  while (i < before.size) withdrawn.push(i++);
  while (j < after.size) announced.push(j++);
  return { announced: announced.toArray(), withdrawn: withdrawn.toArray(), changed: changed.toArray() };
}

/** This many equal rows are compared one by one before stretches are; and the longest stretch. */
const FEW = 32;
const MANY = 4096;

/**
 * Counts rows of two lists that are equal in all columns: nearly all rows of two revisions are, so this is where the time goes. After a run
 * of equal rows, whole stretches are compared as memory, each twice as long as the one before; after a stretch with a difference, shorter
 * and shorter ones.
 */
export class EqualRuns {
  readonly #before: PrefixRows;
  readonly #after: PrefixRows;
  readonly #sameSet: Int32Array;
  /** Pairs of columns as bytes, with the bytes per row; empty if equal labels have different numbers. */
  readonly #columns: readonly { readonly a: Buffer; readonly b: Buffer; readonly width: number }[];

  /** `sameSet` is the result of {@link matchLabelSets}. */
  constructor(before: PrefixRows, after: PrefixRows, sameSet: Int32Array) {
    this.#before = before;
    this.#after = after;
    this.#sameSet = sameSet;
    const isSame = sameSet.every((place, set) => place === set);
    const pairs = isSame ? (['words', 'lengths', 'labels'] as const) : [];
    this.#columns = pairs.map((column) => {
      const [a, b] = [before[column], after[column]];
      const width = a.BYTES_PER_ELEMENT * (column === 'words' ? widthOf(before.family) : 1);
      return { a: bytesOf(a), b: bytesOf(b), width };
    });
  }

  /** Number of equal rows starting at `i` of the one and `j` of the other. */
  from(i: number, j: number): number {
    const most = Math.min(this.#before.size - i, this.#after.size - j);
    let run = this.#oneByOne(i, j, Math.min(FEW, most));
    if (run < FEW) return run;
    if (this.#columns.length > 0) run += this.#inStretches(i + run, j + run, most - run);
    return run + this.#oneByOne(i + run, j + run, most - run);
  }

  /** Fewer than {@link FEW} equal rows may follow those that it finds. */
  #inStretches(i: number, j: number, most: number): number {
    let run = 0;
    let isGrowing = true;
    for (let stretch = 2 * FEW; stretch >= FEW && run < most;) {
      const size = Math.min(stretch, most - run);
      if (this.#isEqual(i + run, j + run, size)) run += size;
      else isGrowing = false;
      stretch = isGrowing ? Math.min(2 * stretch, MANY) : stretch >> 1;
    }
    return run;
  }

  #isEqual(i: number, j: number, rows: number): boolean {
    for (const { a, b, width } of this.#columns) {
      if (a.compare(b, j * width, (j + rows) * width, i * width, (i + rows) * width) !== 0) return false;
    }
    return true;
  }

  #oneByOne(i: number, j: number, most: number): number {
    const before = this.#before;
    const after = this.#after;
    const sameSet = this.#sameSet;
    const [wordsA, lengthsA, labelsA] = [before.words, before.lengths, before.labels];
    const [wordsB, lengthsB, labelsB] = [after.words, after.lengths, after.labels];
    const wide = before.family === 'ipv6';
    let run = 0;
    for (; run < most; run++) {
      const a = i + run;
      const b = j + run;
      if (lengthsA[a] !== lengthsB[b] || sameSet[labelsA[a]!] !== labelsB[b]) break;
      if (!wide) {
        if (wordsA[a] !== wordsB[b]) break;
      } else if (
        wordsA[4 * a] !== wordsB[4 * b] ||
        wordsA[4 * a + 1] !== wordsB[4 * b + 1] ||
        wordsA[4 * a + 2] !== wordsB[4 * b + 2] ||
        wordsA[4 * a + 3] !== wordsB[4 * b + 3]
      ) {
        break;
      }
    }
    return run;
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint8Array | Uint32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** For each label set before, the index of the equal one after, or -1: labels are compared once per set, not once per row. */
export function matchLabelSets(
  before: readonly (readonly string[])[],
  after: readonly (readonly string[])[],
): Int32Array {
  const matches = new Int32Array(before.length).fill(-1);
  let i = 0;
  let j = 0;
  while (i < before.length && j < after.length) {
    const order = compareLabelSets(before[i]!, after[j]!);
    if (order === 0) matches[i++] = j++;
    else if (order < 0) i++;
    else j++;
  }
  return matches;
}

/** Growing list of row indices. */
class IndexList {
  #indices = new Uint32Array(64);
  #size = 0;

  push(index: number): void {
    if (this.#size === this.#indices.length) {
      const indices = new Uint32Array(this.#size * 2);
      indices.set(this.#indices);
      this.#indices = indices;
    }
    this.#indices[this.#size++] = index;
  }

  toArray(): Uint32Array {
    return this.#indices.slice(0, this.#size);
  }
}
