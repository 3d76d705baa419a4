import {
  IpRangeEntry,
  IpRangeEntryCreate,
  IpRangeEntryPatch,
  IpRangeEntryQuery,
  IpRangeEntriesChange,
  IpRangeEntriesChoice,
} from '../../../api/entries/ip-range-entries.ts';
import { changeIpRangeEntry, createIpRangeEntries } from '../../../control/entries/ip-range-entries.ts';
import {
  deleteIpRangeEntry,
  getIpRangeEntry,
  listIpRangeEntries,
  manyIpRangeEntries,
} from '../../../store/entries/ip-range-entries.ts';
import { entryRoutes } from '../../entry-routes.ts';

export const ipRangeEntryRoutes = entryRoutes({
  path: 'ip-range-entries',
  tag: 'IP range entries',
  noun: 'IP range entry',
  plural: 'IP ranges',
  operation: { one: 'IpRangeEntry', many: 'IpRangeEntries' },
  summaries: {
    list: 'List the IP ranges of a module',
    create: 'Create one IP range, or up to 10,000 at once',
    read: 'Read an IP range',
    change: 'Change an IP range',
    remove: 'Delete an IP range',
  },
  schemas: {
    entry: IpRangeEntry,
    create: IpRangeEntryCreate,
    patch: IpRangeEntryPatch,
    query: IpRangeEntryQuery,
    choice: IpRangeEntriesChoice,
    change: IpRangeEntriesChange,
  },
  problems: ['tenant_policy'],
  examples: { create: { cidr: '8.8.8.0/24', note: 'resolver' }, patch: { note: null, enabled: false } },
  list: listIpRangeEntries,
  get: getIpRangeEntry,
  create: (tx, _, ...bodies) => createIpRangeEntries(tx, ...bodies),
  change: (tx, _, ...patch) => changeIpRangeEntry(tx, ...patch),
  remove: deleteIpRangeEntry,
  many: manyIpRangeEntries,
});
