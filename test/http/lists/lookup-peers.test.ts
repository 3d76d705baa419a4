/** Why an address is not announced everywhere, though every speaker announces it: peers that are not sent it, or hold something older. */
import { describe, expect, test } from 'vitest';
import { type LookupScene, useLookups } from './lookup-scene.ts';

const scene = useLookups();
const run: LookupScene['run'] = (...asked) => scene.run(...asked);
const lookup: LookupScene['lookup'] = (q) => scene.lookup(q);
const why: LookupScene['why'] = (q) => scene.why(q);
const revise: LookupScene['revise'] = (...prefixes) => scene.revise(...prefixes);
const runs: LookupScene['runs'] = (place, revision) => scene.runs(place, revision);

describe('the reason why some peers lack it is', () => {
  const addPeer = async (more: object = {}): Promise<string> => {
    const body = { name: 'edge', address: '192.0.2.1', remote_asn: 64496, ...more };
    return (await scene.service.make('/v1/peers', body)).id;
  };

  /** The peer of the first speaker went back to the older revision. */
  const revert = (peer: string, old: string, now: string) =>
    run(
      `INSERT INTO reverted_peer (tenant_id, speaker_id, peer_id, revision_id, tried_revision_id, error, retry)
         SELECT tenant_id, $1, $2, $3, $4, 'Cease', false FROM peer WHERE id = $2`,
      ...[scene.speakers[0], peer, old, now],
    );
  /** The peer of the second speaker has been over its limit since this revision. */
  const limit = (peer: string, before: string) =>
    run(
      `INSERT INTO limited_peer (tenant_id, speaker_id, peer_id, revision_id, families)
         SELECT tenant_id, $1, id, $2, '["ipv4"]' FROM peer WHERE id = $3`,
      ...[scene.speakers[1], before, peer],
    );

  test('peer_reverted, of those that hold an older revision without it', async () => {
    const [old, now] = [await revise('46.0.0.0/16'), await revise('45.1.0.0/16', '46.0.0.0/16')];
    await runs(0, now);
    await runs(1, now);
    const peer = await addPeer();
    await revert(peer, old, now);
    expect(await lookup('45.1.2.3')).toMatchObject({
      announced: [{ speaker_ids: scene.speakers }],
      not_announced: [{ reason: 'peer_reverted', speaker_ids: [scene.speakers[0]], peer_ids: [peer] }],
    });
    expect(await why('46.0.1.1')).toEqual([]);
  });

  test('peer_reverted, of those that hold the route around a blackhole and not that', async () => {
    const [old, now] = [await revise('45.1.0.0/16'), await revise('45.1.0.0/16', '45.1.2.3/32 65000:666')];
    await runs(0, now);
    await runs(1, now);
    const peer = await addPeer();
    await revert(peer, old, now);
    const [reason, ...others] = await why('45.1.2.3');
    expect(others).toEqual([]);
    expect(reason).toMatchObject({ reason: 'peer_reverted', peer_ids: [peer] });
    expect(await why('45.1.2.4')).toEqual([]);
  });

  test('no_next_hop, of an IPv6 route at a peer over IPv4, until something sets one', async () => {
    const now = await revise('45.1.0.0/16', '2600::/32');
    await runs(0, now);
    await runs(1, now);
    const peer = await addPeer({ families: ['ipv4', 'ipv6'], speaker_ids: [scene.speakers[1]] });
    const [reason, ...others] = await why('2600::1');
    expect(reason).toMatchObject({
      reason: 'no_next_hop',
      speaker_ids: [scene.speakers[1]],
      peer_ids: [peer],
    });
    expect(reason!.detail).toContain('set next_hop_ipv6 of the peer');
    expect(others).toEqual([]);
    expect(await why('45.1.2.3')).toEqual([]);
    const { id } = await scene.service.make('/v1/communities', { community: '65000:200', title: 'y' });
    await scene.service.call('PATCH', `/v1/peers/${peer}`, { body: { community_ids: [id] } });
    expect(await why('2600::1')).toEqual([]);
    await scene.service.call('PATCH', `/v1/peers/${peer}`, {
      body: { community_ids: [scene.community], next_hop_ipv6: '2600::99' },
    });
    expect(await why('2600::1')).toEqual([]);
  });

  test('too_many_routes, of a blackhole inside of a route that a peer over its limit has', async () => {
    const before = await revise('45.1.0.0/16');
    const now = await revise('45.1.0.0/16', '45.1.2.3/32 65000:666');
    await runs(0, now);
    await runs(1, now);
    const peer = await addPeer({ speaker_ids: [scene.speakers[1]], max_prefixes_out: 1 });
    await limit(peer, before);
    expect(await why('45.1.2.3')).toMatchObject([
      {
        ...{ reason: 'too_many_routes', speaker_ids: [scene.speakers[1]], peer_ids: [peer] },
        detail: expect.stringContaining('does not have 45.1.2.3/32') as string,
      },
    ]);
    expect(await why('45.1.2.4')).toEqual([]);
  });

  test('too_many_routes, of a route that a peer over its limit has not, or perhaps not', async () => {
    const before = await revise('45.1.0.0/16', '46.2.0.0/16', '46.4.0.0/16');
    const now = await revise('45.1.0.0/16', '45.9.0.0/16', '46.2.0.0/15', '46.4.0.0/16');
    await runs(0, now);
    await runs(1, now);
    const peer = await addPeer({ speaker_ids: [scene.speakers[1]], max_prefixes_out: 3 });
    await limit(peer, before);
    const [reason, ...others] = await why('45.9.2.3');
    expect(others).toEqual([]);
    expect(reason).toMatchObject({
      ...{ reason: 'too_many_routes', speaker_ids: [scene.speakers[1]], peer_ids: [peer] },
      detail: expect.stringMatching(
        /does not have 45\.9\.0\.0\/16: its routes are more than its max_prefixes_out of 3, .*Raise max_prefixes_out/,
      ) as string,
    });
    expect(await why('46.4.0.1')).toEqual([]);
    // It was merged since, so the speaker sends it in place of what the peer had, as far as there is room.
    expect(await why('46.3.0.1')).toMatchObject([
      {
        reason: 'too_many_routes',
        detail: expect.stringContaining('may not have 46.2.0.0/15') as string,
      },
    ]);
    await run(`UPDATE limited_peer SET revision_id = NULL`);
    expect(await why('46.4.0.1')).toMatchObject([{ reason: 'too_many_routes' }]);
    await scene.service.call('PATCH', `/v1/peers/${peer}`, { body: { enabled: false } });
    expect(await why('45.9.2.3')).toEqual([]);
  });
});
