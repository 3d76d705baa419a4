import { SourcePresetQuery, SourcePresets } from '../../../api/entries/source-presets.ts';
import { findPresets } from '../../../sources/presets/presets.ts';
import { tenantRoute } from '../../route.ts';

export const sourcePresetRoutes = [
  tenantRoute({
    method: 'GET',
    path: '/v1/source-presets',
    operation: 'listSourcePresets',
    permission: 'bgp:lists:read',
    tag: 'CDN sources',
    summary: 'List well-known sources with what a CDN source needs to read them',
    description:
      'One answer without pages. Copy `url`, `format`, `json_path` and `csv_column` into a CDN source; a variant has its own `url`, ' +
      '`format` and `json_path`. `q` also searches variants.',
    status: 200,
    query: SourcePresetQuery,
    response: SourcePresets,
    handler: ({ query }) => Promise.resolve({ body: { items: findPresets(query) } }),
  }),
];
