import { v7 as uuidv7 } from 'uuid';
import type { CdnSource, CdnSourceCreate, CdnSourcePatch } from '../../api/entries/cdn-sources.ts';
import type { TenantTx, Versioned } from '../database/database.ts';
import { COLLECTED_COLUMNS, ENTRY_COLUMNS, entryStore } from './entries.ts';
import { newEntryColumns } from './entry-communities.ts';
import { columnsOfFetched, type EntryToFetch, listEntriesToFetch } from './fetched-entries.ts';
import { sealHeaders } from '../sealed-headers.ts';
import type { SecretBox } from '../secrets.ts';

const entries = entryStore({
  table: 'cdn_source',
  path: 'cdn-sources',
  columns: [
    ...ENTRY_COLUMNS,
    ...COLLECTED_COLUMNS,
    'name',
    'url',
    'format',
    'json_path',
    'csv_column',
    'header_names',
    'etag',
    'rejected_count',
    'rejected',
  ],
  key: 'name',
  present({
    version: _,
    header_names: names,
    prefix_count_ipv4: ipv4,
    prefix_count_ipv6: ipv6,
    ...source
  }): CdnSource {
    const headers = Object.fromEntries(names.map((name) => [name, null]));
    return { ...source, headers, prefix_count: { ipv4, ipv6 } };
  },
  describeDuplicate: (name) =>
    `A CDN source with the name ${String(name)} exists already. Choose another name.`,
});

export const {
  list: listCdnSources,
  get: getCdnSource,
  remove: deleteCdnSource,
  many: manyCdnSources,
} = entries;

/** All or none, as {@link entryStore} says. */
export async function insertCdnSources(
  tx: TenantTx,
  secrets: SecretBox,
  moduleId: string,
  bodies: readonly CdnSourceCreate[],
  pointerOf: (index: number) => string = () => '',
): Promise<Versioned<CdnSource>[]> {
  const rows = bodies.map((body) => {
    const { name, url, format = 'auto', json_path = null, csv_column = null } = body;
    const { headers = {} } = body;
    const id = uuidv7();
    const reading = { name, url, format, json_path, csv_column };
    return {
      id,
      ...reading,
      ...newEntryColumns(body),
      ...sealHeaders(tx, secrets, { table: 'cdn_source', id }, headers),
    };
  });
  return entries.insert(tx, moduleId, rows, pointerOf);
}

export async function updateCdnSource(
  tx: TenantTx,
  secrets: SecretBox,
  moduleId: string,
  id: string,
  patch: CdnSourcePatch,
  version: number | null,
): Promise<Versioned<CdnSource>> {
  const set = await columnsOfFetched(tx, secrets, { table: 'cdn_source', id }, patch);
  return entries.update(tx, moduleId, id, set, version);
}

/** What collecting a source needs. */
export interface SourceToCollect extends EntryToFetch {
  readonly format: CdnSource['format'];
  readonly jsonPath: string | null;
  readonly csvColumn: string | null;
}

/** The module's enabled sources. */
export async function listSourcesToCollect(
  tx: TenantTx,
  moduleId: string,
  secrets: SecretBox,
): Promise<SourceToCollect[]> {
  const columns = ['format', 'json_path', 'csv_column'] as const;
  const sources = await listEntriesToFetch<Pick<CdnSource, (typeof columns)[number]>>(
    tx,
    'cdn_source',
    moduleId,
    secrets,
    columns,
  );
  return sources.map(({ question, ...source }) => ({
    ...source,
    format: question.format,
    jsonPath: question.json_path,
    csvColumn: question.csv_column,
  }));
}
