import {
  FirewallApplyStatus,
  FirewallApplyStatusTaken,
  FirewallClient,
  FirewallClientPatch,
  FirewallClientQuery,
  FirewallEnroll,
  FirewallEnrolled,
  FirewallInstallContext,
  FirewallTokenCreate,
} from '../../../api/firewall/firewall-clients.ts';
import { FirewallRuleset, RulesetQuery } from '../../../api/firewall/firewall-rulesets.ts';
import { EnrollmentToken } from '../../../api/nodes/nodes.ts';
import { PageOf, type Page } from '../../../api/shapes/page.ts';
import { notFound } from '../../../api/problems/problem.ts';
import {
  changeFirewallClient,
  ownFirewallClient,
  removeFirewallClient,
  reportFirewall,
} from '../../../control/firewall/clients.ts';
import { createFirewallToken, enrollFirewall } from '../../../control/firewall/enroll-firewall.ts';
import { readInstallContext } from '../../../control/firewall/install-context.ts';
import {
  rulesetTag,
  wantedRulesets,
  writeRulesetJson,
  writeRulesetScript,
  type RulesetTools,
} from '../../../control/firewall/rulesets.ts';
import { getFirewallClient, listFirewallClients } from '../../../store/firewall/firewall-clients.ts';
import { JSON_MEDIA_TYPE, readResource } from '../../answer.ts';
import { matchesAny } from '../../etag.ts';
import { CREATED, tenantRoute, type ReadRequest } from '../../route.ts';

const tag = 'firewall';
const path = '/v1/firewall/clients';
const item = `${path}/{id}` as const;
const params = { id: 'firewall client' } as const;
const read = ({ tx, params: { id } }: ReadRequest<'id'>) => getFirewallClient(tx, id);
const TEXT = 'text/plain';

async function withWanted(
  tools: RulesetTools,
  tenantId: string,
  page: Page<FirewallClient>,
): Promise<Page<FirewallClient>> {
  const ids = page.items.map(({ id }) => id);
  const wanted = await wantedRulesets(tools, tenantId, ids);
  const items = page.items.map((client) => {
    const hash = wanted.get(client.id)?.hash;
    return hash === undefined ? client : { ...client, wanted_ruleset_hash: hash };
  });
  return { ...page, items };
}

