/**
 * Reads two stored tables side by side, block by block, so that only differing rows are ever kept. Nearly all rows of two revisions are
 * equal; whole tables would be megabytes that are written once and read once.
 */
import { widthOf } from '../address.ts';
import { compareWords } from '../bits.ts';
import { EqualRuns, matchLabelSets } from '../tables/diff.ts';
import { PrefixBuffer } from '../prefix-buffer.ts';
import type { PrefixRows, PrefixTable } from '../tables/prefix-table.ts';
import type { Block } from './table-block.ts';
import { LabelSetCollector } from './table-labels.ts';

/**
 * Tables of the rows that are not in both with the same labels. `before` and `after` give blocks in the order of their rows,
 * IPv4 before IPv6. O(rows before + rows after).
 */
export function differingRows(
  before: Iterator<Block, void>,
  after: Iterator<Block, void>,
): { readonly before: PrefixTable; readonly after: PrefixTable } {
  const [a, b] = [new Side(before), new Side(after)];
  while (a.block !== null && b.block !== null) {
    const [left, right] = [a.block.rows, b.block.rows];
    if (left.family !== right.family) {
      (left.family === 'ipv4' ? a : b).keepBlock();
      continue;
    }
    const equal = new EqualRuns(left, right, matchLabelSets(a.block.labelSets, b.block.labelSets));
    const width = widthOf(left.family);
    while (a.at < left.size && b.at < right.size) {
      const same = equal.from(a.at, b.at);
      a.at += same;
      b.at += same;
      if (a.at === left.size || b.at === right.size) break;
      const order =
        compareWords(left.words, a.at * width, right.words, b.at * width, width) ||
        left.lengths[a.at]! - right.lengths[b.at]!;
      if (order <= 0) a.keepRow();
      if (order >= 0) b.keepRow();
    }
    if (a.at === left.size) a.nextBlock();
    if (b.at === right.size) b.nextBlock();
  }
  while (a.block !== null) a.keepBlock();
  while (b.block !== null) b.keepBlock();
  return { before: a.kept(), after: b.kept() };
}

/** One of the tables: its reading position, and the rows that were kept. */
class Side {
  block: Block | null = null;
  /** The next row of the block. */
  at = 0;
  readonly #blocks: Iterator<Block, void>;
  readonly #collector = new LabelSetCollector();
  readonly #rows = { ipv4: new KeptRows('ipv4'), ipv6: new KeptRows('ipv6') };
  /** Numbers of the block's label sets, if rows with them are kept. */
  #numbers: (number | undefined)[] = [];

  constructor(blocks: Iterator<Block, void>) {
    this.#blocks = blocks;
    this.nextBlock();
  }

  nextBlock(): void {
    this.block = this.#blocks.next().value ?? null;
    this.at = 0;
    this.#numbers = [];
  }

  keepRow(): void {
    const { rows, labelSets } = this.block!;
    const set = rows.labels[this.at]!;
    const number = (this.#numbers[set] ??= this.#collector.numberOf(labelSets[set]!));
    this.#rows[rows.family].push(rows, this.at, number);
    this.at++;
  }

  /** Keeps the rest of the block, and continues with the next. */
  keepBlock(): void {
    while (this.at < this.block!.rows.size) this.keepRow();
    this.nextBlock();
  }

  kept(): PrefixTable {
    const [ipv4, ipv6] = [this.#rows.ipv4.toRows(), this.#rows.ipv6.toRows()];
    return { labelSets: this.#collector.finish([ipv4.labels, ipv6.labels]), ipv4, ipv6 };
  }
}

class KeptRows {
  readonly #prefixes: PrefixBuffer;
  readonly #labels: number[] = [];

  constructor(family: PrefixRows['family']) {
    this.#prefixes = new PrefixBuffer(family);
  }

  push({ words, lengths }: PrefixRows, row: number, label: number): void {
    this.#prefixes.push(words, row * this.#prefixes.width, lengths[row]!);
    this.#labels.push(label);
  }

  toRows(): PrefixRows {
    return { ...this.#prefixes.toList(), labels: Uint32Array.from(this.#labels) };
  }
}
