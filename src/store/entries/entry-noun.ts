/** What a kind of entries says of its table, and what can be done to its entries then: shapes for entries.ts. */
import type { Insertable, Selectable, Updateable } from 'kysely';
import type { EntryType } from '../../api/entries/entry-kinds.ts';
import type { EntryOrder } from '../../api/entries/entry-members.ts';
import type { Page, PageRequest } from '../../api/shapes/page.ts';
import type { TenantTx, Versioned } from '../database/database.ts';
import type { OneOrSeveral } from '../database/pagination.ts';
import type { Tables } from '../generated/rows.ts';

export type Columns<Table extends EntryType> = keyof Selectable<Tables[Table]> & string;
export type Row<Table extends EntryType, Column extends Columns<Table>> = Pick<
  Selectable<Tables[Table]>,
  Column
> & {
  /** Whether its module is held because of it. */
  readonly held: boolean;
};

export interface EntryNoun<Table extends EntryType, Column extends Columns<Table>, Entry> {
  readonly table: Table;
  /** The last segment of the list's path. */
  readonly path: string;
  /** The columns that are read. */
  readonly columns: readonly Column[];
  /** The column that is unique in a module. */
  readonly key: Column;
  readonly present: (row: Row<Table, Column>) => Entry;
  /** Says that the module has an entry with this key already, and what to do. */
  readonly describeDuplicate: (key: unknown) => string;
}

/** A list's page and its filters, each named after its column but `q`. */
export type EntryQuery = PageRequest & EntryFilter & { readonly sort?: EntryOrder | undefined };

/** Which entries of a module; `ids` restricts them further. */
export interface EntryFilter {
  readonly ids?: readonly string[] | undefined;
  readonly q?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly status?: OneOrSeveral<string> | undefined;
}

/** A row to insert: what is left out gets no default of the database, so a noun says all that may not be null. */
export type NewEntry<Table extends EntryType> = Omit<Insertable<Tables[Table]>, 'tenant_id' | 'module_id'> & {
  readonly id: string;
  readonly community_ids: readonly string[];
};

/** The changed columns of an entry; its only community may be given as `community_id`. */
export type EntryChange<Table extends EntryType> = Updateable<Tables[Table]> & {
  readonly community_id?: string | null | undefined;
};

export interface EntryStore<Table extends EntryType, Entry> {
  readonly list: (tx: TenantTx, moduleId: string, query: EntryQuery) => Promise<Page<Entry>>;
  readonly get: (tx: TenantTx, moduleId: string, id: string) => Promise<Versioned<Entry>>;
  /**
   * Inserts all of them or, if the key of one exists already, none.
   * @param rows with distinct keys and ascending ids
   * @param pointerOf the place of a row in the request
   * @returns in the order given
   * @throws {Problem} `conflict`
   */
  readonly insert: (
    tx: TenantTx,
    moduleId: string,
    rows: readonly NewEntry<Table>[],
    pointerOf: (index: number) => string,
  ) => Promise<Versioned<Entry>[]>;
  /** @throws {Problem} `not_found`, `precondition_failed`, `conflict` */
  readonly update: (
    tx: TenantTx,
    moduleId: string,
    id: string,
    set: EntryChange<Table>,
    version: number | null,
  ) => Promise<Versioned<Entry>>;
  /** @throws {Problem} `not_found`, `precondition_failed` */
  readonly remove: (tx: TenantTx, moduleId: string, id: string, version: number | null) => Promise<void>;
  readonly many: ManyEntries<Table, Entry>;
}

/** Operations on many entries of a module at once. */
export interface ManyEntries<Table extends EntryType, Entry> {
  /** Locks the selected entries until the transaction ends. @returns their ids, in ascending order */
  readonly lock: (tx: TenantTx, moduleId: string, which: EntryFilter, limit: number) => Promise<string[]>;
  /** @returns the entries as they are then, in the order of ids */
  readonly update: (
    tx: TenantTx,
    moduleId: string,
    ids: readonly string[],
    set: EntryChange<Table>,
  ) => Promise<Entry[]>;
  readonly remove: (tx: TenantTx, moduleId: string, ids: readonly string[]) => Promise<void>;
  /** @returns what operators call them, in the order of ids */
  readonly names: (tx: TenantTx, moduleId: string, ids: readonly string[]) => Promise<string[]>;
}
