import { Type } from 'typebox';
import { CdnSource, CdnSourceCreate, CdnSourcePatch, CdnSourceQuery } from '../../api/cdn-sources.ts';
import { BulkOf, PageOf, Strict } from '../../api/page.ts';
import { changeCdnSource, createCdnSources } from '../../control/cdn-sources.ts';
import { deleteCdnSource, getCdnSource, listCdnSources } from '../../store/cdn-sources.ts';
import { created, readResource } from '../answer.ts';
import { tenantRoute } from '../route.ts';

const tag = 'CDN sources';
const path = '/v1/modules/{module_id}/cdn-sources';
const item = `${path}/{id}` as const;
const module = { module_id: 'module' } as const;
const params = { ...module, id: 'CDN source' } as const;

export const cdnSourceRoutes = [
  tenantRoute({
    method: 'GET',
    path,
    operation: 'listCdnSources',
    permission: 'bgp:lists:read',
    tag,
    summary: 'List the CDN sources of a module',
    status: 200,
    params: module,
    query: CdnSourceQuery,
    response: PageOf(CdnSource),
    handler: async ({ tx, params: { module_id: id }, query }) => ({
      body: await listCdnSources(tx, id, query),
    }),
  }),
  tenantRoute({
    method: 'POST',
    path,
    operation: 'createCdnSources',
    permission: 'bgp:lists:write',
    audit: 'cdn_source.create',
    tag,
    summary: 'Create one CDN source, or up to 10,000 at once',
    description: 'Takes one object, or `{"items": […]}`: then all are created or none.',
    status: 201,
    problems: ['conflict'],
    params: module,
    body: Type.Union([CdnSourceCreate, BulkOf(CdnSourceCreate)]),
    bodyLimit: 16 * 1024 * 1024,
    example: {
      name: 'ip-ranges.json',
      url: 'https://ip-ranges.amazonaws.com/ip-ranges.json',
      format: 'json',
      json_path: '$.prefixes[*].ip_prefix',
    },
    response: Type.Union([CdnSource, Strict({ items: Type.Array(CdnSource) })]),
    handler: async ({ tx, context, params: { module_id: id }, body }) => {
      const many = 'items' in body;
      const made = await createCdnSources(tx, context, id, many ? body.items : [body], (index) =>
        many ? `/items/${index}` : '',
      );
      if (many) return { body: { items: made.map(({ resource }) => resource) } };
      return created(path.replace('{module_id}', id), made[0]!);
    },
  }),
  tenantRoute({
    method: 'GET',
    path: item,
    operation: 'getCdnSource',
    permission: 'bgp:lists:read',
    tag,
    summary: 'Read a CDN source',
    status: 200,
    params,
    response: CdnSource,
    handler: async ({ tx, params: { module_id: moduleId, id } }) =>
      readResource(await getCdnSource(tx, moduleId, id)),
  }),
  tenantRoute({
    method: 'PATCH',
    path: item,
    operation: 'changeCdnSource',
    permission: 'bgp:lists:write',
    audit: 'cdn_source.change',
    tag,
    summary: 'Change a CDN source',
    status: 200,
    problems: ['conflict'],
    params,
    body: CdnSourcePatch,
    example: { enabled: false },
    response: CdnSource,
    handler: async ({ tx, context, params: { module_id: moduleId, id }, body, ifMatch }) =>
      readResource(await changeCdnSource(tx, context, moduleId, id, body, ifMatch)),
  }),
  tenantRoute({
    method: 'DELETE',
    path: item,
    operation: 'deleteCdnSource',
    permission: 'bgp:lists:write',
    audit: 'cdn_source.delete',
    tag,
    summary: 'Delete a CDN source',
    status: 204,
    params,
    handler: async ({ tx, params: { module_id: moduleId, id }, ifMatch }) => {
      await deleteCdnSource(tx, moduleId, id, ifMatch);
      return {};
    },
  }),
];
