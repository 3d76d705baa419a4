import {
  DomainEntry,
  DomainEntryCreate,
  DomainEntryPatch,
  DomainEntryQuery,
  DomainEntriesChange,
  DomainEntriesChoice,
} from '../../../api/entries/domain-entries.ts';
import { changeDomainEntry, createDomainEntries } from '../../../control/entries/domain-entries.ts';
import {
  deleteDomainEntry,
  getDomainEntry,
  listDomainEntries,
  manyDomainEntries,
} from '../../../store/entries/domain-entries.ts';
import { entryRoutes } from '../../entry-routes.ts';

export const domainEntryRoutes = entryRoutes({
  path: 'domain-entries',
  tag: 'domain entries',
  noun: 'domain entry',
  plural: 'domains',
  operation: { one: 'DomainEntry', many: 'DomainEntries' },
  summaries: {
    list: 'List the domains of a module',
    create: 'Create one domain entry, or up to 10,000 at once',
    read: 'Read a domain entry',
    change: 'Change a domain entry',
    remove: 'Delete a domain entry',
  },
  createDescription: 'Only the name itself is resolved: names below it are entries of their own.',
  schemas: {
    entry: DomainEntry,
    create: DomainEntryCreate,
    patch: DomainEntryPatch,
    query: DomainEntryQuery,
    choice: DomainEntriesChoice,
    change: DomainEntriesChange,
  },
  examples: { create: { domain: 'www.example.com', note: 'The front page' }, patch: { enabled: false } },
  list: listDomainEntries,
  get: getDomainEntry,
  create: (tx, _, ...bodies) => createDomainEntries(tx, ...bodies),
  change: (tx, _, ...patch) => changeDomainEntry(tx, ...patch),
  remove: deleteDomainEntry,
  many: manyDomainEntries,
});
