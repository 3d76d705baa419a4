import {
  Community,
  CommunityCreate,
  CommunityPatch,
  CommunityQuery,
} from '../../../api/lists/communities.ts';
import { PageOf } from '../../../api/shapes/page.ts';
import { changeCommunity, createCommunity } from '../../../control/tenants/communities.ts';
import { deleteCommunity, getCommunity, listCommunities } from '../../../store/tenants/communities.ts';
import { created, readResource } from '../../answer.ts';
import { CREATED, tenantRoute, type ReadRequest } from '../../route.ts';

const tag = 'communities';
const path = '/v1/communities';
const item = `${path}/{id}` as const;
const params = { id: 'community' } as const;
const read = ({ tx, params: { id } }: ReadRequest<'id'>) => getCommunity(tx, id);

export const communityRoutes = [
  tenantRoute({
    method: 'GET',
    path,
    operation: 'listCommunities',
    permission: 'bgp:communities:read',
    tag,
    summary: 'List communities',
    status: 200,
    query: CommunityQuery,
    response: PageOf(Community),
    handler: async ({ tx, query }) => ({ body: await listCommunities(tx, query) }),
  }),
  tenantRoute({
    method: 'POST',
    path,
    operation: 'createCommunity',
    permission: 'bgp:communities:write',
    audit: 'community.create',
    read: CREATED,
    tag,
    summary: 'Create a community',
    status: 201,
    problems: ['conflict', 'tenant_policy'],
    body: CommunityCreate,
    example: { community: '65000:100', title: 'Cloud providers', color: '#3366cc' },
    response: Community,
    handler: async ({ tx, body }) => created(path, await createCommunity(tx, body)),
  }),
  tenantRoute({
    method: 'GET',
    path: item,
    operation: 'getCommunity',
    permission: 'bgp:communities:read',
    tag,
    summary: 'Read a community',
    status: 200,
    params,
    response: Community,
    handler: async (request) => readResource(await read(request)),
  }),
  tenantRoute({
    method: 'PATCH',
    path: item,
    operation: 'changeCommunity',
    permission: 'bgp:communities:write',
    audit: 'community.change',
    read,
    tag,
    summary: 'Change a community',
    description:
      'A new value takes effect with the next revision, a new next hop at once: by a job `peer_reconcile`, speakers apply what they run once more.',
    status: 200,
    problems: ['conflict', 'tenant_policy'],
    params,
    body: CommunityPatch,
    example: { title: 'Clouds', next_hop_ipv4: '192.0.2.1' },
    response: Community,
    handler: async ({ tx, context, params: { id }, body, ifMatch }) =>
      readResource(await changeCommunity(tx, context, id, body, ifMatch)),
  }),
  tenantRoute({
    method: 'DELETE',
    path: item,
    operation: 'deleteCommunity',
    permission: 'bgp:communities:write',
    audit: 'community.delete',
    read,
    tag,
    summary: 'Delete a community that nothing uses',
    status: 204,
    problems: ['in_use'],
    params,
    handler: async ({ tx, params: { id }, ifMatch }) => {
      await deleteCommunity(tx, id, ifMatch);
      return {};
    },
  }),
];
