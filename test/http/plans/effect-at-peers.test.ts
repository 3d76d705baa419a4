/** Which speakers and peers a dry run names, and what it says that they would be sent. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type Body, type TestService } from '../service.ts';
import { build, dry, makeList } from './dry-runs.ts';

let service: TestService;
let list: string;
beforeAll(async () => {
  service = await startService();
  list = await makeList(service, '8.8.8.0/24', '9.9.9.0/24');
  await build(service);
});
afterAll(() => service?.close());

test('speakers and peers: who would be sent what', async () => {
  const speaker = await service.make('/v1/speakers', { name: 'edge', local_asn: 64512 });
  const peer = await service.make('/v1/peers', { name: 'router', address: '192.0.2.9', remote_asn: 64500 });
  const { body: latest } = await service.call('GET', '/v1/revisions/latest');
  await service.database.admin(
    'UPDATE speaker SET applied_revision_id = $1, applied_at = now() WHERE id = $2',
    [latest.id, speaker.id],
  );
  const effect = await dry(service, 'POST', list, { cidr: '7.7.7.0/24' });
  expect(effect.speakers).toEqual([
    {
      ...{ speaker_id: speaker.id, name: 'edge', announced: 1, withdrawn: 0, changed: 0 },
      peers: [
        {
          ...{ peer_id: peer.id, name: 'router' },
          before: { ipv4: 2, ipv6: 0 },
          after: { ipv4: 3, ipv6: 0 },
          ...{ updated: 1, withdrawn: 0, lost: 0, session: 'same' },
          ...{ fitted_before: null, fitted: null, unfitted: null, unfitted_cost: null },
        },
      ],
    },
  ]);
  // As many routes, but with another community, or another route: the peer is named all the same.
  const [community] = (await service.call('GET', '/v1/communities?limit=500')).body.items as Body[];
  const renamed = await dry(service, 'PATCH', `/v1/communities/${String(community!.id)}`, {
    community: '65000:8',
  });
  expect(renamed.speakers).toMatchObject([
    {
      changed: 2,
      peers: [{ name: 'router', before: { ipv4: 2 }, after: { ipv4: 2 }, updated: 2, withdrawn: 0 }],
    },
  ]);
  // Another next hop is in no revision, and changes what routers are sent all the same.
  const hopped = await dry(service, 'PATCH', `/v1/communities/${String(community!.id)}`, {
    next_hop_ipv4: '192.0.2.66',
  });
  expect(hopped).toMatchObject({
    revision: null,
    speakers: [{ announced: 0, withdrawn: 0, changed: 2, peers: [{ name: 'router', updated: 2 }] }],
  });
  const titled = await dry(service, 'PATCH', `/v1/communities/${String(community!.id)}`, {
    title: 'another',
  });
  expect(titled.speakers).toEqual([]);
  const [one] = (await service.call('GET', list)).body.items as Body[];
  const moved = await dry(service, 'PATCH', `${list}/${String(one!.id)}`, { cidr: '6.6.6.0/24' });
  expect(moved.speakers).toMatchObject([
    {
      announced: 1,
      withdrawn: 1,
      peers: [{ before: { ipv4: 2 }, after: { ipv4: 2 }, updated: 1, withdrawn: 1 }],
    },
  ]);
  expect((await dry(service, 'PATCH', `${list}/${String(one!.id)}`, { note: 'the same' })).speakers).toEqual(
    [],
  );
  const gone = await dry(service, 'DELETE', `/v1/peers/${peer.id}`);
  expect(gone.revision).toBeNull();
  expect(gone.speakers).toMatchObject([
    {
      announced: 0,
      peers: [{ peer_id: peer.id, before: { ipv4: 2 }, after: { ipv4: 0, ipv6: 0 }, withdrawn: 2 }],
    },
  ]);
});

test('of a peer that is to be sent a cover, a plan says what it would cost, and where', async () => {
  const [peer] = (await service.call('GET', '/v1/peers')).body.items as { id: string }[];
  await service.call('POST', list, { body: { items: [{ cidr: '12.0.0.0/24' }, { cidr: '12.0.2.0/24' }] } });
  await build(service);
  const { body: latest } = await service.call('GET', '/v1/revisions/latest');
  await service.database.admin("UPDATE speaker SET applied_revision_id = $1 WHERE name = 'edge'", [
    latest.id,
  ]);
  const limit = (latest.prefix_count as { ipv4: number }).ipv4 - 1;
  const covered = async (): Promise<unknown> => {
    const body = { max_prefixes_out: limit, when_too_many: 'fit' };
    const { speakers } = await dry(service, 'PATCH', `/v1/peers/${peer!.id}`, body);
    return speakers[0]!.peers[0];
  };
  const cost = {
    added_addresses: '512',
    added_percent: 50,
    optimal: true,
    added_prefixes: ['12.0.1.0/24', '12.0.3.0/24'],
  };
  expect(await covered()).toMatchObject({
    ...{ fitted: null, unfitted: expect.stringContaining('512 foreign IPv4 addresses') as string },
    unfitted_cost: { ipv4: cost, ipv6: null },
  });
  // One that holds nothing, since its routes are more than its limit, is sent nothing with another limit that they do not fit.
  await service.call('PATCH', `/v1/peers/${peer!.id}`, {
    body: { max_prefixes_out: limit - 1, when_too_many: 'fit' },
  });
  await service.database.admin(
    `INSERT INTO limited_peer (tenant_id, speaker_id, peer_id, revision_id, labels, families)
     SELECT tenant_id, id, $1, NULL, NULL, '["ipv4", "ipv6"]' FROM speaker WHERE name = 'edge'`,
    [peer!.id],
  );
  expect(await covered()).toMatchObject({
    ...{ before: { ipv4: 0 }, after: { ipv4: 0 }, updated: 0 },
    unfitted: expect.stringContaining('512 foreign IPv4 addresses') as string,
  });
  await service.database.admin('DELETE FROM limited_peer');
  await service.call('PATCH', `/v1/peers/${peer!.id}`, {
    body: { max_prefixes_out: null, when_too_many: 'keep' },
  });
  await service.call('PATCH', '/v1/settings', { body: { fit_max_added_percent: 100 } });
  expect(await covered()).toMatchObject({
    ...{ after: { ipv4: limit }, unfitted: null, unfitted_cost: null },
    fitted: { ipv4: cost, ipv6: null },
    ...{ fitted_before: null, lost: 0 },
  });
  // What it adds belongs to no list, and what it covers is announced by the routes that take its place.
  const fitting = { max_prefixes_out: limit, when_too_many: 'fit' };
  await service.call('PATCH', `/v1/peers/${peer!.id}`, { body: fitting });
  const { speakers: raised } = await dry(service, 'PATCH', `/v1/peers/${peer!.id}`, {
    max_prefixes_out: null,
  });
  const [finer] = raised[0]!.peers as { withdrawn: number }[];
  expect(finer).toMatchObject({ before: { ipv4: limit }, after: { ipv4: limit + 1 }, lost: 0 });
  expect(finer).toMatchObject({ fitted: null, fitted_before: { ipv4: cost, ipv6: null } });
  expect(finer!.withdrawn).toBeGreaterThan(0);
  await service.call('PATCH', `/v1/peers/${peer!.id}`, {
    body: { max_prefixes_out: null, when_too_many: 'keep' },
  });
  await service.call('PATCH', '/v1/settings', { body: { fit_max_added_percent: null } });
  await service.call('DELETE', list, { body: { filter: { contains: '12.0.0.0/24' } } });
  await service.call('DELETE', list, { body: { filter: { contains: '12.0.2.0/24' } } });
  await build(service);
  const { body: after } = await service.call('GET', '/v1/revisions/latest');
  await service.database.admin("UPDATE speaker SET applied_revision_id = $1 WHERE name = 'edge'", [after.id]);
});

test('a session that ends by it is named, although its peer is to be sent the same routes', async () => {
  const ofPeer = async (path: string, body: object) =>
    (await dry(service, 'PATCH', path, body)).speakers.flatMap(({ peers }) =>
      peers.map(({ name, after, session }) => ({ name, routes: after.ipv4, session })),
    );
  const [peer] = (await service.call('GET', '/v1/peers')).body.items as { id: string }[];
  const speakers = (await service.call('GET', '/v1/speakers')).body.items as { id: string; name: string }[];
  const speaker = speakers.find(({ name }) => name === 'edge');
  const [asPeer, asSpeaker] = [`/v1/peers/${peer!.id}`, `/v1/speakers/${speaker!.id}`];
  const router = { name: 'router', routes: 2 };
  expect(await ofPeer(asPeer, { hold_time: 30 })).toEqual([{ ...router, session: 'restarted' }]);
  expect(await ofPeer(asPeer, { address: '192.0.2.10' })).toEqual([{ ...router, session: 'replaced' }]);
  expect(await ofPeer(asPeer, { remote_asn: 64501 })).toEqual([{ ...router, session: 'replaced' }]);
  expect(await ofPeer(asSpeaker, { local_asn: 64999 })).toEqual([{ ...router, session: 'replaced' }]);
  expect(await ofPeer('/v1/settings', { bgp_restart_time: 240 })).toEqual([
    { ...router, session: 'restarted' },
  ]);
  expect(await ofPeer(asPeer, { description: 'the same' })).toEqual([]);
});

test('a peer that is to be sent other routes in place of its own loses these, be they as many', async () => {
  const all = (await service.call('GET', '/v1/communities?limit=500')).body.items as Body[];
  const own = all.find(({ community }) => community === '65000:7')!;
  const other = await service.make('/v1/communities', { community: '65000:9', title: 'Nine' });
  const module = await service.make('/v1/modules', {
    ...{ name: 'others', type: 'IP_RANGES', community_id: other.id },
  });
  await service.make(`/v1/modules/${module.id}/ip-range-entries`, {
    items: [{ cidr: '13.0.0.0/24' }, { cidr: '13.0.2.0/24' }],
  });
  await build(service);
  const { body: latest } = await service.call('GET', '/v1/revisions/latest');
  await service.database.admin("UPDATE speaker SET applied_revision_id = $1 WHERE name = 'edge'", [
    latest.id,
  ]);
  const [peer] = (await service.call('GET', '/v1/peers')).body.items as { id: string }[];
  const path = `/v1/peers/${peer!.id}`;
  await service.call('PATCH', path, { body: { community_ids: [own.id] } });
  const ofPeer = async (body: object) => (await dry(service, 'PATCH', path, body)).speakers[0]!.peers;
  expect(await ofPeer({ community_ids: [other.id] })).toMatchObject([
    { before: { ipv4: 2 }, after: { ipv4: 2 }, updated: 2, withdrawn: 2 },
  ]);
  expect(await ofPeer({ community_ids: [] })).toMatchObject([
    { before: { ipv4: 2 }, after: { ipv4: 4 }, updated: 2, withdrawn: 0 },
  ]);
  expect(await ofPeer({ families: ['ipv6'] })).toMatchObject([
    { before: { ipv4: 2 }, after: { ipv4: 0 }, updated: 0, withdrawn: 2 },
  ]);
});

test('a limit and the routes that are more than it have their digits grouped', async () => {
  const [peer] = (await service.call('GET', '/v1/peers')).body.items as { id: string }[];
  const items = Array.from({ length: 1_100 }, (_, at) => ({ cidr: `45.${at >> 7}.${(at & 127) * 2}.0/24` }));
  await service.call('POST', list, { body: { items } });
  await build(service);
  const { body: latest } = await service.call('GET', '/v1/revisions/latest');
  await service.database.admin("UPDATE speaker SET applied_revision_id = $1 WHERE name = 'edge'", [
    latest.id,
  ]);
  const { speakers } = await dry(service, 'PATCH', `/v1/peers/${peer!.id}`, { max_prefixes_out: 1_000 });
  expect(speakers[0]!.peers[0]!.unfitted).toMatch(/^1,10\d routes are more than its limit, 1,000$/);
});

test('a peer over its limit that loses a route, and gets a part of it in its place, is named; one that gains none is sent none', async () => {
  const [peer] = (await service.call('GET', '/v1/peers')).body.items as { id: string }[];
  await service.call('PATCH', `/v1/peers/${peer!.id}`, {
    body: { max_prefixes_out: 1_000, when_too_many: 'keep' },
  });
  const { items } = (await service.call('GET', `${list}?q=45.0.0.0/24`)).body as { items: { id: string }[] };
  const ofPeer = async (method: 'PATCH' | 'POST', path: string, body: object) =>
    (await dry(service, method, path, body)).speakers.flatMap(({ peers }) => peers);
  const narrower = await ofPeer('PATCH', `${list}/${items[0]!.id}`, { cidr: '45.0.0.0/25' });
  expect(narrower).toMatchObject([{ peer_id: peer!.id, updated: 1, withdrawn: 1, lost: 1 }]);
  expect(narrower[0]!.after).toEqual(narrower[0]!.before);
  expect(await ofPeer('PATCH', `${list}/${items[0]!.id}`, { note: 'the same' })).toEqual([]);
  const added = await ofPeer('POST', list, { cidr: '46.0.0.0/24' });
  expect(added).toMatchObject([{ peer_id: peer!.id, updated: 0, withdrawn: 0 }]);
});
