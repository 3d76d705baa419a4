/** The work of making snapshots of entries that are prefixes themselves, as pure functions. */
import { encodePatched } from '../../core/stored/encode-patched.ts';
import { type IdTable, idCount, idTableOf } from '../../core/stored/id-table.ts';
import type { IdEdit } from '../../core/stored/patch-id-table.ts';
import { type PrefixTable, PrefixTableBuilder } from '../../core/tables/prefix-table.ts';
import { type StoredTable, contentHashOf, encodeCutAfter } from '../../core/stored/stored-table.ts';
import { cutTable } from '../../core/stored/table-cut.ts';
import { ipRangeRows } from '../../sources/ip-range.ts';
import type { Snapshot } from './encoded-content.ts';

/** Makes the snapshot of the one before, which is `parent` as it is stored, and what has changed since. */
export interface PatchTask {
  readonly kind: 'patch';
  readonly before: IdTable;
  readonly edits: readonly IdEdit[];
  readonly parent: StoredTable;
}

/** Smaller lists are made as a whole in no time. */
const MANY_ROWS = 200;

/** @param ranges all of them, as `id cidr,id cidr…` */
export function makeRanges(ranges: string, parent: StoredTable | null): Snapshot {
  const table = tableOfRanges(ranges);
  const cut = cutTable(table);
  const encoded = encodeCutAfter(table, cut, parent);
  const rows = table.ipv4.size + table.ipv6.size;
  return {
    table: (rows < MANY_ROWS ? null : idTableOf(table, cut)) ?? table,
    contentHash: cut.contentHash,
    prefixCount: { ipv4: table.ipv4.size, ipv6: table.ipv6.size },
    encoded: 'whole' in encoded ? null : encoded,
  };
}

/** @returns null: it has to be made of all ranges */
export function patchRanges({ before, edits, parent }: PatchTask): Snapshot | null {
  const made = encodePatched(before, edits, parent);
  if (made === null || idCount(made.table) < MANY_ROWS) return null;
  const { table, encoded } = made;
  const prefixCount = { ipv4: table.ipv4.size, ipv6: table.ipv6.size };
  const isSame = table.contentHash === contentHashOf(parent);
  return { table, contentHash: table.contentHash, prefixCount, encoded: isSame ? null : encoded };
}

function tableOfRanges(text: string): PrefixTable {
  const builder = new PrefixTableBuilder();
  const ranges = (text === '' ? [] : text.split(',')).map((range) => {
    const [id = '', cidr = ''] = range.split(' ');
    return { id, cidr };
  });
  for (const { id, words, family, length } of ipRangeRows(ranges)) builder.add(family, words, length, id);
  return builder.build();
}
