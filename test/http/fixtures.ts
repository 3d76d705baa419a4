/** One of everything, so that tests can ask for each by its id. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TObject } from 'typebox';
import { roleHas } from '../../src/api/access/permissions.ts';
import type { ProblemCode } from '../../src/api/problems/problem.ts';
import { PrefixTableBuilder } from '../../src/core/tables/prefix-table.ts';
import { encodeTable } from '../../src/core/stored/table-codec.ts';
import { parsePrefix } from '../../src/core/prefix.ts';
import type { TenantRoute } from '../../src/http/route.ts';
import { mintApiKey } from '../../src/store/keys/api-key-secret.ts';
import { storeTable } from '../../src/store/contents/contents.ts';
import { insertEnrollmentToken } from '../../src/store/keys/enrollment-tokens.ts';
import { saveHeldModules } from '../../src/store/revisions/held-modules.ts';
import { insertRevision } from '../../src/store/revisions/revisions.ts';
import { saveSnapshot } from '../../src/store/modules/snapshots.ts';
import { insertSpeaker } from '../../src/store/speakers/speakers.ts';
import { insertDeliveries, listPendingDeliveries } from '../../src/store/webhooks/deliveries.ts';
import { insertFirewallClient } from '../../src/store/firewall/firewall-clients.ts';
import type { TestService, TestTenant } from './service.ts';

/** Ids by the noun that the table of routes gives a path parameter. */
export type Fixtures = Readonly<Record<string, string>>;

let otherRouters = 0;

export async function makeFixtures(service: TestService, tenant: TestTenant): Promise<Fixtures> {
  const make = (path: string, body: unknown) => service.make(path, body, tenant.keys.operator);
  const community = await make('/v1/communities', { community: '65000:100', title: 'Clouds' });
  const module = await make('/v1/modules', { name: 'cdn', type: 'CDN_SOURCES', community_id: community.id });
  const source = await make(`/v1/modules/${module.id}/cdn-sources`, {
    name: 's',
    url: 'https://example.net/list',
  });
  const ranges = await make('/v1/modules', { name: 'ranges', type: 'IP_RANGES' });
  const range = await make(`/v1/modules/${ranges.id}/ip-range-entries`, { cidr: '8.8.8.0/24' });
  const networks = await make('/v1/modules', { name: 'networks', type: 'AS_PREFIXES' });
  const network = await make(`/v1/modules/${networks.id}/as-entries`, { asn: 64496 });
  const names = await make('/v1/modules', { name: 'names', type: 'DOMAINS' });
  const domain = await make(`/v1/modules/${names.id}/domain-entries`, { domain: 'www.example.net' });
  const feeds = await make('/v1/modules', { name: 'feeds', type: 'GEOFEED' });
  const feed = await make(`/v1/modules/${feeds.id}/geofeed-entries`, {
    ...{ name: 'feed', url: 'https://example.net/geofeed.csv', countries: ['DE'] },
  });
  const profile = await make('/v1/doh-profiles', { url: 'https://dns.example.net/dns-query' });
  const speaker = await make('/v1/speakers', { name: 'edge', local_asn: 64512 });
  // No two tenants have one router.
  const address = tenant === service.tenant ? '192.0.2.2' : `198.51.100.${++otherRouters}`;
  const peer = await make('/v1/peers', { name: 'router', address, remote_asn: 64500 });
  const key = await make('/v1/api-keys', { name: 'reader', role: 'viewer' });
  const policy = await make('/v1/maintenance/policies', { name: 'fixture', kind: 'job_prune' });
  const slug = `tenant-${randomBytes(4).toString('hex')}`;
  const managed = await service.make('/v1/tenants', { name: 'T', slug }, tenant.keys.super_admin);
  const job = await service.call('POST', `/v1/modules/${module.id}/refresh`, { key: tenant.keys.operator });
  const rule = await make('/v1/firewall/rules', { name: 'rule', cidrs: ['203.0.113.0/24'] });
  const list = await make('/v1/feeds', { name: 'fixture' });
  const webhook = await make('/v1/webhooks', { url: 'http://127.0.0.1:9/', events: ['revision'] });
  const held = await make('/v1/modules', { name: 'held', type: 'CDN_SOURCES' });
  await holdModule(service, tenant, held.id);
  return {
    module: module.id,
    'module that is held': held.id,
    'module of ranges': ranges.id,
    'module of networks': networks.id,
    'CDN source': source.id,
    'IP range entry': range.id,
    'AS entry': network.id,
    'module of names': names.id,
    'domain entry': domain.id,
    'module of feeds': feeds.id,
    'geofeed entry': feed.id,
    'DoH profile': profile.id,
    community: community.id,
    speaker: speaker.id,
    'speaker of a node': await makeNode(service, tenant),
    'firewall client': await makeFirewallClient(service, tenant),
    'firewall rule': rule.id,
    feed: list.id,
    webhook: webhook.id,
    'webhook delivery': await makeDelivery(service, tenant, webhook.id),
    peer: peer.id,
    'API key': key.id,
    tenant: managed.id,
    job: String(job.body.id),
    'runtime log file': makeLog(service),
    'maintenance policy': policy.id,
    revision: await makeRevision(service, tenant, community.id, [
      '8.8.8.0/24',
      '1.1.1.0/24',
      '2001:4860::/32',
    ]),
  };
}

