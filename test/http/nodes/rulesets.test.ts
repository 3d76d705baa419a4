/** What a firewall host is given: signed, whole, and the latest. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FirewallRuleset } from '../../../src/api/firewall/firewall-rulesets.ts';
import { openRuleset, type OpenedRuleset } from '../../../src/bundle/ruleset.ts';
import { prefixesOf, type PrefixSet } from '../../../src/core/sets/prefix-set.ts';
import { formatPrefix } from '../../../src/core/prefix.ts';
import { makeRevision } from '../fixtures.ts';
import { makeTenant, startService, type TestService, type TestTenant } from '../service.ts';
import { enrollHost, type Host, askRuleset, postAs } from './firewall-hosts.ts';

let service: TestService;
let tenant: TestTenant;
beforeAll(async () => {
  service = await startService();
  tenant = await makeTenant(service.database);
});
afterAll(() => service.close());

const post = (path: string, body: unknown) => postAs(service, tenant, path, body);
const enroll = (body?: object, machine?: object): Promise<Host> => enrollHost(service, tenant, body, machine);
const ruleset = (host: Host, query?: string, headers?: object) => askRuleset(service, host, query, headers);

/** Until a transaction waits for another one. */
async function isBlocked(): Promise<void> {
  await expect
    .poll(() =>
      service.database.admin(
        'SELECT FROM pg_stat_activity WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0',
      ),
    )
    .toHaveLength(1);
}

const texts = (set: PrefixSet | undefined): string[] =>
  set === undefined ? [] : Array.from(prefixesOf(set), formatPrefix);
function open(host: Host, body: unknown, known: ReadonlyMap<string, PrefixSet> = new Map()): OpenedRuleset {
  return openRuleset(body as FirewallRuleset, {
    trusted: host.signing_keys,
    tenantId: host.tenant_id,
    clientId: host.client_id,
    highestSequence: null,
    now: new Date(),
    known,
  });
}

/** What each rule lists, by its name. */
function lists({ manifest, sets }: OpenedRuleset): Record<string, string[]> {
  return Object.fromEntries(
    manifest.rules.map(({ name, ipv4, ipv6 }) => [
      name,
      [...texts(sets.get(ipv4.hash)), ...texts(sets.get(ipv6.hash))],
    ]),
  );
}

