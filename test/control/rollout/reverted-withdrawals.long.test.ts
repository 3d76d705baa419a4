/** What later revisions take away reaches a peer that was reverted too: a blackhole that is removed must end everywhere. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Lookup } from '../../../src/api/lookup/lookup.ts';
import type { PeerApplyResult } from '../../../src/api/revisions/apply.ts';
import type { SessionOnSpeaker } from '../../../src/api/speakers/peers.ts';
import { SETTINGS } from '../../../src/api/operation/settings.ts';
import { createIpRangeEntries } from '../../../src/control/entries/ip-range-entries.ts';
import { previewRevision } from '../../../src/control/previews/preview-revision.ts';
import { readSpeakerModels, speakerEffects } from '../../../src/control/previews/speaker-effects.ts';
import { lookup } from '../../../src/control/lookup/lookup.ts';
import { createModule } from '../../../src/control/lists/modules.ts';
import { changePeer, createPeer } from '../../../src/control/speakers/peers.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { deleteIpRangeEntry } from '../../../src/store/entries/ip-range-entries.ts';
import { getPeer } from '../../../src/store/speakers/peers.ts';
import { startBird, type Bird } from '../../daemons/bird/bird.ts';
import type { Neighbor } from '../../daemons/daemon.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { untilSession } from '../../reported-session.ts';
import { waitFor } from '../../daemons/wait.ts';
import { startPlane, type Holding, type Plane } from '../plane.ts';
import { speakerResults } from './rollout.ts';

const NEXT_HOP = '192.0.2.10';

/** A BIRD that takes three routes and no more, beside one that takes all. */
describe.skipIf(requireDaemon('bird') === null)('a peer that was reverted', () => {
  let plane: Plane;
  let holding: Holding;
  let well: Bird;
  let sick: Bird;
  let sickId: string;
  let listId: string;
  let blackholeListId: string;
  let held: number;
  const entries = new Map<string, string>();

  const neighbor = (more: Partial<Neighbor> = {}): Neighbor => ({
    ...{ address: '127.0.0.1', port: 1, asn: 64512, passive: true, gracefulRestart: true },
    ...more,
  });
  async function addPeer(name: string, more: Partial<Neighbor> = {}): Promise<[Bird, string]> {
    const address = loopbackAddress();
    const listen = { address, port: await freePort(address) };
    const bird = await startBird({
      ...{ listen, routerId: address, localAsn: 64496 },
      neighbors: [neighbor(more)],
    });
    const body = { name, address, port: bird.port, remote_asn: 64496, graceful_restart: true };
    const { resource } = await plane.run((tx) =>
      createPeer(tx, plane.context, { ...body, next_hop_ipv4: NEXT_HOP }),
    );
    return [bird, resource.id];
  }
  const hold = () => plane.hold(undefined, SETTINGS.deploy_calm_milliseconds.default);

  beforeAll(async () => {
    plane = await startPlane();
    await plane.run((tx) => changeSettings(tx, { auto_apply: false, deploy_confirm_timeout_seconds: 20 }));
    const create = async (name: string, community: string): Promise<string> => {
      const community_id = await plane.addCommunity(community);
      const body = { name, type: 'IP_RANGES', community_id } as const;
      return (await plane.run((tx) => createModule(tx, body))).resource.id;
    };
    listId = await create('nets', '64500:100');
    blackholeListId = await create('scanners', '65535:666');
    await plane.addSpeaker('edge');
    [well] = await addPeer('well');
    [sick, sickId] = await addPeer('sick', { importLimit: 3 });
    holding = await hold();
    await add(listId, '11.0.0.0/24', '11.1.0.0/24');
    await add(blackholeListId, '9.9.9.9/32');
    await apply();
    await Promise.all([well, sick].map((bird) => bird.waitRoutes(3)));
    await untilTold(({ routes_exported: n }) => n === 3);
    held = (await plane.revision((await plane.speaker(await speakerId())).applied_revision_id!)).number!;
  });
  afterAll(async () => {
    await plane?.close();
    await Promise.all([well, sick].map((bird) => bird?.stop()));
  });

  const speakerId = async (): Promise<string> => (await session()).speaker_id;
  async function add(moduleId: string, ...cidrs: string[]): Promise<void> {
    const bodies = cidrs.map((cidr) => ({ cidr }));
    const made = await plane.run((tx) => createIpRangeEntries(tx, moduleId, bodies, () => ''));
    for (const [at, { resource }] of made.entries()) entries.set(cidrs[at]!, resource.id);
  }
  const remove = (moduleId: string, cidr: string) =>
    plane.run((tx) => deleteIpRangeEntry(tx, moduleId, entries.get(cidr)!, null));
  /** @returns the revision of the lists as they are */
  async function build(): Promise<string> {
    const { revision_id: first } = await plane.succeeded(await plane.refresh(listId));
    const { revision_id: last } = await plane.succeeded(await plane.refresh(blackholeListId));
    return String(last ?? first);
  }
  /** Applies the lists as they are. @returns what became of the peer that is sick */
  async function apply(): Promise<PeerApplyResult> {
    const job = await plane.ended(await plane.apply(await build()));
    return speakerResults(job)[0]!.peers.find(({ name }) => name === 'sick')!;
  }
  /** What a preview of the revision, and a plan that leads to it, say of the peer that is sick. */
  async function foreseen(revision: string) {
    const { secrets } = plane.context;
    const { preview, effects } = await plane.run(async (tx) => {
      const models = await readSpeakerModels(tx, secrets, 10);
      return {
        preview: await previewRevision(tx, secrets, revision, {}),
        effects: await speakerEffects(
          tx,
          models,
          models,
          { revisionOf: () => revision, reapplies: false },
          new Map(),
        ),
      };
    });
    const isSick = ({ peer_id: id }: { readonly peer_id: string }): boolean => id === sickId;
    const effect = effects[0]?.peers.find(isSick);
    return {
      kept: preview.speakers[0]!.peers.find(isSick)!.kept_prefix_count?.ipv4,
      ...{ before: effect?.before.ipv4, after: effect?.after.ipv4 },
    };
  }
  const session = async (): Promise<SessionOnSpeaker> =>
    (await plane.run((tx) => getPeer(tx, sickId))).resource.session_on_speakers[0]!;
  const untilTold = (test: (session: SessionOnSpeaker) => boolean) =>
    untilSession('sick', session, (one) => one.state === 'established' && test(one));
  const prefixes = async (bird: Bird): Promise<string[]> =>
    (await bird.routes()).map(({ prefix }) => prefix).sort();
  const why = async (address: string): Promise<Lookup> =>
    JSON.parse(await plane.run((tx) => lookup(tx, address))) as Lookup;

  test('holds what it held, also what that very apply withdrew, which a lookup says', async () => {
    await remove(listId, '11.0.0.0/24');
    await add(listId, '11.2.0.0/24', '11.3.0.0/24', '11.4.0.0/24');
    expect(await apply()).toMatchObject({ status: 'reverted', expected: 3 });
    await well.waitRoutes(5);
    await untilTold(({ routes_exported: n }) => n === 3);
    await sick.waitRoutes(3);
    expect(await prefixes(sick)).toEqual(['11.0.0.0/24', '11.1.0.0/24', '9.9.9.9/32']);
    expect(await why('11.0.0.1')).toMatchObject({
      ...{ matches: [], announced: [] },
      not_announced: [
        {
          ...{ reason: 'still_held', peer_ids: [sickId], speaker_ids: [await speakerId()] },
          detail: `The peer sick of the speaker edge still has 11.0.0.0/24: it was reverted to revision ${held}. The next apply withdraws what is announced no more.`,
        },
      ],
    });
  });

  test('without a session, is said to have nothing for certain', async () => {
    await sick.command('disable n1');
    await waitFor(async () => (await session()).state !== 'established', { what: 'the end of the session' });
    expect((await why('11.0.0.1')).not_announced).toMatchObject([
      {
        reason: 'still_held',
        detail: `The peer sick of the speaker edge has no session, so it is unknown whether it still has 11.0.0.0/24, which it is sent when it is back: it was reverted to revision ${held}. The next apply withdraws what is announced no more.`,
      },
    ]);
    await sick.command('enable n1');
    await untilTold(({ routes_exported: n }) => n === 3);
    await sick.waitRoutes(3);
  });

  test('has lost by the next apply what is announced no more, keeps its session, and receives nothing new', async () => {
    const { since } = await untilTold(() => true);
    await remove(blackholeListId, '9.9.9.9/32');
    await add(listId, '11.5.0.0/24');
    expect(await foreseen(await build())).toEqual({ kept: 1, before: 3, after: 1 });
    expect(await apply()).toMatchObject({ status: 'reverted', announced: 1, expected: 1 });
    await sick.waitRoutes(1);
    expect(await prefixes(sick)).toEqual(['11.1.0.0/24']);
    expect(await untilTold(({ routes_exported: n }) => n === 1)).toMatchObject({ since });
    for (const address of ['9.9.9.9', '11.0.0.1'])
      expect(await why(address)).toMatchObject({ announced: [], not_announced: [] });
    expect(await why('11.1.0.1')).toMatchObject({ announced: [{}], not_announced: [] });
    expect((await why('11.5.0.1')).not_announced).toMatchObject([
      { reason: 'peer_reverted', peer_ids: [sickId] },
    ]);
  });

  test('has no more under another process', async () => {
    await holding.close();
    holding = await hold();
    await untilTold(({ routes_exported: n }) => n === 1);
    await sick.waitRoutes(1);
    await well.waitRoutes(5);
    expect(await prefixes(sick)).toEqual(['11.1.0.0/24']);
    await untilTold(({ reverted }) => reverted !== null);
  });

  test('has no more either after another try that fails', async () => {
    await add(listId, '11.6.0.0/24');
    await remove(listId, '11.1.0.0/24');
    await plane.run((tx) => changePeer(tx, plane.context, sickId, { description: 'tried again' }, null));
    await plane.idle();
    await untilTold(({ routes_exported: n }) => n === 1);
    expect(await apply()).toMatchObject({ status: 'reverted', expected: 0 });
    await untilTold(({ routes_exported: n }) => n === 0);
    expect(await prefixes(sick)).toEqual([]);
  });

  test('has again of what it held what is announced again', async () => {
    await add(listId, '11.0.0.0/24');
    expect(await apply()).toMatchObject({ status: 'reverted', expected: 1 });
    await sick.waitRoutes(1);
    expect(await prefixes(sick)).toEqual(['11.0.0.0/24']);
  });

  test('keeps what is merged with a neighbour, has the part that is left of what is split, and nothing new', async () => {
    await add(listId, '11.0.1.0/24');
    expect(await apply()).toMatchObject({ status: 'reverted', expected: 1 });
    await waitFor(async () => (await prefixes(well)).includes('11.0.0.0/23'), { what: 'the merged prefix' });
    expect(await prefixes(sick)).toEqual(['11.0.0.0/24']);
    expect(await why('11.0.0.1')).toMatchObject({ announced: [{}], not_announced: [] });
    expect((await why('11.0.1.1')).not_announced).toMatchObject([
      { reason: 'peer_reverted', detail: expect.stringContaining('which does not have it') as string },
    ]);

    await remove(listId, '11.0.0.0/24');
    await add(listId, '11.0.0.0/25');
    expect(await apply()).toMatchObject({ status: 'reverted', expected: 1 });
    await waitFor(async () => (await prefixes(sick)).includes('11.0.0.0/25'), {
      what: 'the part that is left',
    });
    expect(await prefixes(sick)).toEqual(['11.0.0.0/25']);
    expect(await why('11.0.0.1')).toMatchObject({ announced: [{}], not_announced: [] });
    expect(await why('11.0.0.200')).toMatchObject({ announced: [], not_announced: [] });

    await remove(listId, '11.0.0.0/25');
    await add(listId, '11.0.0.0/24');
    expect(await apply()).toMatchObject({ status: 'reverted', expected: 1 });
    await waitFor(async () => (await prefixes(sick)).includes('11.0.0.0/24'), {
      what: 'the whole of it again',
    });
  });

  test('has everything once it takes everything', async () => {
    await sick.configure({ neighbors: [neighbor()] });
    await plane.run((tx) => changePeer(tx, plane.context, sickId, { description: 'mended' }, null));
    await sick.waitRoutes(6);
    expect(await prefixes(sick)).toEqual(await prefixes(well));
    await untilTold(({ reverted }) => reverted === null);
  });
});
