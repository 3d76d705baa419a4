/** Part 4 of the specification, "Settings and audit", "Maintenance" and "Operations that exist": the titles quote it. */
import { createPublicKey } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keyFor } from '../http/fixtures.ts';
import type { Body } from '../http/service.ts';
import { startListServer } from '../sources/lists/list-server.ts';
import { startFilledService, type FilledService } from './roles.ts';

let service: FilledService;
beforeAll(async () => {
  service = await startFilledService();
});
afterAll(() => service.close());

describe('Settings and audit', () => {
  test('GET `/v1/settings`, viewer+: "read tenant key/value settings"', async () => {
    await service.expectRefused(['node'], 'GET', '/v1/settings');
    const { body } = await service.callAs('viewer', 'GET', '/v1/settings');
    expect(body.settings).toMatchObject({ revision_retention_minutes: 43_200 });
  });

  test('PATCH `/v1/settings`, operator+: "change settings"', async () => {
    const change = { revision_retention_minutes: 60 };
    await service.expectRefused(['node', 'viewer'], 'PATCH', '/v1/settings', change);
    expect((await service.callAs('operator', 'PATCH', '/v1/settings', change)).body.settings).toMatchObject(
      change,
    );
    expect((await service.callAs('viewer', 'GET', '/v1/settings')).body.settings).toMatchObject(change);
    const foreign = await service.call('GET', '/v1/settings', { key: service.other.keys.viewer });
    expect(foreign.body.settings).toMatchObject({ revision_retention_minutes: 43_200 });
  });

  test('GET `/v1/audit`, "viewer+ (permission `bgp:monitoring:read`)"', async () => {
    await service.expectRefused(['node'], 'GET', '/v1/audit');
    const { permissions } = (await service.callAs('viewer', 'GET', '/v1/auth/session')).body;
    expect(permissions).toContain('bgp:monitoring:read');
    expect((await service.callAs('node', 'GET', '/v1/auth/session')).body.permissions).not.toContain(
      'bgp:monitoring:read',
    );
    const { detail } = (await service.callAs('node', 'GET', '/v1/audit')).body;
    expect(detail).toContain('bgp:monitoring:read');
  });

  test('GET `/v1/audit`: "paginated journal of CRUD changes"', async () => {
    const made = await service.make('/v1/communities', { community: '65000:400', title: 'Audited' });
    const path = `/v1/communities/${made.id}`;
    await service.callAs('operator', 'PATCH', path, { title: 'Changed' });
    await service.callAs('operator', 'DELETE', path);
    const { body } = await service.callAs('viewer', 'GET', '/v1/audit?limit=3');
    expect(body).toMatchObject({ has_more: true });
    expect((body.items as Body[]).map(({ action }) => action)).toEqual([
      ...['community.delete', 'community.change', 'community.create'],
    ]);
  });

  test('GET `/v1/audit`: "query `cursor`, `limit`, optional `action`, `severity`"', async () => {
    const found = async (query: string): Promise<Body[]> =>
      (await service.callAs('viewer', 'GET', `/v1/audit?${query}`)).body.items as Body[];
    const deleted = await found('action=community.delete');
    expect(deleted.map(({ action }) => action)).toEqual(['community.delete']);
    const notices = await found('severity=notice');
    expect(new Set(notices.map(({ severity }) => severity))).toEqual(new Set(['notice']));
    expect(await found('action=community.delete&severity=critical')).toEqual([]);
    const { body } = await service.callAs('viewer', 'GET', '/v1/audit?severity=info&limit=1');
    const [next] = await found(`severity=info&limit=1&cursor=${String(body.next_cursor)}`);
    expect(next!.id).not.toBe((body.items as Body[])[0]!.id);
  });
});

describe('Maintenance', () => {
  test('"Policies are managed under `/v1/maintenance` (create, read, change, delete), with a run operation and a dry-run operation. A run creates a `maintenance_policy_run` job."', async () => {
    const create = { name: 'jobs', kind: 'job_prune' };
    await service.expectRefused(['node', 'viewer'], 'POST', '/v1/maintenance/policies', create);
    const policy = await service.make('/v1/maintenance/policies', create);
    const path = `/v1/maintenance/policies/${policy.id}`;
    expect((await service.callAs('viewer', 'GET', path)).body).toMatchObject(create);
    await service.expectRefused(['node', 'viewer'], 'PATCH', path, { enabled: false });
    expect((await service.callAs('operator', 'PATCH', path, { enabled: false })).body.enabled).toBe(false);
    await service.expectRefused(['node', 'viewer'], 'POST', `${path}/dry-run`);
    expect((await service.callAs('operator', 'POST', `${path}/dry-run`)).body.dry_run).toBe(true);
    const ranBefore = (await service.callAs('viewer', 'GET', `${path}/runs`)).body.items;
    expect(ranBefore).toEqual([]);
    await service.expectRefused(['node', 'viewer'], 'POST', `${path}/run`);
    const { status, body: job } = await service.callAs('operator', 'POST', `${path}/run`);
    expect({ status, type: job.type }).toEqual({ status: 202, type: 'maintenance_policy_run' });
    await service.expectRefused(['node', 'viewer'], 'DELETE', path);
    expect((await service.callAs('operator', 'DELETE', path)).status).toBe(204);
  });
});

