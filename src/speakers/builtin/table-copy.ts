/**
 * Tables for the speaker thread: a copy at memory speed whose columns are handed over, not copied again. Shared memory would
 * spare the copy, but V8 does not count it, so that a thread with little else to collect would keep old tables for long.
 */
import type { PrefixRows, PrefixTable } from '../../core/tables/prefix-table.ts';

export interface TableCopy {
  readonly table: PrefixTable;
  /** What to transfer with it. */
  readonly buffers: readonly ArrayBuffer[];
}

export function copyTable(table: PrefixTable): TableCopy {
  const buffers: ArrayBuffer[] = [];
  const copyRows = (rows: PrefixRows): PrefixRows => {
    const words = new Uint32Array(rows.words);
    const lengths = new Uint8Array(rows.lengths);
    const labels = new Uint32Array(rows.labels);
    buffers.push(words.buffer, lengths.buffer, labels.buffer);
    return { family: rows.family, size: rows.size, words, lengths, labels };
  };
  const { labelSets } = table;
  return { table: { labelSets, ipv4: copyRows(table.ipv4), ipv6: copyRows(table.ipv6) }, buffers };
}