export const firewallClientRoutes = [
  tenantRoute({
    method: 'GET',
    path: '/v1/firewall/install-context',
    operation: 'getFirewallInstallContext',
    permission: 'bgp:firewall:read',
    tag,
    summary: 'Read what setting up a firewall client takes',
    status: 200,
    response: FirewallInstallContext,
    handler: async ({ tx, context, origin, services }) => ({
      body: await readInstallContext(tx, context.secrets, services.publicUrl, origin),
    }),
  }),
  tenantRoute({
    method: 'POST',
    path: '/v1/firewall/enrollment-tokens',
    operation: 'createFirewallEnrollmentToken',
    permission: 'bgp:keys:write',
    audit: 'firewall_enrollment_token.create',
    read: CREATED,
    tag,
    summary: 'Create a token that lets a firewall client enroll',
    description: 'The token is shown only once, works once, and expires after an hour by default.',
    status: 201,
    body: FirewallTokenCreate,
    bodyOptional: true,
    example: { policy: 'block', valid_seconds: 3600 },
    response: EnrollmentToken,
    handler: async ({ tx, context, body }) => ({ body: await createFirewallToken(tx, context, body) }),
  }),
  tenantRoute({
    method: 'POST',
    path: `${path}/enroll`,
    operation: 'enrollFirewallClient',
    permission: 'bgp:firewall:enroll',
    audit: 'firewall_client.enroll',
    read: { none: 'A client has no id before it is enrolled.' },
    tag,
    summary: 'Enroll a firewall client with a token',
    description:
      'The answer holds the key that the client uses from now on, which is shown only once and opens only the routes of this client. ' +
      'Previous keys of the client stop working within a second.',
    status: 201,
    problems: ['conflict'],
    body: FirewallEnroll,
    example: { hostname: 'web-1.example.net', version: '1.0.0' },
    response: FirewallEnrolled,
    handler: async ({ tx, context, principal, body }) => ({
      body: await enrollFirewall(tx, context, principal.key.id, body),
    }),
  }),
  tenantRoute({
    method: 'GET',
    path,
    operation: 'listFirewallClients',
    permission: 'bgp:firewall:read',
    tag,
    summary: 'List firewall clients',
    status: 200,
    query: FirewallClientQuery,
    response: PageOf(FirewallClient),
    asksOutside: true,
    handler: async ({ tx, query, principal, services }) => {
      const body = await listFirewallClients(tx, query);
      if (query.wanted !== true) return { body };
      const { id: tenantId } = principal.tenant;
      // Sets of a new revision are made in threads, which holds no transaction.
      return { outside: async () => ({ body: await withWanted(services.rulesets.tools, tenantId, body) }) };
    },
  }),
  tenantRoute({
    method: 'GET',
    path: item,
    operation: 'getFirewallClient',
    permission: 'bgp:firewall:read',
    tag,
    summary: 'Read a firewall client',
    status: 200,
    params,
    response: FirewallClient,
    handler: async (request) => readResource(await read(request)),
  }),
  tenantRoute({
    method: 'PATCH',
    path: item,
    operation: 'changeFirewallClient',
    permission: 'bgp:firewall:write',
    audit: 'firewall_client.change',
    read,
    tag,
    summary: 'Change a firewall client',
    description: 'The client applies another policy within seconds.',
    status: 200,
    problems: ['conflict'],
    params,
    body: FirewallClientPatch,
    example: { policy: 'accept', protected: ['192.0.2.0/24'] },
    response: FirewallClient,
    handler: async ({ tx, params: { id }, body, ifMatch }) =>
      readResource(await changeFirewallClient(tx, id, body, ifMatch)),
  }),
  tenantRoute({
    method: 'DELETE',
    path: item,
    operation: 'deleteFirewallClient',
    permission: 'bgp:firewall:write',
    audit: 'firewall_client.delete',
    read,
    tag,
    summary: 'Delete a firewall client that no rule names',
    description:
      'Its key stops working within a second. The host keeps what it applied last; `prefixcast firewall remove` takes that out there.',
    status: 204,
    problems: ['in_use'],
    params,
    handler: async ({ tx, params: { id }, ifMatch }) => {
      await removeFirewallClient(tx, id, ifMatch);
      return {};
    },
  }),
  tenantRoute({
    method: 'GET',
    path: `${item}/ruleset`,
    operation: 'getFirewallRuleset',
    permission: 'bgp:firewall:pull',
    tag,
    summary: 'Read what a firewall client is to apply',
    description:
      'With `If-None-Match` and `wait` the answer comes as soon as the ruleset differs, within a second of a change, or is 304 at the ' +
      'end of the wait. The key of a client reads its own ruleset only. docs/firewall.md shows how to verify the signature.',
    status: 200,
    problems: ['not_acceptable', 'conflict'],
    params,
    query: RulesetQuery,
    streams: [TEXT],
    response: FirewallRuleset,
    asksOutside: true,
    handler: ({
      context,
      principal,
      params: { id },
      query,
      mediaType,
      ifNoneMatch,
      authenticateAgain,
      gone,
      services,
    }) => {
      const isClient = principal.role === 'firewall';
      const clientId = isClient ? ownFirewallClient(context, id) : id;
      const { id: tenantId } = principal.tenant;
      const { format = mediaType === TEXT ? 'nft' : 'json', wait = 0, from = null } = query;
      const { tools } = services.rulesets;
      const asks = { tenantId, keyId: principal.key.id, id: clientId, waitSeconds: wait };
      const poll = { ...asks, authenticateAgain, gone };
      return Promise.resolve({
        outside: async () => {
          const has = (given: string): boolean => matchesAny(ifNoneMatch, given);
          const asked = { ...poll, has };
          const { rulesets } = services;
          const ruleset = await (isClient ? rulesets.waitAsClient(asked) : rulesets.wait(asked));
          if (ruleset === null) throw notFound('firewall client', clientId);
          const isScript = format === 'nft';
          return {
            text: isScript
              ? writeRulesetScript(tools, tenantId, ruleset)
              : writeRulesetJson(tools, tenantId, ruleset, from),
            mediaType: `${isScript ? TEXT : JSON_MEDIA_TYPE}; charset=utf-8`,
            etag: rulesetTag(ruleset),
          };
        },
      });
    },
  }),
  tenantRoute({
    method: 'POST',
    path: `${item}/apply-status`,
    operation: 'reportFirewallStatus',
    permission: 'bgp:firewall:report',
    audit: { none: 'A client reports its status every half minute; nothing is changed by it.' },
    tag,
    summary: 'Report what a firewall client applies',
    description:
      'A client sends it at every change and every half minute, and confirms what it has applied by it.',
    status: 200,
    params,
    body: FirewallApplyStatus,
    example: {
      ...{ ruleset_hash: null, status: 'applied', error: null },
      ...{ hostname: 'web-1.example.net', version: '1.0.0', counters: [] },
    },
    response: FirewallApplyStatusTaken,
    handler: async ({ tx, context, params: { id }, body }) => ({
      body: await reportFirewall(tx, ownFirewallClient(context, id), body),
    }),
  }),
];