async function makeDelivery(service: TestService, tenant: TestTenant, webhookId: string): Promise<string> {
  return service.database.db.inTenant(tenant.id, async (tx) => {
    const trigger = { kind: 'manual', module_id: null, job_id: null, actor: null };
    const data = {
      ...{ at: new Date().toISOString(), id: webhookId, number: 1, state: 'ready', content_hash: null },
      ...{ parent_id: null, rollback_of: null, trigger, prefix_count: { ipv4: 1, ipv6: 0 } },
    };
    await insertDeliveries(tx, webhookId, [{ event: 'revision', sequence: 1, data }]);
    const [delivery] = await listPendingDeliveries(tx, webhookId, 1);
    return delivery!.id;
  });
}

/** All tenants see the files of one directory. */
function makeLog({ logs }: TestService): string {
  const name = 'fixture.log';
  writeFileSync(join(logs, name), 'first line\n{"level":40,"msg":"second line"}\n');
  return name;
}

/** A ready revision of these prefixes, with the one community where a prefix is not followed by another. */
export async function makeRevision(
  service: TestService,
  tenant: TestTenant,
  communityId: string,
  prefixes: readonly string[],
  community = '65000:100',
): Promise<string> {
  const builder = new PrefixTableBuilder();
  for (const line of prefixes) {
    const [text = '', label = community] = line.split(' ');
    const parsed = parsePrefix(text);
    if (!parsed.ok) throw new Error(parsed.reason);
    builder.add(parsed.value.family, parsed.value.words, parsed.value.length, label);
  }
  const table = builder.build();
  const prefix_count = { ipv4: table.ipv4.size, ipv6: table.ipv6.size };
  const revision = await service.database.db.inTenant(tenant.id, async (tx) =>
    insertRevision(tx, {
      state: 'ready',
      content_hash: await storeTable(tx, encodeTable(table), prefix_count),
      parent_id: null,
      rollback_of: null,
      trigger: { kind: 'manual', module_id: null, job_id: null, actor: 'test' },
      prefix_count,
      communities: [{ community_id: communityId, community, title: 'Clouds', prefix_count }],
      warnings: [],
    }),
  );
  return revision.id;
}

/** Has the module held for a change that was too much. */
async function holdModule(service: TestService, tenant: TestTenant, moduleId: string): Promise<void> {
  const table = new PrefixTableBuilder().build();
  await service.database.db.inTenant(tenant.id, async (tx) => {
    const snapshot = await storeTable(tx, encodeTable(table), { ipv4: 0, ipv6: 0 });
    await saveSnapshot(tx, moduleId, snapshot);
    const finding = {
      code: 'max_change_exceeded',
      detail: 'It vanished.',
      module_id: moduleId,
      entry_id: null,
    };
    const numbers = { community: null, examples: [], measured: 100, limit: 30 };
    const held = { module_id: moduleId, snapshot, findings: [{ ...finding, ...numbers }] };
    await saveHeldModules(tx, [moduleId], [held], []);
  });
}

const enrollmentTokens = new WeakMap<TestTenant, string>();

