import { writeFileSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROUTES } from '../../../src/http/server/route-table.ts';
import { insertFirewallClient } from '../../../src/store/firewall/firewall-clients.ts';
import { insertDeliveries } from '../../../src/store/webhooks/deliveries.ts';
import { dataOf } from '../../control/webhooks/deliveries.ts';
import { keyFor, makeFixtures, makeRevision, pathWith, requiredQuery, type Fixtures } from '../fixtures.ts';
import { startService, type Body, type TestService } from '../service.ts';

const BEFORE = 9;
const PAGE = 4;

let service: TestService;
let ids: Fixtures;
beforeAll(async () => {
  service = await startService();
  ids = await makeFixtures(service, service.tenant);
});
afterAll(() => service.close());

const lists = ROUTES.filter((route) => route.permission !== 'public')
  .filter((route) => route.query?.properties.cursor !== undefined)
  .map((route) => ({ name: route.path, route }));

/** Adds item `n` to the list of an operation. Contents of revisions never change, so nothing can be added to their lists. */
const ADDING: Readonly<Record<string, ((n: number) => Promise<unknown>) | null>> = {
  listApiKeys: (n) => service.make('/v1/api-keys', { name: `key ${n}`, role: 'viewer' }),
  listTenants: (n) =>
    service.make('/v1/tenants', { name: 'T', slug: `paged-${n}` }, service.tenant.keys.super_admin),
  listModules: (n) => service.make('/v1/modules', { name: `module ${n}`, type: 'DOMAINS' }),
  listCdnSources: (n) =>
    service.make(`/v1/modules/${ids.module}/cdn-sources`, {
      name: `source ${n}`,
      url: 'https://example.net/',
    }),
  listAsEntries: (n) =>
    service.make(`/v1/modules/${ids['module of networks']}/as-entries`, { asn: 1_000 + n }),
  listDomainEntries: (n) =>
    service.make(`/v1/modules/${ids['module of names']}/domain-entries`, { domain: `n${n}.example.net` }),
  listIpRangeEntries: (n) =>
    service.make(`/v1/modules/${ids['module of ranges']}/ip-range-entries`, { cidr: `9.0.${n}.0/24` }),
  listGeofeedEntries: (n) =>
    service.make(`/v1/modules/${ids['module of feeds']}/geofeed-entries`, {
      ...{ name: `feed ${n}`, url: 'https://example.net/geofeed.csv', countries: ['DE'] },
    }),
  listSources: (n) =>
    service.make(`/v1/modules/${ids.module}/cdn-sources`, {
      name: `listed ${n}`,
      url: 'https://example.net/',
    }),
  async listRemovedModules(n) {
    const { id } = await service.make('/v1/modules', { name: `removed ${n}`, type: 'DOMAINS' });
    return service.call('DELETE', `/v1/modules/${id}`);
  },
  async listRemovedEntries(n) {
    const path = `/v1/modules/${ids.module}/cdn-sources`;
    const { id } = await service.make(path, { name: `removed ${n}`, url: 'https://example.net/' });
    return service.call('DELETE', `${path}/${id}`);
  },
  listDohProfiles: () => service.make('/v1/doh-profiles', { url: 'https://dns.example.net/dns-query' }),
  listCommunities: (n) => service.make('/v1/communities', { community: `65001:${n}`, title: 'x' }),
  listSpeakers: (n) => service.make('/v1/speakers', { name: `speaker ${n}`, local_asn: 64512 }),
  listPeers: (n) =>
    service.make('/v1/peers', { name: `peer ${n}`, address: `192.0.2.${n + 10}`, remote_asn: 64500 }),
  listFirewallRules: (n) =>
    service.make('/v1/firewall/rules', { name: `rule ${n}`, cidrs: [`9.2.${n}.0/24`] }),
  listFirewallClients: (n) =>
    service.database.db.inTenant(service.tenant.id, (tx) =>
      insertFirewallClient(tx, {
        ...{ name: `client ${n}`, hostname: 'web', policy: 'block', client_version: '1' },
      }),
    ),
  listWebhooks: (n) =>
    service.make('/v1/webhooks', {
      name: `webhook-${n}`,
      url: 'https://hooks.example.net/',
      events: ['job'],
    }),
  listWebhookDeliveries: (n) =>
    service.database.db.inTenant(service.tenant.id, (tx) =>
      insertDeliveries(tx, ids.webhook!, [
        { event: 'job', sequence: n + 1, data: { at: new Date().toISOString(), ...dataOf('job', n) } },
      ]),
    ),
  listFeeds: (n) => service.make('/v1/feeds', { name: `feed-${n}`, format: 'text' }),
  listRevisions: (n) => makeRevision(service, service.tenant, ids.community!, [`9.1.${n}.0/24`]),
  readHistory: (n) =>
    makeRevision(service, service.tenant, ids.community!, [n % 2 === 0 ? '203.0.113.0/24' : '9.9.9.0/24']),
  listRevisionPrefixes: null,
  diffRevisions: null,
  listJobs: () => service.call('POST', '/v1/revisions'),
  diffHeldModule: null,
  listMaintenancePolicies: (n) =>
    service.make('/v1/maintenance/policies', { name: `policy ${n}`, kind: 'job_prune' }),
  async listMaintenanceRuns() {
    const runs = `type = 'maintenance_policy_run' AND state = 'queued'`;
    // A run that waits is as good as another one.
    await service.database.admin(`UPDATE job SET state = 'succeeded', finished_at = now() WHERE ${runs}`);
    return service.call('POST', `/v1/maintenance/policies/${ids['maintenance policy']}/run`);
  },
  async listRuntimeLogs(n) {
    // The next name is before those that are there, and a link is no log file.
    writeFileSync(join(service.logs, `n${90 - n}.log`), '');
    await symlink('nowhere', join(service.logs, `n${90 - n}-link.log`));
  },
  listRuntimeLogCleanups: () =>
    service.call('POST', '/v1/runtime-logs/auto-run', { key: service.tenant.keys.super_admin }),
  listAuditRecords: (n) => service.make('/v1/communities', { community: `65002:${n}`, title: 'x' }),
};

