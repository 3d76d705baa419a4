import {
  CdnSource,
  CdnSourceCreate,
  CdnSourcePatch,
  CdnSourceQuery,
  CdnSourcesChange,
  CdnSourcesChoice,
} from '../../../api/entries/cdn-sources.ts';
import { changeCdnSource, createCdnSources } from '../../../control/entries/cdn-sources.ts';
import {
  deleteCdnSource,
  getCdnSource,
  listCdnSources,
  manyCdnSources,
} from '../../../store/entries/cdn-sources.ts';
import { entryRoutes } from '../../entry-routes.ts';

export const cdnSourceRoutes = entryRoutes({
  path: 'cdn-sources',
  tag: 'CDN sources',
  noun: 'CDN source',
  plural: 'CDN sources',
  operation: { one: 'CdnSource', many: 'CdnSources' },
  summaries: {
    list: 'List the CDN sources of a module',
    create: 'Create one CDN source, or up to 10,000 at once',
    read: 'Read a CDN source',
    change: 'Change a CDN source',
    remove: 'Delete a CDN source',
  },
  schemas: {
    entry: CdnSource,
    create: CdnSourceCreate,
    patch: CdnSourcePatch,
    query: CdnSourceQuery,
    choice: CdnSourcesChoice,
    change: CdnSourcesChange,
  },
  examples: {
    create: {
      name: 'ip-ranges.json',
      url: 'https://ip-ranges.amazonaws.com/ip-ranges.json',
      format: 'json',
      json_path: '$.prefixes[*].ip_prefix',
    },
    patch: { enabled: false },
  },
  list: listCdnSources,
  get: getCdnSource,
  create: createCdnSources,
  change: changeCdnSource,
  remove: deleteCdnSource,
  many: manyCdnSources,
});
