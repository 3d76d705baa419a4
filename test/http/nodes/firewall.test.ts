import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FirewallEnrolled } from '../../../src/api/firewall/firewall-clients.ts';
import type { FirewallRuleset } from '../../../src/api/firewall/firewall-rulesets.ts';
import { openRuleset, type OpenedRuleset } from '../../../src/bundle/ruleset.ts';
import { prefixesOf, type PrefixSet } from '../../../src/core/sets/prefix-set.ts';
import { formatPrefix } from '../../../src/core/prefix.ts';
import { createServer } from '../../../src/http/server/server.ts';
import { makeRevision } from '../fixtures.ts';
import { makeTenant, newMetrics, startService, type TestService, type TestTenant } from '../service.ts';

let service: TestService;
let tenant: TestTenant;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** Until a transaction waits for another one. */
async function isBlocked(): Promise<void> {
  await expect
    .poll(
      () =>
        service.database.admin(
          'SELECT FROM pg_stat_activity WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0',
        ),
      { timeout: 10_000 },
    )
    .toHaveLength(1);
}

const texts = (set: PrefixSet | undefined): string[] =>
  set === undefined ? [] : Array.from(prefixesOf(set), formatPrefix);

interface Host extends FirewallEnrolled {
  readonly path: string;
  readonly key: string;
}

async function enroll(body: object = {}, machine: object = {}): Promise<Host> {
  const { token } = (await post('/v1/firewall/enrollment-tokens', body)) as { token: string };
  const answer = await service.call('POST', '/v1/firewall/clients/enroll', {
    key: token,
    body: { hostname: 'web-1', version: '1.0.0', ...machine },
  });
  expect(answer.status, answer.text).toBe(201);
  const enrolled = answer.body as unknown as FirewallEnrolled;
  return { ...enrolled, path: `/v1/firewall/clients/${enrolled.client_id}`, key: enrolled.api_key.secret };
}

async function post(path: string, body: unknown): Promise<Record<string, unknown>> {
  const { status, body: made, text } = await service.call('POST', path, { key: tenant.keys.operator, body });
  expect(status, text).toBe(201);
  return made;
}

async function ruleset(host: Host, query = '', headers = {}) {
  return service.call('GET', `${host.path}/ruleset${query}`, { key: host.key, headers });
}

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

beforeAll(async () => {
  tenant = await makeTenant(service.database);
});

