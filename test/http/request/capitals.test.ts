/** An id is the same in capitals (RFC 9562, section 4), whatever a request does with it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listSourcesToCollect } from '../../../src/store/entries/cdn-sources.ts';
import { listAllPeersWithPasswords } from '../../../src/store/speakers/peers.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.close());

async function change(path: string, id: string, body: unknown): Promise<void> {
  const { status, text } = await service.call('PATCH', `${path}/${id.toUpperCase()}`, { body });
  expect(status, text).toBe(200);
}

test('secrets that are set by it can be opened by whoever needs them', async () => {
  const { database, dependencies, tenant } = service;
  const peer = await service.make('/v1/peers', { name: 'edge', address: '192.0.2.1', remote_asn: 64500 });
  await change('/v1/peers', peer.id, { password: 'correct horse' });
  const module = await service.make('/v1/modules', { name: 'lists', type: 'CDN_SOURCES' });
  const sources = `/v1/modules/${module.id}/cdn-sources`;
  const source = await service.make(sources, { name: 'list', url: 'https://example.net/list' });
  await change(sources, source.id, { headers: { 'X-Token': 'battery' } });

  const [peers, collected] = await database.db.inTenant(tenant.id, async (tx) => [
    await listAllPeersWithPasswords(tx, dependencies.secrets),
    await listSourcesToCollect(tx, module.id, dependencies.secrets),
  ]);
  expect(peers.map(({ password }) => password)).toEqual(['correct horse']);
  expect(collected.map(({ headers }) => headers)).toEqual([{ 'X-Token': 'battery' }]);
});

test('what is used is not deleted by it', async () => {
  const community = await service.make('/v1/communities', { community: '65000:1', title: 'One' });
  const settings = { default_community_id: community.id };
  expect((await service.call('PATCH', '/v1/settings', { body: settings })).status).toBe(200);
  const { status, body } = await service.call('DELETE', `/v1/communities/${community.id.toUpperCase()}`);
  expect({ status, code: body.code }).toEqual({ status: 409, code: 'in_use' });
});
