import { type CdnPreview, type CdnPreviewRequest, PREVIEW_LENGTH } from '../../api/entries/cdn-preview.ts';
import { FAMILIES } from '../../core/address.ts';
import { formatPrefixAt } from '../../core/prefix.ts';
import { collectCdn, type CdnList, type CdnRequest } from '../../sources/lists/cdn.ts';
import { type FetchOptions, SourceError } from '../../sources/fetch/fetch.ts';
import { refuseFaults } from '../body-faults.ts';
import { explainSource } from '../source-problem.ts';
import { TenantPlaces } from '../tenant-places.ts';
import { checkCdnSource } from './cdn-sources.ts';

/** Each may hold a body of the greatest size. */
const places = new TenantPlaces({ inAll: 8, ofTenant: 2, what: 'previews are being read', retryAfter: 2 });

/**
 * Reads a source as a refresh would, and stores nothing.
 * @throws {Problem} `validation_failed`; `rate_limited` when too many run; what the source did wrong, by its own code
 */
export async function previewCdn(
  tenantId: string,
  request: CdnPreviewRequest,
  bogons: 'drop' | 'allow',
  fetch: FetchOptions,
): Promise<CdnPreview> {
  const checked = checkCdnSource({ name: 'preview', ...request });
  if (!checked.ok)
    refuseFaults(checked.faults.map(({ field, detail }) => ({ pointer: `/${field}`, detail })));
  const { url, format = 'auto', json_path = null, csv_column = null, headers = {} } = request;
  const source = { url, format, jsonPath: json_path, csvColumn: csv_column, headers };
  return previewSource(tenantId, source, bogons, fetch);
}

/** Reads any source whose list is behind a URL. @throws {Problem} as {@link previewCdn} */
export function previewSource(
  tenantId: string,
  source: Omit<CdnRequest, 'etag' | 'lastModified'>,
  bogons: 'drop' | 'allow',
  fetch: FetchOptions,
): Promise<CdnPreview> {
  return places.take(tenantId, () => readPreview(source, bogons, fetch));
}

async function readPreview(
  source: Omit<CdnRequest, 'etag' | 'lastModified'>,
  bogons: 'drop' | 'allow',
  fetch: FetchOptions,
): Promise<CdnPreview> {
  const started = performance.now();
  try {
    const list = await collectCdn(
      { ...source, etag: null, lastModified: null },
      { ...fetch, bogons, first: PREVIEW_LENGTH },
    );
    // Without validators nobody says "not modified".
    if (list.notModified) throw new Error('A source answered a question that was not asked');
    return present(list, performance.now() - started);
  } catch (error) {
    throw error instanceof SourceError ? explainSource(error) : error;
  }
}

function present(list: CdnList, milliseconds: number): CdnPreview {
  const { prefixes, bogons, counts } = list;
  const { rejects, rejectedCount } = prefixes;
  return {
    http_status: list.httpStatus,
    content_type: list.contentType,
    bytes: list.bytes,
    milliseconds: Math.round(milliseconds),
    format: list.format,
    accepted_count: prefixes.accepted,
    collected: { ...counts!.collected },
    aggregated: { ...counts!.aggregated },
    prefixes: firstOf(list),
    rejected_count: rejectedCount,
    rejected: rejects.slice(0, PREVIEW_LENGTH),
    bogon_count: bogons.count,
    bogons: bogons.listed.slice(0, PREVIEW_LENGTH),
  };
}

function firstOf({ prefixes }: CdnList): string[] {
  return FAMILIES.flatMap((family) => {
    const rows = prefixes[family];
    return Array.from({ length: Math.min(rows.size, PREVIEW_LENGTH) }, (_, i) => formatPrefixAt(rows, i));
  }).slice(0, PREVIEW_LENGTH);
}
