import { v7 as uuidv7 } from 'uuid';
import type {
  GeofeedEntry,
  GeofeedEntryCreate,
  GeofeedEntryPatch,
} from '../../api/entries/geofeed-entries.ts';
import type { TenantTx, Versioned } from '../database/database.ts';
import { COLLECTED_COLUMNS, ENTRY_COLUMNS, entryStore } from './entries.ts';
import { newEntryColumns } from './entry-communities.ts';
import { columnsOfFetched, type EntryToFetch, listEntriesToFetch } from './fetched-entries.ts';
import { sealHeaders } from '../sealed-headers.ts';
import type { SecretBox } from '../secrets.ts';

const entries = entryStore({
  table: 'geofeed_entry',
  path: 'geofeed-entries',
  columns: [
    ...ENTRY_COLUMNS,
    ...COLLECTED_COLUMNS,
    'name',
    'url',
    'countries',
    'regions',
    'header_names',
    'etag',
    'rejected_count',
    'rejected',
  ],
  key: 'name',
  present({ version: _, header_names: names, ...row }): GeofeedEntry {
    const { prefix_count_ipv4: ipv4, prefix_count_ipv6: ipv6, ...entry } = row;
    const headers = Object.fromEntries(names.map((name) => [name, null]));
    return { ...entry, headers, prefix_count: { ipv4, ipv6 } };
  },
  describeDuplicate: (name) => `A geofeed with the name ${String(name)} exists already. Choose another name.`,
});

export const {
  list: listGeofeedEntries,
  get: getGeofeedEntry,
  remove: deleteGeofeedEntry,
  many: manyGeofeedEntries,
} = entries;

/** All or none, as {@link entryStore} says; codes are canonical. */
export async function insertGeofeedEntries(
  tx: TenantTx,
  secrets: SecretBox,
  moduleId: string,
  bodies: readonly GeofeedEntryCreate[],
  pointerOf: (index: number) => string = () => '',
): Promise<Versioned<GeofeedEntry>[]> {
  const rows = bodies.map((body) => {
    const { name, url, countries, regions = [], headers = {} } = body;
    const id = uuidv7();
    const sealed = sealHeaders(tx, secrets, { table: 'geofeed_entry', id }, headers);
    return { id, name, url, countries, regions, ...newEntryColumns(body), ...sealed };
  });
  return entries.insert(tx, moduleId, rows, pointerOf);
}

export async function updateGeofeedEntry(
  tx: TenantTx,
  secrets: SecretBox,
  moduleId: string,
  id: string,
  patch: GeofeedEntryPatch,
  version: number | null,
): Promise<Versioned<GeofeedEntry>> {
  const set = await columnsOfFetched(tx, secrets, { table: 'geofeed_entry', id }, patch);
  return entries.update(tx, moduleId, id, set, version);
}

export type GeofeedToCollect = EntryToFetch & {
  readonly question: Pick<GeofeedEntry, 'countries' | 'regions'>;
};

/** The module's enabled entries. */
export function listGeofeedsToCollect(
  tx: TenantTx,
  moduleId: string,
  secrets: SecretBox,
): Promise<GeofeedToCollect[]> {
  const columns = ['countries', 'regions'] as const;
  return listEntriesToFetch<GeofeedToCollect['question']>(tx, 'geofeed_entry', moduleId, secrets, columns);
}
