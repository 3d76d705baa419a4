import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBundle, type BundleReader } from '../../../src/bundle/open-bundle.ts';
import { nodeRoutes } from '../../../src/http/routes/nodes/nodes.ts';
import { startNodeService, type NodeService } from './node-service.ts';
import type { Body } from '../service.ts';

let service: NodeService;
/** A node knows its keys beforehand. */
let reader: BundleReader;
beforeAll(async () => {
  service = await startNodeService();
  reader = await service.reader();
});
afterAll(() => service.close());

const example = nodeRoutes.find(({ operation }) => operation === 'reportApplyStatus')!.example as Body;
const WITHIN = { interval: 50 };

/** What the node is to run now. */
async function assigned() {
  const { sequence, bundle } = await service.assigned();
  const { bytes } = await service.pull(bundle.url);
  const opened = openBundle(bytes, reader);
  return { sequence, peers: opened.speaker.peers };
}

test('a node is informed why it must not have a session that a tightened policy does not allow', async () => {
  const { tenant, other } = service;
  const allow = (allowed_local_asns: number[] | null) =>
    service.call('PATCH', `/v1/tenants/${tenant.id}`, {
      key: other.keys.super_admin,
      body: { policy: { allowed_local_asns } },
    });
  await service.apply(await service.revisionOf(['192.0.2.0/24']));
  const before = await assigned();
  expect(before.peers[0]!.refusal).toBeUndefined();
  expect((await allow([65010])).status).toBe(200);
  const refused = await assigned();
  expect(refused.peers[0]!.refusal).toContain('no local AS number 64512 (allowed_local_asns)');
  expect(refused.sequence).toBeGreaterThan(before.sequence);
  expect((await allow(null)).status).toBe(200);
  expect((await assigned()).peers).toEqual(before.peers);
});

test('nodes of a stopped tenant are asked to end their sessions, and may report it; all others are refused', async () => {
  const { tenant, other, speakerId } = service;
  const admin = { key: other.keys.super_admin };
  const path = `/v1/tenants/${tenant.id}`;
  await service.apply(await service.revisionOf(['192.0.2.0/24']));
  const before = await assigned();
  expect(before.peers.length).toBe(1);
  const say = async (more: object, sessions: readonly object[]): Promise<void> => {
    const body = { ...example, ...more, daemon: { ...(example.daemon as object), sessions } };
    const report = { key: tenant.keys.node, body };
    expect((await service.call('POST', `/v1/speakers/${speakerId}/apply-status`, report)).status).toBe(200);
  };
  const peer_id = before.peers[0]!.id;
  const counts = { routes_exported: 1, routes_received: 0, updates_sent: 1, last_error: null };
  await say({}, [{ peer_id, state: 'established', since: new Date().toISOString(), ...counts }]);
  expect((await service.call('GET', path, admin)).body).not.toHaveProperty('announcing_nodes');

  // The node goes on until it has heard of it.
  expect((await service.call('POST', `${path}/stop`, admin)).body).toMatchObject({
    ...{ status: 'stopped', announcing_nodes: 1 },
  });
  const status = async (key: string) => (await service.call('GET', '/v1/auth/session', { key })).status;
  await expect.poll(() => status(tenant.keys.operator), WITHIN).toBe(403);
  expect(await status(tenant.keys.node)).toBe(200);
  const stopped = await assigned();
  expect(stopped.peers).toEqual([]);
  expect(stopped.sequence).toBeGreaterThan(before.sequence);

  const slug = String((await service.call('GET', path, admin)).body.slug);
  const remove = () => service.call('DELETE', `${path}?confirm=${slug}`, admin);
  expect((await remove()).body.code).toBe('in_use');
  // It may be started again,
  expect((await service.call('PATCH', path, { ...admin, body: { status: 'active' } })).status).toBe(200);
  expect((await assigned()).peers).toEqual(before.peers);
  // but is not suspended while it is stopped: that would bring its routes back.
  await service.call('POST', `${path}/stop`, admin);
  const suspended = await service.call('PATCH', path, { ...admin, body: { status: 'suspended' } });
  expect(suspended.body.code).toBe('conflict');
  // And it is deleted once its node has said that its sessions have ended.
  const last = await assigned();
  await say({ sequence: last.sequence, status: 'applied' }, []);
  expect((await service.call('GET', path, admin)).body.announcing_nodes).toBe(0);
  expect((await remove()).status).toBe(204);
});