/** A speaker whose node holds the tenant's key of the role, and may enroll anew. */
async function makeNode({ database }: TestService, tenant: TestTenant): Promise<string> {
  const { secret, ...minted } = mintApiKey('enrollment');
  enrollmentTokens.set(tenant, secret);
  const id = await database.db.inTenant(tenant.id, async (tx) => {
    const { resource } = await insertSpeaker(tx, { name: 'node', mode: 'agent', local_asn: 64512 });
    const token = { ...minted, speakerId: resource.id, validSeconds: 3600, createdBy: 'test' };
    await insertEnrollmentToken(tx, token);
    return resource.id;
  });
  const statement = "UPDATE api_key SET speaker_id = $1 WHERE tenant_id = $2 AND role = 'node'";
  await database.admin(statement, [id, tenant.id]);
  return id;
}

const firewallTokens = new WeakMap<TestTenant, string>();

/** A firewall client that holds the tenant's key of the role; another one may enroll. */
async function makeFirewallClient({ database }: TestService, tenant: TestTenant): Promise<string> {
  const { secret, ...minted } = mintApiKey('enrollment');
  firewallTokens.set(tenant, secret);
  const machine = { hostname: 'web-1', policy: 'block' as const, client_version: '1' };
  const id = await database.db.inTenant(tenant.id, async (tx) => {
    const subject = { firewallPolicy: 'block' as const, firewallClientId: null };
    await insertEnrollmentToken(tx, { ...minted, ...subject, validSeconds: 3600, createdBy: 'test' });
    return (await insertFirewallClient(tx, { name: 'client', ...machine })).id;
  });
  const statement = "UPDATE api_key SET firewall_client_id = $1 WHERE tenant_id = $2 AND role = 'firewall'";
  await database.admin(statement, [id, tenant.id]);
  return id;
}

/** What a tenant that is not the home tenant may use with keys of super roles only, whatever permission it takes, and what others are answered. */
export const OF_HOME_OPERATORS: Readonly<Record<string, ProblemCode>> = {
  reloadRouter: 'forbidden',
  cleanRuntimeLog: 'home_tenant_only',
  estimateRuntimeLogCleanup: 'home_tenant_only',
  runRuntimeLogCleanup: 'home_tenant_only',
  getPostgresMetrics: 'home_tenant_only',
  maintainPostgres: 'home_tenant_only',
};

/** What the tenant may use the route with: the key of an operator wherever that may. */
export function keyFor(
  { operation, permission }: Pick<TenantRoute, 'operation' | 'permission'>,
  tenant: TestTenant,
): string {
  const { keys } = tenant;
  if (permission === 'bgp:node:enroll') return enrollmentTokens.get(tenant)!;
  if (permission === 'bgp:firewall:enroll') return firewallTokens.get(tenant)!;
  if (roleHas('firewall', permission) && !roleHas('operator', permission)) return keys.firewall;
  if (roleHas('node', permission) && !roleHas('operator', permission)) return keys.node;
  if (operation in OF_HOME_OPERATORS) return keys.super_admin;
  return roleHas('operator', permission) ? keys.operator : keys.super_admin;
}

/** Below a speaker, what only its node may use, or is for its node. */
const NODE_PATH = /\/(enrollment-tokens|apply-status|revisions\/latest|bundle\/\{revision_id\})$/;

/** The path of a route with ids in place of its parameters. */
export function pathWith(
  path: string,
  params: Readonly<Record<string, string>> | undefined,
  ids: Fixtures,
): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const noun = params![name]!;
    if (noun === 'speaker' && NODE_PATH.test(path)) return ids['speaker of a node']!;
    if (noun === 'module' && /\/(held|release)\b/.test(path)) return ids['module that is held']!;
    if (noun === 'module' && path.includes('ip-range-entries')) return ids['module of ranges']!;
    if (noun === 'module' && path.includes('as-entries')) return ids['module of networks']!;
    if (noun === 'module' && path.includes('domain-entries')) return ids['module of names']!;
    if (noun === 'module' && path.includes('geofeed-entries')) return ids['module of feeds']!;
    return ids[noun]!;
  });
}

/** The query that the route cannot do without, with the example of each parameter: `?q=8.8.8.8`, or nothing. */
export function requiredQuery(query: TObject | undefined): string {
  const { required = [], properties = {} } = (query ?? {}) as {
    required?: readonly string[];
    properties?: Readonly<Record<string, { examples?: readonly string[] }>>;
  };
  const given = new URLSearchParams(
    required.map((name): [string, string] => [name, properties[name]!.examples![0]!]),
  );
  return given.size === 0 ? '' : `?${given.toString()}`;
}
