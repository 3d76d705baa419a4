import { CdnPreview, CdnPreviewRequest } from '../../api/cdn-preview.ts';
import { previewCdn } from '../../control/entries/preview-cdn.ts';
import { getSetting } from '../../store/settings.ts';
import { tenantRoute } from '../route.ts';

export const cdnPreviewRoutes = [
  tenantRoute({
    method: 'POST',
    path: '/v1/cdn-sources/preview',
    operation: 'previewCdnSource',
    permission: 'bgp:lists:write',
    audit: { none: 'It reads what a source says, and stores nothing.' },
    tag: 'CDN sources',
    summary: 'Read a source as a refresh would, and store nothing',
    description:
      'The same limits hold as in a refresh, and the same addresses are refused. A source that fails answers with the code that ' +
      'an entry would show in `last_error`.',
    status: 200,
    problems: [
      'source_bad_url',
      'source_refused_address',
      'source_unparseable',
      'source_empty',
      'source_unreachable',
      'source_timeout',
      'source_redirect',
      'source_http_status',
      'source_too_large',
      'rate_limited',
    ],
    body: CdnPreviewRequest,
    example: { url: 'https://lists.example/ip-ranges.json', json_path: '$.prefixes[*].ip_prefix' },
    response: CdnPreview,
    asksOutside: true,
    handler: async ({ tx, body, services }) => {
      const bogons = await getSetting(tx, 'guard_bogons');
      return { outside: async () => ({ body: await previewCdn(tx.tenantId, body, bogons, services.fetch) }) };
    },
  }),
];
