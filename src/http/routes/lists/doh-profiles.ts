import {
  DohProfile,
  DohProfileCreate,
  DohProfilePatch,
  DohProfileQuery,
  DohTest,
  DohTestRequest,
} from '../../../api/lists/doh-profiles.ts';
import { notFound } from '../../../api/problems/problem.ts';
import { PageOf } from '../../../api/shapes/page.ts';
import { changeDohProfile, createDohProfile } from '../../../control/lists/doh-profiles.ts';
import { domainToTest, testDohProfile } from '../../../control/lists/test-doh-profile.ts';
import {
  deleteDohProfile,
  getDohProfile,
  listDohProfiles,
  listProfilesToAsk,
} from '../../../store/modules/doh-profiles.ts';
import { created, readResource } from '../../answer.ts';
import { CREATED, tenantRoute, type ReadRequest } from '../../route.ts';

const tag = 'DoH profiles';
const path = '/v1/doh-profiles';
const item = `${path}/{id}` as const;
const params = { id: 'DoH profile' } as const;
const read = ({ tx, params: { id } }: ReadRequest<'id'>) => getDohProfile(tx, id);

export const dohProfileRoutes = [
  tenantRoute({
    method: 'GET',
    path,
    operation: 'listDohProfiles',
    permission: 'bgp:lists:read',
    tag,
    summary: 'List DoH profiles',
    status: 200,
    query: DohProfileQuery,
    response: PageOf(DohProfile),
    handler: async ({ tx, query }) => ({ body: await listDohProfiles(tx, query) }),
  }),
  tenantRoute({
    method: 'POST',
    path,
    operation: 'createDohProfile',
    permission: 'bgp:lists:write',
    audit: 'doh_profile.create',
    read: CREATED,
    tag,
    summary: 'Create a DoH profile',
    description: 'A resolver that modules of type DOMAINS can query over HTTPS (RFC 8484).',
    status: 201,
    problems: ['conflict'],
    body: DohProfileCreate,
    example: { url: 'https://dns.example/dns-query{?dns}', bootstrap_addresses: ['192.0.2.53'] },
    response: DohProfile,
    handler: async ({ tx, context, body }) => created(path, await createDohProfile(tx, context, body)),
  }),
  tenantRoute({
    method: 'GET',
    path: item,
    operation: 'getDohProfile',
    permission: 'bgp:lists:read',
    tag,
    summary: 'Read a DoH profile',
    status: 200,
    params,
    response: DohProfile,
    handler: async (request) => readResource(await read(request)),
  }),
  tenantRoute({
    method: 'PATCH',
    path: item,
    operation: 'changeDohProfile',
    permission: 'bgp:lists:write',
    audit: 'doh_profile.change',
    read,
    tag,
    summary: 'Change a DoH profile',
    description:
      'The modules that use it are collected again automatically, unless the setting `auto_revision` is off.',
    status: 200,
    problems: ['conflict'],
    params,
    body: DohProfilePatch,
    example: { method: 'GET', client_subnet: '198.51.100.0/24' },
    response: DohProfile,
    handler: async ({ tx, context, params: { id }, body, ifMatch }) =>
      readResource(await changeDohProfile(tx, context, id, body, ifMatch)),
  }),
  tenantRoute({
    method: 'DELETE',
    path: item,
    operation: 'deleteDohProfile',
    permission: 'bgp:lists:write',
    audit: 'doh_profile.delete',
    read,
    tag,
    summary: 'Delete a DoH profile that no module uses',
    status: 204,
    problems: ['in_use'],
    params,
    handler: async ({ tx, params: { id }, ifMatch }) => {
      await deleteDohProfile(tx, id, ifMatch);
      return {};
    },
  }),
  tenantRoute({
    method: 'POST',
    path: `${item}/test`,
    operation: 'testDohProfile',
    permission: 'bgp:lists:write',
    audit: { none: 'It asks a resolver for a name, and stores nothing.' },
    tag,
    summary: 'Query a resolver for a name',
    description:
      'Queries as a refresh would, even if the profile is disabled, and stores nothing. An answer without addresses means that the ' +
      'name has none; if the query failed, `error` gives the reason.',
    status: 200,
    problems: ['rate_limited'],
    params,
    body: DohTestRequest,
    bodyOptional: true,
    example: { domain: 'www.example.com' },
    response: DohTest,
    asksOutside: true,
    handler: async ({ tx, context, params: { id }, body, services }) => {
      const [profile] = await listProfilesToAsk(tx, context.secrets, [id], { withDisabled: true });
      if (profile === undefined) throw notFound('DoH profile', id);
      const domain = domainToTest(body.domain);
      return {
        outside: async () => ({
          body: await testDohProfile(tx.tenantId, profile, domain, services.fetch.reach),
        }),
      };
    },
  }),
];
