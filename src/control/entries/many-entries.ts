import { NAMED_ENTRIES } from '../../api/activity/audit-entries.ts';
import type {
  DeletedEntries,
  EntriesChange,
  EntryChoice,
  EntryFilterBody,
} from '../../api/entries/many-entries.ts';
import { grouped } from '../../api/shapes/grouped.ts';
import { MAXIMUM_BULK } from '../../api/shapes/page.ts';
import { fieldProblem } from '../../api/problems/problem.ts';
import type { TenantTx } from '../../store/database/database.ts';
import type { EntryFilter } from '../../store/entries/entry-noun.ts';
import { lockModuleEntries } from '../../store/entries/entry-sets.ts';
import { findOwnRemoval } from '../../store/entries/removed-lists.ts';
import { refuseFaults } from '../body-faults.ts';
import { findCommonFaults } from './common-members.ts';
import { findEntriesAround } from './entries-around.ts';
import { recountAround } from './recount-entry.ts';

/** What the store of a kind of entries does to many of them. */
export interface EntriesOfKind<Entry> {
  lock(tx: TenantTx, moduleId: string, which: EntryFilter, limit: number): Promise<string[]>;
  update(
    tx: TenantTx,
    moduleId: string,
    ids: readonly string[],
    set: EntriesChange['patch'],
  ): Promise<Entry[]>;
  remove(tx: TenantTx, moduleId: string, ids: readonly string[]): Promise<void>;
  /** What operators call them, in the order of ids. */
  names(tx: TenantTx, moduleId: string, ids: readonly string[]): Promise<string[]>;
}

/**
 * Changes all entries that are meant, or none. A filter may mean none.
 * @throws {Problem} `not_found` for the module, `validation_failed`
 */
export async function changeEntries<Entry>(
  tx: TenantTx,
  moduleId: string,
  { patch, ...choice }: EntriesChange,
  noun: string,
  entries: EntriesOfKind<Entry>,
): Promise<Entry[]> {
  refuseFaults(await findCommonFaults(tx, [patch], () => '/patch'));
  const ids = await choose(tx, moduleId, choice, noun, entries);
  const change = (): Promise<Entry[]> => entries.update(tx, moduleId, ids, patch);
  return patch.enabled === undefined ? change() : recountAround(tx, moduleId, ids, change);
}

/**
 * Deletes all entries that are meant, or none.
 * @returns also the names of the first ones
 * @throws {Problem} as {@link changeEntries}
 */
export async function deleteEntries(
  tx: TenantTx,
  moduleId: string,
  choice: EntryChoice,
  noun: string,
  entries: EntriesOfKind<unknown>,
): Promise<{ readonly answer: DeletedEntries; readonly names: readonly string[] }> {
  const ids = await choose(tx, moduleId, choice, noun, entries);
  const names = await entries.names(tx, moduleId, ids.slice(0, NAMED_ENTRIES));
  await recountAround(tx, moduleId, ids, () => entries.remove(tx, moduleId, ids));
  const batch = ids.length === 0 ? null : await findOwnRemoval(tx, moduleId);
  return { answer: { deleted: ids.length, ids, batch }, names };
}

/** What the list of a module is filtered by, as the store knows it. @param pointerOf where a filter stands in the request */
export async function storedFilter<Filter extends EntryFilterBody>(
  tx: TenantTx,
  moduleId: string,
  { contains, ...filter }: Filter,
  pointerOf: (name: string) => string,
): Promise<Omit<Filter, 'contains'> & Pick<EntryFilter, 'ids'>> {
  if (contains === undefined) return filter;
  return { ...filter, ids: await findEntriesAround(tx, moduleId, contains, pointerOf('contains')) };
}

async function choose(
  tx: TenantTx,
  moduleId: string,
  { ids, filter }: EntryChoice,
  noun: string,
  entries: Pick<EntriesOfKind<unknown>, 'lock'>,
): Promise<string[]> {
  if ((ids === undefined) === (filter === undefined))
    throw fieldProblem('', 'Give either `ids` or `filter`, to say which entries are meant');
  await lockModuleEntries(tx, moduleId);
  if (ids !== undefined) return chooseById(tx, moduleId, ids, noun, entries);
  const which = await storedFilter(tx, moduleId, filter!, (name) => `/filter/${name}`);
  const chosen = await entries.lock(tx, moduleId, which, MAXIMUM_BULK + 1);
  if (chosen.length > MAXIMUM_BULK)
    throw fieldProblem(
      '/filter',
      `It means more than ${grouped(MAXIMUM_BULK)} entries, as many as are changed at once. Narrow it, or give \`ids\` in several requests.`,
    );
  return chosen;
}

async function chooseById(
  tx: TenantTx,
  moduleId: string,
  given: readonly string[],
  noun: string,
  entries: Pick<EntriesOfKind<unknown>, 'lock'>,
): Promise<string[]> {
  const ids = given.map((id) => id.toLowerCase());
  const chosen = await entries.lock(tx, moduleId, { ids }, MAXIMUM_BULK);
  const known = new Set(chosen);
  refuseFaults(
    ids.flatMap((id, index) =>
      known.has(id)
        ? []
        : [{ pointer: `/ids/${index}`, detail: `The module has no ${noun} with the id ${id}.` }],
    ),
  );
  return chosen;
}