describe('enrolling', () => {
  test('says what it takes, and where the service is', async () => {
    const { body } = await service.call('GET', '/v1/firewall/install-context', { key: tenant.keys.viewer });
    expect(body).toMatchObject({
      control_plane_url_source: 'request',
      configuration: {
        ready: false,
        missing: [expect.stringContaining('APP_PUBLIC_URL'), expect.any(String)],
      },
      bundle_seed: [{ algorithm: 'Ed25519' }],
    });
    expect(body.install_command).toContain(body.control_plane_url);
  });

  test('has all that it takes where APP_PUBLIC_URL says by which URL hosts reach the service', async () => {
    const { dependencies } = service;
    const http = { ...dependencies.http, publicUrl: 'https://routes.example.net' };
    const server = await createServer({ ...dependencies, http, metrics: newMetrics() });
    const { body: keys } = await service.call('GET', '/v1/bundles/signing-key', { key: tenant.keys.viewer });
    const answer = await server.inject({
      ...{ method: 'GET', url: '/v1/firewall/install-context' },
      headers: { authorization: `Bearer ${tenant.keys.viewer}` },
    });
    expect(answer.json()).toMatchObject({
      ...{ control_plane_url: 'https://routes.example.net', control_plane_url_source: 'app_public_url' },
      configuration: { ready: true, missing: [] },
      bundle_seed: keys.items,
      install_command: expect.stringContaining('https://routes.example.net') as unknown,
    });
    await server.close();
  });

  test('takes a token once, and gives a key for this client alone', async () => {
    const { token } = (await post('/v1/firewall/enrollment-tokens', { policy: 'accept' })) as {
      token: string;
    };
    const machine = { hostname: 'once', version: '1.0.0' };
    const enrollWith = (key: string) =>
      service.call('POST', '/v1/firewall/clients/enroll', { key, body: machine });
    const first = await enrollWith(token);
    expect(first.body.client).toEqual({ name: 'once', policy: 'accept' });
    expect((await enrollWith(token)).status).toBe(401);
    const key = (first.body.api_key as { secret: string }).secret;
    const other = await enroll();
    const session = await service.call('GET', '/v1/auth/session', { key });
    expect(session.body).toMatchObject({ role: 'firewall', tenant: { id: tenant.id } });
    expect((await service.call('GET', `${other.path}/ruleset`, { key })).status).toBe(404);
    expect((await service.call('GET', '/v1/firewall/clients', { key })).status).toBe(403);
    expect((await enrollWith(key)).body).toMatchObject({
      code: 'forbidden',
      detail: expect.stringContaining('/v1/firewall/enrollment-tokens') as unknown,
    });
  });

  test('again as the same client takes the key before back', async () => {
    const before = await enroll();
    const after = await enroll({ client_id: before.client_id }, { hostname: 'web-2' });
    expect(after.client_id).toBe(before.client_id);
    await new Promise((resolve) => setTimeout(resolve, 1_000)); // longer than a key is believed
    expect((await ruleset(before)).status).toBe(401);
    expect((await ruleset(after)).status).toBe(200);
  });

  test('neither token opens the door of the other', async () => {
    const speaker = await post('/v1/speakers', { name: 'n', mode: 'agent', local_asn: 64512 });
    const node = await post(`/v1/speakers/${String(speaker.id)}/enrollment-tokens`, {});
    const firewall = await post('/v1/firewall/enrollment-tokens', {});
    const machine = { hostname: 'h', version: '1' };
    const wrong = [
      await service.call('POST', '/v1/firewall/clients/enroll', { key: String(node.token), body: machine }),
      await service.call('POST', '/v1/nodes/enroll', {
        key: String(firewall.token),
        body: { ...machine, daemon: 'builtin' },
      }),
    ];
    expect(wrong.map(({ status }) => status)).toEqual([403, 403]);
  });
});

describe('a rule', () => {
  test.each([
    [{ name: 'empty' }, '/cidrs'],
    [{ name: 'host bits', cidrs: ['192.0.2.1/24'] }, '/cidrs/0'],
    [{ name: 'ports', cidrs: ['192.0.2.0/24'], ports: ['80'] }, '/ports'],
    [{ name: 'port', cidrs: ['192.0.2.0/24'], protocol: 'tcp', ports: ['443', '90-80'] }, '/ports/1'],
    [{ name: 'module', module_ids: ['0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77'] }, '/module_ids/0'],
  ])('%o is refused at %s', async (body, pointer) => {
    const answer = await service.call('POST', '/v1/firewall/rules', { key: tenant.keys.operator, body });
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toMatchObject([{ pointer }]);
  });

  test('keeps what it draws on, and whom it is for', async () => {
    const community = await post('/v1/communities', { community: '65000:77', title: 'Scanners' });
    const host = await enroll();
    const rule = await post('/v1/firewall/rules', {
      ...{ name: 'kept', community_ids: [community.id], client_ids: [host.client_id] },
    });
    for (const path of [`/v1/communities/${String(community.id)}`, host.path]) {
      const { status, body } = await service.call('DELETE', path, { key: tenant.keys.operator });
      expect({ status, detail: body.detail }).toEqual({
        status: 409,
        detail: expect.stringContaining('firewall rule kept') as unknown,
      });
    }
    const item = `/v1/firewall/rules/${String(rule.id)}`;
    expect((await service.call('DELETE', item, { key: tenant.keys.operator })).status).toBe(204);
    expect((await service.call('DELETE', host.path, { key: tenant.keys.operator })).status).toBe(204);
  });
});

describe('a ruleset', () => {
  let host: Host;
  let communityId: string;
  let first: string;
  beforeAll(async () => {
    tenant = await makeTenant(service.database);
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
