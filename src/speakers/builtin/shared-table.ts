/**
 * Tables for another thread: columns in shared memory, so that a table of any size is copied once by the sender, at memory
 * speed, and not at all by the receiver. Nobody writes to a table after it was built.
 */
import type { PrefixRows, PrefixTable } from '../../core/prefix-table.ts';

const shared = new WeakMap<PrefixTable, PrefixTable>();

/** The table itself where its columns are shared already; the same copy for the same table. */
export function shareTable(table: PrefixTable): PrefixTable {
  let copy = shared.get(table);
  if (copy === undefined) {
    copy = { labelSets: table.labelSets, ipv4: shareRows(table.ipv4), ipv6: shareRows(table.ipv6) };
    shared.set(table, copy);
  }
  return copy;
}

function shareRows(rows: PrefixRows): PrefixRows {
  const { family, size } = rows;
  return {
    family,
    size,
    words: shareWords(rows.words),
    lengths: rows.lengths.buffer instanceof SharedArrayBuffer ? rows.lengths : copyOctets(rows.lengths),
    labels: shareWords(rows.labels),
  };
}

function shareWords(words: Uint32Array): Uint32Array {
  if (words.buffer instanceof SharedArrayBuffer) return words;
  const copy = new Uint32Array(new SharedArrayBuffer(words.byteLength));
  copy.set(words);
  return copy;
}

function copyOctets(octets: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(octets.byteLength));
  copy.set(octets);
  return copy;
}
