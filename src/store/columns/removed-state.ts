type Row = Readonly<Record<string, unknown>>;

/** What was collected and decided of a module that was deleted: a row of each table, null where there was none. */
export interface RemovedState {
  readonly snapshot: Row | null;
  readonly accepted_snapshot: Row | null;
  readonly held_snapshot: Row | null;
  readonly released_snapshot: Row | null;
  readonly rolled_back_snapshot: Row | null;
  /** Values of communities and names of resolvers that the module refers to, by id; null: none. */
  readonly communities: Readonly<Record<string, string>> | null;
  readonly resolvers: Readonly<Record<string, string>> | null;
}

/** Of those, the tables that name contents. They are kept as long as the module can be restored. */
export const STATES_WITH_CONTENT = [
  'snapshot',
  'accepted_snapshot',
  'held_snapshot',
] as const satisfies readonly (keyof RemovedState)[];