const queryOf = (path: string): Record<string, string> =>
  Object.fromEntries(new URL(path, service.url).searchParams);

describe('the pages of a list hold each item once, while others are added', () => {
  test('every list is tried', () => {
    expect(lists.map(({ route }) => route.operation).sort()).toEqual(Object.keys(ADDING).sort());
  });

  test.each(lists.filter(({ route }) => ADDING[route.operation] !== null))('$name', async ({ route }) => {
    const add = ADDING[route.operation]!;
    const asked = requiredQuery(route.query);
    const path = `${pathWith(route.path, route.params, ids)}${asked === '' ? '?' : `${asked}&`}`;
    const page = async (at: string): Promise<Body & { links: Record<string, string> }> => {
      const { status, body, text, headers } = await service.call('GET', at, {
        key: keyFor(route, service.tenant),
      });
      expect(status, text).toBe(200);
      const links = (headers.get('link') ?? '').matchAll(/<([^>]+)>; rel="(\w+)"/g);
      return { ...body, links: Object.fromEntries([...links].map(([, url, rel]) => [rel!, url!])) };
    };
    const idsOf = ({ items }: Body): string[] =>
      (items as Body[]).map(({ id, revision_id: other, name }) => String(id ?? other ?? name));
    let n = 0;
    while (n < BEFORE) await add(n++);
    const before = idsOf(await page(`${path}limit=500`));
    expect(before.length).toBeGreaterThanOrEqual(BEFORE);

    const seen: string[] = [];
    const first = `${path}limit=${PAGE}`;
    let next: string | undefined = first;
    do {
      const { links, ...body }: Awaited<ReturnType<typeof page>> = await page(next);
      // RFC 8288: whoever follows links alone sees all of it, with the filters that were given.
      expect(Object.keys(links).sort()).toEqual([
        ...(next === first ? [] : ['first']),
        ...(body.next_cursor === null ? [] : ['next']),
      ]);
      if (next !== first) expect(queryOf(links.first!)).toEqual(queryOf(first));
      next = links.next;
      if (next !== undefined) expect(queryOf(next)).toEqual({ ...queryOf(first), cursor: body.next_cursor });
      expect(idsOf(body).length).toBeLessThanOrEqual(PAGE);
      expect(body.has_more).toBe(body.next_cursor !== null);
      seen.push(...idsOf(body));
      if (n < BEFORE * 2) await add(n++);
    } while (next !== undefined);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining(before));
  });
});
