import { FAMILIES, type Family } from '../../core/address.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import { loadDiffering, loadTable } from '../../store/contents/contents.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { ContentCache } from './content-cache.ts';
import type { CountedDiff } from './diff-work.ts';
import { diffOf } from './difference-threads.ts';

/** About ten million IPv4 prefixes. */
const CAPACITY_BYTES = 128 * 1024 * 1024;
/** Most revisions differ in little. */
const DIFFERING_BYTES = 32 * 1024 * 1024;
/** What a lookup derives of a row: the innermost row around it. */
const DERIVED_BYTES = 4;
/** The number of a row. */
const ROW_BYTES = 4;
/** What a table costs beside its rows. */
const TABLE_BYTES = 1024;

/** Decoded tables by content hash. */
export class TableCache extends ContentCache<PrefixTable> {
  constructor(capacityBytes: number) {
    super(capacityBytes, loadTable, sizeOf);
  }
}

/** Memory of a table, with what lookups derive of it. */
export function sizeOf(table: Pick<PrefixTable, Family>): number {
  return FAMILIES.reduce((sum, family) => {
    const { words, lengths, labels, size } = table[family];
    return sum + words.byteLength + lengths.byteLength + labels.byteLength + size * DERIVED_BYTES;
  }, TABLE_BYTES);
}

/** The tables of this process. */
export const tableCache = new TableCache(CAPACITY_BYTES);

interface Differing extends CountedDiff {
  readonly before: PrefixTable;
  readonly after: PrefixTable;
}

/** A difference is asked for page by page. */
const differing = new ContentCache<Differing>(
  DIFFERING_BYTES,
  async (tx, names) => {
    const [one = '', other = ''] = names.split(' ');
    const { before, after } = await loadDiffering(tx, one, other);
    return { before, after, ...(await diffOf(before, after)) };
  },
  ({ before, after, diff }) =>
    sizeOf(before) + sizeOf(after) + ROW_BYTES * (diff.announced + diff.withdrawn + 2 * diff.changed),
);

/** The rows in which two contents differ, compared. @throws {Problem} `not_found` when one has been pruned */
export function differingTables(tx: TenantTx, before: string, after: string): Promise<Differing> {
  return differing.load(tx, `${before} ${after}`);
}
