import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createServer } from '../../../src/http/server/server.ts';
import { makeTenant, newMetrics, startService, type TestService, type TestTenant } from '../service.ts';
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

describe('a client that is there', () => {
  const read = async (host: Host) => (await service.call('GET', host.path, { key: tenant.keys.viewer })).body;
  const report = (host: Host) =>
    service.call('POST', `${host.path}/apply-status`, {
      key: host.key,
      body: {
        ...{ ruleset_hash: null, status: 'applied', error: null },
        ...{ hostname: 'web-1', version: '1.0.0', counters: [] },
      },
    });
  const lastSeen = (host: Host, seconds: number) =>
    service.database.db.inTenant(tenant.id, (tx) =>
      sql`UPDATE firewall_client SET last_seen_at = now() - make_interval(secs => ${seconds}) WHERE id = ${host.client_id}`.execute(
        tx.sql,
      ),
    );

  test('is online for 35 s after it reported or asked, whoever else asks', async () => {
    const host = await enroll();
    await ruleset(host);
    // It has enrolled, and has no rules yet.
    expect(await read(host)).toMatchObject({ online: false, last_seen_at: null });
    await report(host);
    await lastSeen(host, 30);
    expect(await read(host)).toMatchObject({ online: true });
    await lastSeen(host, 40);
    await service.call('GET', `${host.path}/ruleset`, { key: tenant.keys.operator });
    expect(await read(host)).toMatchObject({ online: false });
    await ruleset(host);
    expect(await read(host)).toMatchObject({ online: true });
  });

  test('is shown with what it is to apply, which it may not have asked for yet', async () => {
    const host = await enroll();
    const wanted = async () => {
      const { body } = await service.call('GET', '/v1/firewall/clients?wanted=true&limit=500', {
        key: tenant.keys.viewer,
      });
      return (body.items as { id: string }[]).find(({ id }) => id === host.client_id);
    };
    const { body: given } = await ruleset(host);
    expect(await wanted()).toMatchObject({
      ruleset_hash: given.ruleset_hash,
      wanted_ruleset_hash: given.ruleset_hash,
    });
    await post('/v1/firewall/rules', {
      ...{ name: 'wanted', cidrs: ['192.0.2.0/24'], client_ids: [host.client_id] },
    });
    const then = await wanted();
    expect(then).toMatchObject({ ruleset_hash: given.ruleset_hash });
    expect(then).not.toMatchObject({ wanted_ruleset_hash: given.ruleset_hash });
    const { body: next } = await ruleset(host);
    expect(then).toMatchObject({ wanted_ruleset_hash: next.ruleset_hash });
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
