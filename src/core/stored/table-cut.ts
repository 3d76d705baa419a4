/**
 * Cuts a table into blocks where the content says so, not at a fixed count, so that a table that differs in a few rows has the same cuts
 * elsewhere and shares those blocks:
 *
 *     table A   aaaaaaaa|bbbbbb|cccccccccc|ddddd
 *     table B   aaaaaaaa|bbXbbb|cccccccccc|ddddd        one new block; the rest is stored once
 *
 * A change of the cutting or of the layout of blocks changes every content hash, and needs a new version of the manifest.
 */
import { hash } from 'node:crypto';
import { FAMILIES, widthOf } from '../address.ts';
import { MAX_LABEL_CHARACTERS } from '../tables/label-sets.ts';
import type { PrefixRows, PrefixTable } from '../tables/prefix-table.ts';
import { encodeBlock } from './table-block.ts';
import { type BlockEntry, writeManifest } from './table-manifest.ts';

/** Rows of a block: minimum, average above that, maximum. */
const MIN_ROWS = 2048;
const CUT_ONE_IN = 8192;
const MAX_ROWS = 32_768;
/** A block ends after this weight of labels (see {@link labelWeight}), whatever its rows. */
const MAX_LABEL_WEIGHT = 256 * 1024;
/** Size of a block before it is packed: the limit for unpacking a hostile one. */
export const MAX_BLOCK_BYTES = 16 * 1024 * 1024;

/** Limits of a stored table: rows of both families, and members of its label sets; see also MAX_LABEL_CHARACTERS. */
export const MAX_TABLE_ROWS = 2 ** 24;
export const MAX_LABEL_MEMBERS = 2 ** 23;

/** A block that is not packed yet. */
export interface CutBlock extends BlockEntry {
  readonly content: Uint8Array;
}

export interface CutTable {
  /** SHA-256, 64 hexadecimal digits: equal for equal tables, whatever order they were built in. */
  readonly contentHash: string;
  readonly manifest: Uint8Array;
  readonly blocks: readonly CutBlock[];
}

/** O(rows). Throws RangeError and TypeError for what can't be stored. */
export function cutTable(table: PrefixTable): CutTable {
  requireStorable(table);
  const blocks: CutBlock[] = [];
  for (const family of FAMILIES) {
    const rows = table[family];
    for (let from = 0; from < rows.size;) {
      const to = cutBehind(rows, from, (set) => labelWeight(table.labelSets[set]!));
      const content = encodeBlock(table.labelSets, rows, from, to);
      if (content.length > MAX_BLOCK_BYTES) {
        throw new RangeError(`The labels of row ${from} (${family}) need more than ${MAX_BLOCK_BYTES} bytes`);
      }
      blocks.push({ hash: hashOfBlock(content), content, family, count: to - from });
      from = to;
    }
  }
  return { ...writeManifest(blocks), blocks };
}

function requireStorable(table: PrefixTable): void {
  const rows = table.ipv4.size + table.ipv6.size;
  if (rows > MAX_TABLE_ROWS) throw new RangeError(`A table of ${rows} rows is beyond ${MAX_TABLE_ROWS}`);
  let [members, characters] = [0, 0];
  for (const labels of table.labelSets) {
    members += labels.length;
    for (const label of labels) characters += label.length;
    const malformed = labels.find((label) => !label.isWellFormed());
    if (malformed !== undefined)
      throw new TypeError(`The label ${JSON.stringify(malformed)} is not well-formed Unicode`);
  }
  if (members > MAX_LABEL_MEMBERS) {
    throw new RangeError(`Label sets with ${members} labels together are beyond ${MAX_LABEL_MEMBERS}`);
  }
  if (characters > MAX_LABEL_CHARACTERS) {
    throw new RangeError(`Label sets with ${characters} characters are beyond ${MAX_LABEL_CHARACTERS}`);
  }
}

/**
 * End (not included) of the block that begins at row `from`. Depends only on the rows after `from`.
 * @param weightOf a label set: its {@link labelWeight}
 */
export function cutBehind(rows: PrefixRows, from: number, weightOf: (set: number) => number): number {
  const last = Math.min(rows.size, from + MAX_ROWS);
  const seen = new Set<number>();
  let weight = 0;
  let set = -1;
  for (let i = from; i < last; i++) {
    if (rows.labels[i] !== set) {
      set = rows.labels[i]!;
      if (!seen.has(set)) {
        const added = weightOf(set);
        if (i > from && weight + added > MAX_LABEL_WEIGHT) return i;
        weight += added;
        seen.add(set);
      }
    }
    if (i + 1 - from >= MIN_ROWS && mix(rows, i) % CUT_ONE_IN === 0) return i + 1;
  }
  return last;
}

/** Approximate bytes that a label set adds to a block. */
export function labelWeight(labels: readonly string[]): number {
  return labels.reduce((sum, label) => sum + label.length + 4, 0);
}

/** A pseudo-random number that depends only on the prefix, so that the same prefix ends a block in every table. */
function mix(rows: PrefixRows, i: number): number {
  const width = widthOf(rows.family);
  let mixed = rows.lengths[i]!;
  for (let w = 0; w < width; w++) {
    mixed = Math.imul(mixed ^ rows.words[i * width + w]!, 0x9e3779b1);
    mixed ^= mixed >>> 15;
  }
  mixed = Math.imul(mixed, 0x85ebca6b);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}

export function hashOfBlock(content: Uint8Array): string {
  return hash('sha256', content);
}
