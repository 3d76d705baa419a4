import type { Static, TObject } from 'typebox';
import { CdnPreview, CdnPreviewRequest } from '../../../api/entries/cdn-preview.ts';
import { previewCdn } from '../../../control/entries/preview-cdn.ts';
import type { FetchOptions } from '../../../sources/fetch/fetch.ts';
import { getSetting } from '../../../store/tenants/settings.ts';
import { tenantRoute, type TenantRoute } from '../../route.ts';

/** What may be wrong with an answer from elsewhere. */
export const SOURCE_PROBLEMS = [
  'source_refused_address',
  'source_unparseable',
  'source_empty',
  'source_unreachable',
  'source_timeout',
  'source_redirect',
  'source_http_status',
  'source_too_large',
] as const;

interface Preview<Body extends TObject> {
  readonly path: `/v1/${string}/preview`;
  readonly operation: string;
  readonly tag: string;
  readonly summary: string;
  readonly body: Body;
  readonly example: Static<Body>;
  readonly preview: (
    tenantId: string,
    request: Static<Body>,
    bogons: 'drop' | 'allow',
    fetch: FetchOptions,
  ) => Promise<CdnPreview>;
}

/** Of a kind of source whose list is behind a URL. */
export function previewRoute<Body extends TObject>({ preview, ...route }: Preview<Body>): TenantRoute {
  return tenantRoute({
    ...route,
    method: 'POST',
    permission: 'bgp:lists:write',
    audit: { none: 'It reads what a source says, and stores nothing.' },
    description:
      'The limits and refused addresses are those of a refresh. For a source that fails, the answer has the code that an entry would show in `last_error`.',
    status: 200,
    problems: ['source_bad_url', ...SOURCE_PROBLEMS, 'rate_limited'],
    response: CdnPreview,
    asksOutside: true,
    handler: async ({ tx, body, services }) => {
      const bogons = await getSetting(tx, 'guard_bogons');
      return { outside: async () => ({ body: await preview(tx.tenantId, body, bogons, services.fetch) }) };
    },
  });
}

export const cdnPreviewRoutes = [
  previewRoute({
    path: '/v1/cdn-sources/preview',
    operation: 'previewCdnSource',
    tag: 'CDN sources',
    summary: 'Read a source as a refresh would, and store nothing',
    body: CdnPreviewRequest,
    example: { url: 'https://lists.example/ip-ranges.json', json_path: '$.prefixes[*].ip_prefix' },
    preview: previewCdn,
  }),
];
