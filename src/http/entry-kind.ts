/** What the routes of a kind of entries need of it. */
import type { Static, TObject } from 'typebox';
import type { ProblemCode } from '../api/problems/problem.ts';
import type { Page } from '../api/shapes/page.ts';
import type { ControlContext } from '../control/context.ts';
import type { TenantTx, Versioned } from '../store/database/database.ts';
import type { ManyEntries } from '../store/entries/entry-noun.ts';

export interface EntryKind<
  Entry extends TObject,
  Create extends TObject,
  Patch extends TObject,
  Query extends TObject,
> {
  /** The last segment of the list's path. */
  readonly path: string;
  readonly tag: string;
  /** As a 404 and summaries call one, `AS entry`; the audit log has it as `as_entry`. */
  readonly noun: string;
  /** As sentences call many. */
  readonly plural: string;
  /** As operations call one and many: `AsEntry`, `AsEntries`. */
  readonly operation: { readonly one: string; readonly many: string };
  readonly summaries: {
    readonly list: string;
    readonly create: string;
    readonly read: string;
    readonly change: string;
    readonly remove: string;
  };
  /** What writing one may be refused with, beyond what every kind of entry is. */
  readonly problems?: readonly ProblemCode[];
  /** What a caller should know beyond that many are created together. */
  readonly createDescription?: string;
  readonly schemas: {
    readonly entry: Entry;
    readonly create: Create;
    readonly patch: Patch;
    readonly query: Query;
    /** Bodies of what is done to many. */
    readonly choice: TObject;
    readonly change: TObject;
  };
  readonly examples: { readonly create: Static<Create>; readonly patch: Static<Patch> };
  list(tx: TenantTx, moduleId: string, query: Static<Query>): Promise<Page<Static<Entry>>>;
  get(tx: TenantTx, moduleId: string, id: string): Promise<Versioned<Static<Entry>>>;
  create(
    tx: TenantTx,
    context: ControlContext,
    moduleId: string,
    bodies: readonly Static<Create>[],
    pointerOf: (index: number) => string,
  ): Promise<Versioned<Static<Entry> & { readonly id: string }>[]>;
  change(
    tx: TenantTx,
    context: ControlContext,
    moduleId: string,
    id: string,
    patch: Static<Patch>,
    version: number | null,
  ): Promise<Versioned<Static<Entry>>>;
  remove(tx: TenantTx, moduleId: string, id: string, version: number | null): Promise<void>;
  readonly many: ManyEntries<never, Static<Entry>>;
}
