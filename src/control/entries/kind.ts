import type { Module } from '../../api/lists/modules.ts';
import type { TenantTx } from '../../store/database/database.ts';
import type { RangeEdits } from '../../store/entries/range-edits.ts';
import type { CollectTools, Reading } from '../collectors/reading.ts';
import type { EntryCsv } from './entry-csv.ts';

/** What the service does with a kind of entry. */
export type EntryKind = WrittenKind | CollectedKind;

interface AnyKind {
  readonly csv: EntryCsv;
}

/** Entries that are prefixes themselves. */
export interface WrittenKind extends AnyKind {
  /** All of a module, the disabled ones too, as `id cidr,id cidr…`. */
  readonly prefixes: (tx: TenantTx, moduleId: string) => Promise<string>;
  /** What was edited since the module's snapshot was made. */
  readonly edits: (tx: TenantTx, moduleId: string) => Promise<RangeEdits>;
  /** Refuses keys that the module may not have, as it would if somebody wrote them now. @throws {Problem} */
  readonly requireAllowed: (tx: TenantTx, moduleId: string, keys: readonly string[]) => Promise<void>;
}

/** Entries whose prefixes are read from somewhere. */
export interface CollectedKind extends AnyKind {
  /** Reads the enabled entries of a module, and how they are to be collected. */
  readonly read: (tx: TenantTx, module: Module, tools: CollectTools) => Promise<Reading>;
}
