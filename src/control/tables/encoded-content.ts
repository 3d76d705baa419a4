import type { PrefixCount } from '../../api/shapes/page.ts';
import type { IdTable } from '../../core/stored/id-table.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import type { TableDelta } from '../../core/stored/stored-table.ts';
import type { EncodedTable } from '../../core/stored/table-codec.ts';

/** A table as it goes into the store. */
export interface EncodedContent {
  readonly contentHash: string;
  readonly prefixCount: PrefixCount;
  /** Null: it is the content that was said to be there before. */
  readonly encoded: EncodedTable | TableDelta | null;
}

/** A snapshot of a module. */
export interface Snapshot extends EncodedContent {
  readonly table: PrefixTable | IdTable;
}
