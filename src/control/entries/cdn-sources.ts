import { type CdnSource, CdnSourceCreate, type CdnSourcePatch } from '../../api/entries/cdn-sources.ts';
import { checkCsvColumn, checkJsonPath, checkSourceUrl } from '../../sources/lists/cdn.ts';
import { findHeaderFaults } from '../../sources/fetch/request-headers.ts';
import {
  getCdnSource,
  insertCdnSources,
  listSourcesToCollect,
  updateCdnSource,
} from '../../store/entries/cdn-sources.ts';
import type { TenantTx, Versioned } from '../../store/database/database.ts';
import { refuseFaults } from '../body-faults.ts';
import { beginSources } from '../collectors/source-reading.ts';
import type { ControlContext } from '../context.ts';
import { refuseCommonFaults } from './common-members.ts';
import { type CheckedEntry, type EntryFault, checkEntries } from './entries.ts';
import { column, community, enabled, expiresAt, name, textOf } from './entry-csv.ts';
import type { EntryKind } from './kind.ts';

/** Creates all of `bodies` or, when one of them is wrong, none; each fault is located in the body of the request. */
export async function createCdnSources(
  tx: TenantTx,
  { secrets }: ControlContext,
  moduleId: string,
  bodies: readonly CdnSourceCreate[],
  pointerOf: (index: number) => string,
): Promise<Versioned<CdnSource>[]> {
  const sources = await checkEntries(tx, moduleId, bodies, pointerOf, 'CDN_SOURCES', checkCdnSource);
  return insertCdnSources(tx, secrets, moduleId, sources, pointerOf);
}

export async function changeCdnSource(
  tx: TenantTx,
  { secrets }: ControlContext,
  moduleId: string,
  id: string,
  patch: CdnSourcePatch,
  version: number | null,
): Promise<Versioned<CdnSource>> {
  await refuseCommonFaults(tx, patch);
  const { resource } = await getCdnSource(tx, moduleId, id);
  const { headers: _, ...stored } = resource;
  const faults = findFaults({ ...stored, ...patch });
  refuseFaults(faults.map(({ field, detail }) => ({ pointer: `/${field}`, detail })));
  return updateCdnSource(tx, secrets, moduleId, id, patch, version);
}

type Reading = Pick<CdnSource, 'url' | 'format' | 'json_path' | 'csv_column'> &
  Pick<CdnSourcePatch, 'headers'>;

const DEFAULTS = { format: 'auto', json_path: null, csv_column: null } as const;

/** Looks at how the source is to be read. Pure. */
export function checkCdnSource<Body extends CdnSourceCreate>(body: Body): CheckedEntry<Body> {
  const faults = findFaults({ ...DEFAULTS, ...body });
  return faults.length > 0 ? { ok: false, faults } : { ok: true, key: body.name, entry: body };
}

/** How the list is to be read must fit together, and the URL must be one we would ever fetch. */
function findFaults(source: Reading): EntryFault[] {
  const { url, format, json_path: jsonPath, csv_column: csvColumn, headers = {} } = source;
  const checks: readonly (readonly [field: string, check: Check])[] = [
    ['url', checkSourceUrl(url)],
    ['json_path', jsonPath === null ? FINE : (misplaced('json', format) ?? checkJsonPath(jsonPath))],
    ['csv_column', csvColumn === null ? FINE : (misplaced('csv', format) ?? checkCsvColumn(csvColumn))],
  ];
  return [
    ...checks.flatMap(([field, check]) => (check.ok ? [] : [{ field, detail: check.reason }])),
    ...findHeaderFaults(headers).map(([name, detail]) => ({ field: `headers/${name}`, detail })),
  ];
}

type Check = { readonly ok: true } | { readonly ok: false; readonly reason: string };

const FINE: Check = { ok: true };

function misplaced(needed: 'json' | 'csv', format: CdnSource['format']): Check | null {
  if (format === needed || format === 'auto') return null;
  const reason = `It is for ${needed.toUpperCase()}, and the format is ${format}. Leave it out, or set format to ${needed}.`;
  return { ok: false, reason };
}

const { url, format, json_path, csv_column } = CdnSourceCreate.properties;

export const CDN_SOURCES: EntryKind = {
  csv: {
    columns: [
      name,
      column('url', null, url),
      column('format', 'auto', format),
      { ...column('json_path', null), read: textOf(json_path) },
      { ...column('csv_column', null), read: textOf(csv_column) },
      enabled,
      community,
      expiresAt,
    ],
    required: ['name', 'url'],
    check: (row) => checkCdnSource(row as Required<CdnSourceCreate>),
  },
  read: (tx, { id }, tools) =>
    beginSources(tx, 'cdn_source', (tx) => listSourcesToCollect(tx, id, tools.secrets), tools),
};