describe('Operations that exist', () => {
  test.for([
    ['AS_PREFIXES', 'as-entries', { asn: 3333 }],
    ['DOMAINS', 'domain-entries', { domain: 'www.example.net' }],
    ['IP_RANGES', 'ip-range-entries', { cidr: '9.9.9.0/24' }],
  ] as const)(
    '"CSV export and CSV import of module entries (entry types `AS_PREFIXES`, `DOMAINS`, `IP_RANGES`)": %s',
    async ([type, entries, entry]) => {
      const from = await service.make('/v1/modules', { name: `from ${type}`, type });
      await service.make(`/v1/modules/${from.id}/${entries}`, entry);
      const exported = await service.callAs('viewer', 'GET', `/v1/modules/${from.id}/entries.csv`);
      expect(exported.headers.get('content-type')).toMatch(/^text\/csv/);
      const to = await service.make('/v1/modules', { name: `to ${type}`, type });
      const path = `/v1/modules/${to.id}/entries.csv`;
      const headers = { 'content-type': 'text/csv' };
      const { viewer, operator } = service.tenant.keys;
      const importAs = (key: string) => service.call('POST', path, { key, headers, body: exported.text });
      expect((await importAs(viewer)).status).toBe(403);
      expect((await importAs(operator)).status).toBe(200);
      expect(
        (await service.callAs('viewer', 'GET', `/v1/modules/${to.id}/${entries}`)).body.items,
      ).toMatchObject([entry]);
    },
  );

  test('"CDN source preview"', async () => {
    const lists = await startListServer();
    lists.answer = (_request, response) => response.end('8.8.8.0/24\n');
    const body = { url: `${lists.origin}/list` };
    await service.expectRefused(['node', 'viewer'], 'POST', '/v1/cdn-sources/preview', body);
    expect((await service.callAs('operator', 'POST', '/v1/cdn-sources/preview', body)).body).toMatchObject({
      prefixes: ['8.8.8.0/24'],
    });
    await lists.close();
  });

  test('"bundle signing public key retrieval"', async () => {
    const { body } = await service.callAs('viewer', 'GET', '/v1/bundles/signing-key');
    const [{ public_key_pem: pem } = {}] = body.items as Body[];
    expect(createPublicKey(pem as string).asymmetricKeyType).toBe('ed25519');
  });

  test('"revision prune estimate and cleanup"', async () => {
    expect((await service.callAs('viewer', 'GET', '/v1/revisions/prune/estimate')).status).toBe(200);
    expect((await service.callAs('operator', 'POST', '/v1/revisions/prune')).body.type).toBe(
      'revision_prune',
    );
  });

  test('"PostgreSQL instance metrics and maintenance operations"', async () => {
    await service.expectRefused(['node'], 'GET', '/v1/postgres/metrics');
    // Tests before this one have left work behind, which may wait for a lock for a moment.
    const metrics = async () => (await service.callAs('super_admin', 'GET', '/v1/postgres/metrics')).body;
    await expect.poll(metrics).toMatchObject({ waiting_locks: [] });
    const body = { operation: 'analyze', table: 'setting' };
    await service.expectRefused(['node', 'viewer'], 'POST', '/v1/postgres/maintenance', body);
    const { status, body: job } = await service.callAs(
      'super_admin',
      'POST',
      '/v1/postgres/maintenance',
      body,
    );
    expect({ status, type: job.type }).toEqual({ status: 202, type: 'postgres_maintenance' });
  });

  test('"install context (bundle seed, configuration status, suggested control-plane URL)"', async () => {
    const { body } = await service.callAs('viewer', 'GET', '/v1/firewall/install-context');
    expect(body).toMatchObject({
      bundle_seed: expect.any(Array) as unknown[],
      configuration: { ready: expect.any(Boolean) as boolean },
      control_plane_url: service.url,
    });
  });

  test('"firewall client enrollment"', async () => {
    const key = keyFor({ operation: '', permission: 'bgp:firewall:enroll' }, service.tenant);
    const body = { hostname: 'web-2', version: '1' };
    const enroll = (token: string | null) =>
      service.call('POST', '/v1/firewall/clients/enroll', { key: token, body });
    expect((await enroll(null)).status).toBe(401);
    const { status, body: enrolled } = await enroll(key);
    expect(status).toBe(201);
    const { secret } = enrolled.api_key as { secret: string };
    const session = await service.call('GET', '/v1/auth/session', { key: secret });
    expect(session.body.role).toBe('firewall');
  });

  test.for([
    ['client', '/v1/firewall/clients', 'firewall client'],
    ['rule', '/v1/firewall/rules', 'firewall rule'],
  ] as const)('"client and rule listing": %s', async ([, path, noun]) => {
    await service.expectRefused(['node'], 'GET', path);
    const { items } = (await service.callAs('viewer', 'GET', path)).body;
    expect(items).toContainEqual(expect.objectContaining({ id: service.ids[noun] }));
  });

  test('"apply-status reporting"', async () => {
    const path = `/v1/firewall/clients/${service.ids['firewall client']}/apply-status`;
    const report = {
      ...{ status: 'applied', ruleset_hash: '0'.repeat(64), error: null, counters: [] },
      ...{ hostname: 'web-1', version: '1' },
    };
    await service.expectRefused(['viewer', 'operator', 'node'], 'POST', path, report);
    const { status, text } = await service.callAs('firewall', 'POST', path, report);
    expect(status, text).toBe(200);
  });

  test('"with block/accept policies"', async () => {
    const path = `/v1/firewall/clients/${service.ids['firewall client']}`;
    for (const policy of ['accept', 'block'])
      expect((await service.callAs('operator', 'PATCH', path, { policy })).body).toMatchObject({ policy });
    expect((await service.callAs('operator', 'PATCH', path, { policy: 'reject' })).status).toBe(422);
  });
});
