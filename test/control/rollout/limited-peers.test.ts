import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PeerApplyResult } from '../../../src/api/revisions/apply.ts';
import type { Job } from '../../../src/api/activity/jobs.ts';
import { SpeakerHolder } from '../../../src/control/holding/hold-speakers.ts';
import { changePeer, createPeer } from '../../../src/control/speakers/peers.ts';
import { createSpeaker } from '../../../src/control/speakers/speakers.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { pruneRevisions } from '../../../src/store/revisions/revision-prune.ts';
import type { Bird } from '../../daemons/bird/bird.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { PEER_REACH } from '../../peer-allow.ts';
import { startWorld, type World } from '../../speakers/bird/world.ts';
import { startPlane, type Plane } from '../plane.ts';
import { GrowingModule, speakerResults } from './rollout.ts';

/** A speaker in a local BIRD, which has one table for its two peers; the tests go on from one another. */
describe.skipIf(requireDaemon('bird') === null)('a peer that its BIRD has too many routes for', () => {
  let plane: Plane;
  let world: World;
  let module: GrowingModule;
  let holder: SpeakerHolder;
  let speakerId: string;
  let peers: readonly [Bird, Bird];
  let narrowId: string;

  function hold(): SpeakerHolder {
    const started = new SpeakerHolder({
      ...{ peerReach: PEER_REACH, calm: 0, daemons: ['bird'], onFault: () => undefined },
      ...{ db: plane.database.db, secrets: plane.context.secrets },
      driverOf: (_, id) => world.driver(id),
      shared: new Map([['bird', world.daemon]]),
    });
    started.start();
    return started;
  }
  const addPeer = async (name: string, { address, port }: Bird, more: object = {}): Promise<string> => {
    const body = { name, address, port, remote_asn: 65_001, multihop: 2, speaker_ids: [speakerId], ...more };
    return (await plane.run((tx) => createPeer(tx, plane.context, body))).resource.id;
  };
  const limit = (routes: number | null): Promise<unknown> =>
    plane.run((tx) => changePeer(tx, plane.context, narrowId, { max_prefixes_out: routes }, null));
  const have = async (wide: number, narrow: number): Promise<void> => {
    await peers[0].waitRoutes(wide);
    await peers[1].waitRoutes(narrow);
  };
  const of = (job: Job): Record<string, PeerApplyResult> =>
    Object.fromEntries(speakerResults(job)[0]!.peers.map((peer) => [peer.name, peer]));
  const rows = (): Promise<{ revision_id: string | null }[]> =>
    plane.database.admin('SELECT revision_id FROM limited_peer WHERE speaker_id = $1', [speakerId]);

  beforeAll(async () => {
    plane = await startPlane();
    world = await startWorld();
    await plane.run((tx) => changeSettings(tx, { auto_apply: false, deploy_confirm_timeout_seconds: 20 }));
    module = await GrowingModule.create(plane);
    const speaker = { name: 'edge', daemon: 'bird', local_asn: 64_512 } as const;
    speakerId = (await plane.run((tx) => createSpeaker(tx, plane.context, speaker))).resource.id;
    peers = [await world.peer(), await world.peer()];
    await addPeer('wide', peers[0]);
    narrowId = await addPeer('narrow', peers[1], { max_prefixes_out: 2 });
    holder = hold();
  });
  afterAll(async () => {
    await holder?.close();
    await world?.stop();
    await plane?.close();
  });

  test('keeps what it has, is named, and makes the apply partial', async () => {
    await module.nextRevision();
    const held = await module.nextRevision();
    await plane.succeeded(await plane.apply(held));
    await have(2, 2);
    const job = await plane.ended(await plane.apply(await module.nextRevision()));
    expect(speakerResults(job)[0]).toMatchObject({
      ...{ status: 'partial', announced: 1 },
      error: expect.stringMatching(/^1 of 2 peers .* narrow: its 3 routes are more than/) as string,
    });
    expect(of(job)).toMatchObject({
      narrow: { status: 'over_limit', announced: 2, expected: null, was_behind: false },
      wide: { status: 'applied', announced: 3 },
    });
    await have(3, 2);
    expect(await rows()).toEqual([{ revision_id: held }]);
  });

  test('keeps it over a restart of the service, and newer revisions, whatever is pruned', async () => {
    await holder.close();
    const updates = peers[1].updates().length;
    holder = hold();
    const next = await module.nextRevision();
    const job = await plane.ended(await plane.apply(next));
    expect(of(job)).toMatchObject({ narrow: { status: 'over_limit', announced: 2, was_behind: true } });
    await have(4, 2);
    const [before] = await rows();
    await plane.run((tx) => pruneRevisions(tx, 0));
    expect(await rows()).toEqual([before]);
    expect(peers[1].updates().slice(updates)).toEqual([]);
  });

  test('gets all with a higher limit, and loses nothing by one that is lower', async () => {
    await limit(4);
    await have(4, 4);
    await waitFor(async () => (await rows()).length === 0, { what: 'nothing to be limited' });
    const updates = peers[1].updates().length;
    await limit(1);
    await waitFor(async () => (await rows()).length === 1, { what: 'the peer to be limited' });
    expect(await plane.speaker(speakerId)).toMatchObject({ last_apply: { status: 'partial' } });
    await have(4, 4);
    expect(peers[1].withdrawnSince(updates)).toEqual([]);
  });

  test('has nothing where it came while nobody held the speaker', async () => {
    await limit(null);
    await waitFor(async () => (await rows()).length === 0, { what: 'nothing to be limited' });
    await holder.close();
    const late = await world.peer();
    await addPeer('late', late, { max_prefixes_out: 3 });
    holder = hold();
    await waitFor(async () => (await rows()).length === 1, { what: 'the late peer to be limited' });
    expect(await rows()).toEqual([{ revision_id: null }]);
    await late.waitEstablished();
    expect(await late.routeCount()).toBe(0);
    await have(4, 4);
  });
});
