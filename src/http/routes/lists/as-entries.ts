import {
  AsEntry,
  AsEntryCreate,
  AsEntryPatch,
  AsEntryQuery,
  AsEntriesChange,
  AsEntriesChoice,
} from '../../../api/entries/as-entries.ts';
import { changeAsEntry, createAsEntries } from '../../../control/entries/as-entries.ts';
import {
  deleteAsEntry,
  getAsEntry,
  listAsEntries,
  manyAsEntries,
} from '../../../store/entries/as-entries.ts';
import { entryRoutes } from '../../entry-routes.ts';

export const asEntryRoutes = entryRoutes({
  path: 'as-entries',
  tag: 'AS entries',
  noun: 'AS entry',
  plural: 'AS numbers',
  operation: { one: 'AsEntry', many: 'AsEntries' },
  summaries: {
    list: 'List the AS numbers of a module',
    create: 'Create one AS entry, or up to 10,000 at once',
    read: 'Read an AS entry',
    change: 'Change an AS entry',
    remove: 'Delete an AS entry',
  },
  createDescription: 'Numbers for private use and documentation are taken, reserved ones are not.',
  schemas: {
    entry: AsEntry,
    create: AsEntryCreate,
    patch: AsEntryPatch,
    query: AsEntryQuery,
    choice: AsEntriesChoice,
    change: AsEntriesChange,
  },
  examples: { create: { asn: 3333, note: 'RIPE NCC' }, patch: { note: null, enabled: false } },
  list: listAsEntries,
  get: getAsEntry,
  create: (tx, _, ...bodies) => createAsEntries(tx, ...bodies),
  change: (tx, _, ...patch) => changeAsEntry(tx, ...patch),
  remove: deleteAsEntry,
  many: manyAsEntries,
});