describe('a ruleset', () => {
  let host: Host;
  let communityId: string;
  let first: string;
  beforeAll(async () => {
    host = await enroll();
    communityId = String((await post('/v1/communities', { community: '65000:100', title: 'Bad' })).id);
    const rule = { community_ids: [communityId], action: 'block', direction: 'in' };
    await post('/v1/firewall/rules', { ...rule, name: 'bad', priority: 20 });
    await post('/v1/firewall/rules', {
      name: 'ours',
      action: 'accept',
      cidrs: ['10.0.0.0/9', '10.128.0.0/9'],
      priority: 10,
    });
    await post('/v1/firewall/rules', { name: 'off', cidrs: ['11.0.0.0/8'], enabled: false });
    const other = await enroll();
    await post('/v1/firewall/rules', {
      name: 'of another',
      cidrs: ['12.0.0.0/8'],
      client_ids: [other.client_id],
    });
    first = await makeRevision(service, tenant, communityId, ['45.0.0.0/24', '45.0.4.0/24', '2a00:45::/32']);
  });

  test('lists in order what the latest ready revision holds, signed', async () => {
    const { body } = await ruleset(host);
    const opened = open(host, body);
    expect(lists(opened)).toEqual({
      ours: ['10.0.0.0/8'],
      bad: ['45.0.0.0/24', '45.0.4.0/24', '2a00:45::/32'],
    });
    expect(opened.manifest.rules.map(({ name }) => name)).toEqual(['ours', 'bad']);
    expect(opened.manifest).toMatchObject({ policy: 'block', revision_id: first });
    const { body: client } = await service.call('GET', host.path, { key: tenant.keys.viewer });
    expect(client.ruleset_hash).toBe(opened.hash);
  });

  test('reports what changed since a revision', async () => {
    const before = open(host, (await ruleset(host)).body);
    await makeRevision(service, tenant, communityId, ['45.0.0.0/24', '45.0.6.0/24', '2a00:45::/32']);
    const { body } = await ruleset(host, `?from=${first}`);
    const reported = body as unknown as FirewallRuleset;
    expect(reported.sets.filter(({ added, removed }) => added.length + removed.length > 0)).toMatchObject([
      { base: expect.any(String) as unknown, added: ['45.0.6.0/24'], removed: ['45.0.4.0/24'] },
    ]);
    expect(lists(open(host, reported, before.sets)).bad).toEqual([
      '45.0.0.0/24',
      '45.0.6.0/24',
      '2a00:45::/32',
    ]);
    expect(() => open(host, reported)).toThrow(expect.objectContaining({ code: 'base_missing' }));
  });

  test('ignores a held revision', async () => {
    const held = await makeRevision(service, tenant, communityId, ['99.0.0.0/8']);
    await service.database.admin("UPDATE revision SET state = 'held' WHERE id = $1", [held]);
    expect(lists(open(host, (await ruleset(host)).body)).bad).not.toContain('99.0.0.0/8');
  });

  test('is waited for, and comes soon after a change', async () => {
    const { headers } = await ruleset(host);
    const etag = headers.get('etag')!;
    const quiet = await ruleset(host, '?wait=1', { 'if-none-match': etag });
    expect(quiet.status).toBe(304);
    const waiting = ruleset(host, '?wait=30', { 'if-none-match': etag });
    await new Promise((resolve) => setTimeout(resolve, 200)); // so that it waits
    const begun = performance.now();
    await makeRevision(service, tenant, communityId, ['46.0.0.0/24']);
    const { status, body } = await waiting;
    expect(status).toBe(200);
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(lists(open(host, body)).bad).toEqual(['46.0.0.0/24']);
    expect(open(host, body).manifest.sequence).toBeGreaterThan(Number(etag.slice(1).split('-')[0]));
  });

  test('is not found when its client is deleted while it is made', async () => {
    const gone = await enroll();
    const deleted = Promise.withResolvers<void>();
    const commit = Promise.withResolvers<void>();
    const deleting = service.database.db.inTenant(tenant.id, async (tx) => {
      await tx.sql.deleteFrom('firewall_client').where('id', '=', gone.client_id).execute();
      deleted.resolve();
      await commit.promise;
    });
    await deleted.promise;
    const asked = service.call('GET', `${gone.path}/ruleset`, { key: tenant.keys.viewer });
    await isBlocked();
    commit.resolve();
    await deleting;
    expect(await asked).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  test('is refused when anything of it was changed on its way', async () => {
    const { text } = await ruleset(host);
    const tamper = (from: string, to: string): unknown => JSON.parse(text.replaceAll(from, to));
    expect(() => open(host, tamper('block', 'accept'))).toThrow(
      expect.objectContaining({ code: 'signature_invalid' }),
    );
    expect(() => open(host, tamper('46.0.0.0/24', '47.0.0.0/24'))).toThrow(
      expect.objectContaining({ code: 'bundle_corrupt' }),
    );
    const other = await enroll();
    expect(() => open(other, JSON.parse(text))).toThrow(expect.objectContaining({ code: 'bundle_foreign' }));
  });

  test('comes as a script too', async () => {
    const { status, text, headers } = await ruleset(host, '?format=nft');
    expect({ status, type: headers.get('content-type') }).toEqual({
      status: 200,
      type: 'text/plain; charset=utf-8',
    });
    expect(text).toContain('46.0.0.0/24');
    expect(text).toContain('add table inet prefixcast');
  });

  test('draws on a module, which stays as long as it does', async () => {
    const module = await post('/v1/modules', { name: 'ranges', type: 'IP_RANGES' });
    await post(`/v1/modules/${String(module.id)}/ip-range-entries`, { cidr: '45.9.0.0/24' });
    const { body: made } = await service.call('POST', '/v1/firewall/rules', {
      key: tenant.keys.operator,
      body: { name: 'of a module', module_ids: [module.id] },
    });
    expect(made.module_ids).toEqual([module.id]);
    const { status, body } = await service.call('DELETE', `/v1/modules/${String(module.id)}`, {
      key: tenant.keys.operator,
    });
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'in_use' });
    // No revision holds the module yet.
    expect(lists(open(host, (await ruleset(host)).body))['of a module']).toEqual([]);
  });

  test('is reported', async () => {
    const { body } = await ruleset(host);
    const hash = (body as unknown as FirewallRuleset).ruleset_hash;
    const rule = open(host, body).manifest.rules[0]!;
    const counters = [{ rule_id: rule.id, packets: 7, bytes: 700 }];
    const report = {
      ruleset_hash: hash,
      status: 'applied',
      error: null,
      hostname: 'web-1',
      version: '1.0.1',
    };
    const answer = await service.call('POST', `${host.path}/apply-status`, {
      key: host.key,
      body: { ...report, counters },
    });
    expect(answer).toMatchObject({ status: 200, body: { ruleset_hash: hash } });
    const { body: client } = await service.call('GET', host.path, { key: tenant.keys.viewer });
    expect(client).toMatchObject({
      applied_ruleset_hash: hash,
      status: 'applied',
      online: true,
      counters,
      version: '1.0.1',
    });
  });
});
