import {
  type GeofeedEntry,
  GeofeedEntryCreate,
  type GeofeedEntryPatch,
  type GeofeedPreviewRequest,
} from '../../api/entries/geofeed-entries.ts';
import type { CdnPreview } from '../../api/entries/cdn-preview.ts';
import { checkSourceUrl } from '../../sources/lists/cdn.ts';
import type { FetchOptions } from '../../sources/fetch/fetch.ts';
import { findHeaderFaults } from '../../sources/fetch/request-headers.ts';
import { parseCountry, parseRegion, type Places } from '../../sources/lists/geofeed-list.ts';
import type { TenantTx, Versioned } from '../../store/database/database.ts';
import {
  getGeofeedEntry,
  insertGeofeedEntries,
  listGeofeedsToCollect,
  updateGeofeedEntry,
} from '../../store/entries/geofeed-entries.ts';
import { refuseFaults } from '../body-faults.ts';
import { beginSources } from '../collectors/source-reading.ts';
import type { ControlContext } from '../context.ts';
import { refuseCommonFaults } from './common-members.ts';
import { type CheckedEntry, type EntryFault, checkEntries } from './entries.ts';
import { column, community, type CsvColumn, enabled, expiresAt, name } from './entry-csv.ts';
import type { EntryKind } from './kind.ts';
import { previewSource } from './preview-cdn.ts';

/** Creates all of `bodies` or, when one of them is wrong, none; each fault is located in the body of the request. */
export async function createGeofeedEntries(
  tx: TenantTx,
  { secrets }: ControlContext,
  moduleId: string,
  bodies: readonly GeofeedEntryCreate[],
  pointerOf: (index: number) => string,
): Promise<Versioned<GeofeedEntry>[]> {
  const entries = await checkEntries(tx, moduleId, bodies, pointerOf, 'GEOFEED', checkGeofeedEntry);
  return insertGeofeedEntries(tx, secrets, moduleId, entries, pointerOf);
}

export async function changeGeofeedEntry(
  tx: TenantTx,
  { secrets }: ControlContext,
  moduleId: string,
  id: string,
  patch: GeofeedEntryPatch,
  version: number | null,
): Promise<Versioned<GeofeedEntry>> {
  await refuseCommonFaults(tx, patch);
  const { resource } = await getGeofeedEntry(tx, moduleId, id);
  const { url, countries, regions } = { ...resource, ...patch };
  const places = checkPlaces({ url, countries, regions, headers: patch.headers ?? {} });
  const { countries: _, regions: _regions, ...rest } = patch;
  const set = {
    ...rest,
    ...(patch.countries === undefined ? {} : { countries: [...places.countries] }),
    ...(patch.regions === undefined ? {} : { regions: [...places.regions] }),
  };
  return updateGeofeedEntry(tx, secrets, moduleId, id, set, version);
}

/** Reads a feed as a refresh would, and stores nothing. @throws {Problem} as a preview of a CDN source */
export function previewGeofeed(
  tenantId: string,
  request: GeofeedPreviewRequest,
  bogons: 'drop' | 'allow',
  fetch: FetchOptions,
): Promise<CdnPreview> {
  const { url, headers = {} } = request;
  const places = checkPlaces({ regions: [], headers, ...request });
  return previewSource(tenantId, { url, headers, ...READING, places }, bogons, fetch);
}

/** How every feed is read. */
const READING = { format: 'csv', jsonPath: null, csvColumn: null } as const;

interface Question extends Places {
  readonly url: string;
  readonly headers: Readonly<Record<string, string | null>>;
}

/** @throws {Problem} `validation_failed` */
function checkPlaces(question: Question): Places {
  const read = readQuestion(question);
  refuseFaults(read.faults.map(({ field, detail }) => ({ pointer: `/${field}`, detail })));
  return read.places;
}

function readQuestion({ url, countries, regions, headers }: Question): {
  readonly places: Places;
  readonly faults: readonly EntryFault[];
} {
  const faults: EntryFault[] = [];
  const read = (field: string, texts: readonly string[], parse: typeof parseCountry): string[] =>
    texts.flatMap((text, index) => {
      const parsed = parse(text);
      if (parsed.ok) return [parsed.value];
      faults.push({ field: `${field}/${index}`, detail: `${parsed.reason}.` });
      return [];
    });
  const checked = checkSourceUrl(url);
  if (!checked.ok) faults.push({ field: 'url', detail: checked.reason });
  const places = {
    countries: inOrder(read('countries', countries, parseCountry)),
    regions: inOrder(read('regions', regions, parseRegion)),
  };
  if (faults.length === 0)
    for (const [index, text] of regions.entries()) {
      const region = parseRegion(text);
      const country = region.ok ? region.value.slice(0, 2) : '';
      if (!places.countries.includes(country))
        faults.push({
          field: `regions/${index}`,
          detail: `${text} is a region of ${country}, which is not among the countries. Add ${country} to them, or leave the region out.`,
        });
    }
  const headerFaults = findHeaderFaults(headers);
  faults.push(...headerFaults.map(([header, detail]) => ({ field: `headers/${header}`, detail })));
  return { places, faults };
}

function inOrder(codes: readonly string[]): string[] {
  return [...new Set(codes)].sort();
}

/** Brings the codes into canonical form. Pure. */
function checkGeofeedEntry<Body extends GeofeedEntryCreate>(body: Body): CheckedEntry<Body> {
  const { places, faults } = readQuestion({ regions: [], headers: {}, ...body });
  if (faults.length > 0) return { ok: false, faults };
  return { ok: true, key: body.name, entry: { ...body, ...places } };
}

/** Codes with blanks between them. */
function codes(name: string): CsvColumn {
  return { ...column(name, []), read: (cell) => cell.split(/[\s,;]+/).filter((code) => code !== '') };
}

export const GEOFEED: EntryKind = {
  csv: {
    columns: [
      name,
      column('url', null, GeofeedEntryCreate.properties.url),
      codes('countries'),
      codes('regions'),
      enabled,
      community,
      expiresAt,
    ],
    required: ['name', 'url', 'countries'],
    check: (row) => checkGeofeedEntry(row as Required<GeofeedEntryCreate>),
  },
  read: (tx, { id }, tools) => {
    const list = async (tx: TenantTx) =>
      (await listGeofeedsToCollect(tx, id, tools.secrets)).map(
        ({ question: { countries, regions }, ...feed }) => ({
          ...feed,
          ...READING,
          places: { countries, regions },
        }),
      );
    return beginSources(tx, 'geofeed_entry', list, tools);
  },
};
