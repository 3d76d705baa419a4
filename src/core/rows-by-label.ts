import { FAMILIES, type Family } from './address.ts';
import { PrefixBuffer } from './prefix-buffer.ts';
import type { PrefixTable } from './prefix-table.ts';
import type { PrefixList } from './prefix.ts';

export type RowsOfLabel = Readonly<Record<Family, PrefixList>>;

/** The prefixes of every label of the table, in one pass over its rows. */
export function rowsByLabel(table: PrefixTable): ReadonlyMap<string, RowsOfLabel> {
  const byLabel = new Map<string, Record<Family, PrefixBuffer>>();
  for (const label of new Set(table.labelSets.flat()))
    byLabel.set(label, { ipv4: new PrefixBuffer('ipv4'), ipv6: new PrefixBuffer('ipv6') });
  for (const family of FAMILIES) {
    const { size, words, lengths, labels } = table[family];
    const buffersOfSet = table.labelSets.map((set) => set.map((label) => byLabel.get(label)![family]));
    for (let row = 0; row < size; row++) {
      for (const buffer of buffersOfSet[labels[row]!]!) buffer.push(words, row * buffer.width, lengths[row]!);
    }
  }
  return byLabel;
}
