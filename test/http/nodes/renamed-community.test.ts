import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBundle } from '../../../src/bundle/open-bundle.ts';
import { beginRollout } from '../../../src/control/rollout/begin-rollout.ts';
import { listAppliesOf } from '../../../src/store/rollout/applies.ts';
import { startNodeService, type NodeService } from './node-service.ts';

let service: NodeService;
beforeAll(async () => {
  service = await startNodeService();
});
afterAll(() => service.close());

async function pulled() {
  const { bundle } = await service.assigned();
  const { bytes } = await service.pull(bundle.url);
  const { routes, speaker } = openBundle(bytes, await service.reader());
  return { labels: routes.labels, heard: speaker.peers.map(({ labels }) => labels) };
}

test('a bundle keeps the value that a community had in its revision, and gets its next hop with an apply', async () => {
  const { community, peer } = service.fixtures;
  const chosen = { community_ids: [community] };
  expect((await service.call('PATCH', `/v1/peers/${peer}`, { body: chosen })).status).toBe(200);
  await service.apply(await service.revisionOf(['192.0.2.0/24']));
  const labels = { '65000:100': { community: '65000:100', nextHopIpv4: null, nextHopIpv6: null } };
  expect(await pulled()).toEqual({ labels, heard: [['65000:100']] });
  const body = { community: '65000:200', next_hop_ipv4: '192.0.2.66' };
  expect((await service.call('PATCH', `/v1/communities/${community}`, { body })).status).toBe(200);
  expect(await pulled()).toEqual({ labels, heard: [['65000:100']] });
  await service.apply(null);
  expect(await pulled()).toEqual({
    labels: { '65000:100': { ...labels['65000:100'], nextHopIpv4: '192.0.2.66' } },
    heard: [['65000:100']],
  });
});

test('an apply of what speakers run goes to a node, too, that is on its way to its first revision', async () => {
  const { database, tenant, speakerId, dependencies } = service;
  await service.apply(await service.revisionOf(['192.0.2.0/25']));
  await service.assigned();
  const [node] = await database.admin(
    'UPDATE speaker SET agent_last_seen_at = now() WHERE id = $1 RETURNING applied_revision_id',
    [speakerId],
  );
  expect(node).toEqual({ applied_revision_id: null });
  const input = { revision_id: null, speaker_ids: null };
  const targets = await database.db.inTenant(tenant.id, async (tx) => {
    const job = { type: 'apply', input, resource: null, requestedBy: 'key:test', parentId: null } as const;
    const { id } = await dependencies.queue.enqueue(tx, job);
    await beginRollout(tx, id, input);
    return listAppliesOf(tx, id);
  });
  expect(targets).toMatchObject([{ speaker_id: speakerId, state: 'planned' }]);
});
