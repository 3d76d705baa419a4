import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBundle } from '../../../src/bundle/open-bundle.ts';
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

test('a bundle keeps the value that a community had in its revision, with the next hop of now', async () => {
  const { community, peer } = service.fixtures;
  const chosen = { community_ids: [community] };
  expect((await service.call('PATCH', `/v1/peers/${peer}`, { body: chosen })).status).toBe(200);
  await service.apply(await service.revisionOf(['192.0.2.0/24']));
  const labels = { '65000:100': { community: '65000:100', nextHopIpv4: null, nextHopIpv6: null } };
  expect(await pulled()).toEqual({ labels, heard: [['65000:100']] });
  const body = { community: '65000:200', next_hop_ipv4: '192.0.2.66' };
  expect((await service.call('PATCH', `/v1/communities/${community}`, { body })).status).toBe(200);
  expect(await pulled()).toEqual({
    labels: { '65000:100': { ...labels['65000:100'], nextHopIpv4: '192.0.2.66' } },
    heard: [['65000:100']],
  });
});
