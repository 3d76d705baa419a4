/** Peers that are sent a cover of at most so many routes, at the builtin speaker; the tests go on from one another. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PeerApplyResult } from '../../../src/api/revisions/apply.ts';
import { SETTINGS, type SettingsPatch } from '../../../src/api/operation/settings.ts';
import type { Job } from '../../../src/api/activity/jobs.ts';
import { createIpRangeEntries } from '../../../src/control/entries/ip-range-entries.ts';
import { createModule } from '../../../src/control/lists/modules.ts';
import { measureEffect } from '../../../src/control/previews/effect.ts';
import { previewRevision } from '../../../src/control/previews/preview-revision.ts';
import { changePeer, createPeer } from '../../../src/control/speakers/peers.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { deleteIpRangeEntry, listIpRangeEntries } from '../../../src/store/entries/ip-range-entries.ts';
import { getPeer } from '../../../src/store/speakers/peers.ts';
import { listRevisions } from '../../../src/store/revisions/revisions.ts';
import { startBird, type Bird } from '../../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { startPlane, type Holding, type Plane } from '../plane.ts';
import { speakerResults } from './rollout.ts';

const NEIGHBOR = { address: '127.0.0.1', port: 1, asn: 64512, passive: true } as const;

describe.skipIf(requireDaemon('bird') === null)('a peer that is to be sent a cover', () => {
  let plane: Plane;
  let holding: Holding;
  let moduleId: string;
  let narrowId: string;
  let peers: readonly [wide: Bird, narrow: Bird];

  async function addPeer(name: string, more: object = {}): Promise<{ bird: Bird; id: string }> {
    const address = loopbackAddress();
    const bird = await startBird({
      listen: { address, port: await freePort(address) },
      ...{ routerId: address, localAsn: 64496 },
      neighbors: [NEIGHBOR],
    });
    const body = { name, address, port: bird.port, remote_asn: 64496, graceful_restart: false, ...more };
    const { resource } = await plane.run((tx) => createPeer(tx, plane.context, body));
    return { bird, id: resource.id };
  }
  const set = (patch: SettingsPatch): Promise<unknown> => plane.run((tx) => changeSettings(tx, patch));
  const add = async (...cidrs: string[]): Promise<string> => {
    const entries = cidrs.map((cidr) => ({ cidr }));
    await plane.run((tx) => createIpRangeEntries(tx, moduleId, entries, () => ''));
    return String((await plane.succeeded(await plane.refresh(moduleId))).revision_id);
  };
  const applied = async (revision: string): Promise<Job> => plane.ended(await plane.apply(revision));
  const of = (job: Job): Record<string, PeerApplyResult> =>
    Object.fromEntries(speakerResults(job)[0]!.peers.map((peer) => [peer.name, peer]));
  const has = (bird: Bird, ...prefixes: string[]): Promise<unknown> => {
    let last = '';
    return waitFor(
      async () => {
        last = (await bird.routes())
          .map(({ prefix }) => prefix)
          .sort()
          .join(' ');
        return last === prefixes.sort().join(' ');
      },
      { what: `the routes ${prefixes.join(' ')}`, details: () => last },
    );
  };
  /** What its session says of the routes that it should have. */
  const saysOf = (error: string | null): Promise<unknown> => {
    let last: string | null = null;
    return waitFor(
      async () => {
        const { resource } = await plane.run((tx) => getPeer(tx, narrowId));
        last = resource.session_on_speakers[0]!.last_error;
        return last === error;
      },
      { what: 'what its session says', details: () => String(last) },
    );
  };
  const reverted = (): Promise<unknown[]> => plane.database.admin('SELECT peer_id FROM reverted_peer');
  const limited = (): Promise<unknown[]> => plane.database.admin('SELECT peer_id FROM limited_peer');

  beforeAll(async () => {
    plane = await startPlane();
    await set({ auto_apply: false, deploy_confirm_timeout_seconds: 20, guard_bogons: 'allow' });
    const body = { name: 'ranges', type: 'IP_RANGES' } as const;
    moduleId = (await plane.run((tx) => createModule(tx, body))).resource.id;
    await plane.addSpeaker('edge');
    const wide = await addPeer('wide');
    const narrow = await addPeer('narrow', { max_prefixes_out: 2, when_too_many: 'fit' });
    peers = [wide.bird, narrow.bird];
    narrowId = narrow.id;
    holding = await plane.hold();
  });
  afterAll(async () => {
    await plane?.close();
    await Promise.all((peers ?? []).map((bird) => bird.stop()));
  });

  test('is held for a person where that adds more than the setting allows, and says what it would cost', async () => {
    const job = await applied(await add('11.0.0.0/24', '11.0.1.128/25', '12.0.0.0/25'));
    expect(speakerResults(job)[0]).toMatchObject({ status: 'partial' });
    expect(of(job).narrow).toMatchObject({
      ...{ status: 'over_limit', announced: 0, fitted: null },
      error:
        'its routes are more than max_prefixes_out, so it keeps the 0 it has: fitting its routes would add 128 foreign IPv4 addresses, 25 % of its own, ' +
        'and the setting fit_max_added_percent is 10. Raise one of them to let it through, or send the peer fewer communities',
    });
    await has(peers[0], '11.0.0.0/24', '11.0.1.128/25', '12.0.0.0/25');
    await has(peers[1]);
    await saysOf(
      'its routes are more than max_prefixes_out 2: the peer keeps the 0 it has that are still announced; fitting its routes would add 128 foreign IPv4 addresses, ' +
        '25 % of its own, and the setting fit_max_added_percent is 10. Raise one of them to let it through, or send the peer fewer communities',
    );
    // Whoever decides is told of whose addresses it is about.
    const [revision] = (await plane.run((tx) => listRevisions(tx, { limit: 1 }))).items;
    const preview = await plane.run((tx) => previewRevision(tx, plane.context.secrets, revision!.id, {}));
    expect(preview.speakers[0]!.peers.find(({ name }) => name === 'narrow')).toMatchObject({
      fitted: null,
      unfitted_cost: {
        ipv4: { added_addresses: '128', added_percent: 25, added_prefixes: ['11.0.1.0/25'] },
        ipv6: null,
      },
    });
  });

  test('is sent it once a person has allowed that, and the cost stands in the result, the preview and the plan', async () => {
    await set({ fit_max_added_percent: 30 });
    const cost = { ipv4: { added_addresses: '128', added_percent: 25, optimal: true }, ipv6: null };
    const [revision] = (await plane.run((tx) => listRevisions(tx, { limit: 1 }))).items;
    const preview = await plane.run((tx) => previewRevision(tx, plane.context.secrets, revision!.id, {}));
    expect(
      preview.speakers[0]!.peers.map(({ name, fitted, unfitted }) => ({ name, fitted, unfitted })),
    ).toEqual([
      { name: 'wide', fitted: null, unfitted: null },
      {
        ...{ name: 'narrow', unfitted: null },
        fitted: {
          prefix_count: { ipv4: 2, ipv6: 0 },
          cost: { ...cost, ipv4: { ...cost.ipv4, added_prefixes: ['11.0.1.0/25'] } },
          largest: [{ prefix: '11.0.0.0/23', added_addresses: '128' }],
        },
      },
    ]);
    const job = await applied(revision!.id);
    expect(of(job).narrow).toMatchObject({
      status: 'applied',
      announced: 2,
      expected: 2,
      error: null,
      fitted: cost,
    });
    expect(of(job).wide).toMatchObject({ status: 'applied', announced: 3, fitted: null });
    await has(peers[1], '11.0.0.0/23', '12.0.0.0/25');
    await has(peers[0], '11.0.0.0/24', '11.0.1.128/25', '12.0.0.0/25');
    await saysOf(null);
  });

  test('has it again after a restart, although the setting would not allow it any more', async () => {
    await holding.close();
    await set({ fit_max_added_percent: 5 });
    holding = await plane.hold();
    await has(peers[1], '11.0.0.0/23', '12.0.0.0/25');
  });

  test('keeps of its cover what still stands where the next one is not allowed, also over a restart', async () => {
    const revision = await add('13.0.0.0/25');
    const job = await applied(revision);
    expect(of(job).narrow).toMatchObject({ status: 'over_limit', announced: 2 });
    await has(peers[0], '11.0.0.0/24', '11.0.1.128/25', '12.0.0.0/25', '13.0.0.0/25');
    await has(peers[1], '11.0.0.0/23', '12.0.0.0/25');
    expect(await limited()).toEqual([{ peer_id: narrowId }]);
    await holding.close();
    holding = await plane.hold();
    await has(peers[1], '11.0.0.0/23', '12.0.0.0/25');
  });

  test('loses what becomes protected at once, and nothing else', async () => {
    await set({ guard_protected_prefixes: ['11.0.1.1/32'] });
    await applied(await add('14.0.0.0/25'));
    await has(peers[1], '12.0.0.0/25');
    await set({ guard_protected_prefixes: [] });
  });

  test('is sent all with a limit that suffices, and a plan says beforehand what a lower one costs', async () => {
    await plane.run((tx) => changePeer(tx, plane.context, narrowId, { max_prefixes_out: 5 }, null));
    const all = ['11.0.0.0/24', '11.0.1.128/25', '12.0.0.0/25', '13.0.0.0/25', '14.0.0.0/25'];
    await has(peers[1], ...all);
    await waitFor(async () => (await limited()).length === 0, { what: 'nothing to be limited' });
    const planned = plane.run(async (tx) => {
      const { effect } = await measureEffect(tx, plane.context, () =>
        changePeer(tx, plane.context, narrowId, { max_prefixes_out: 4 }, null),
      );
      throw Object.assign(new Error('planned'), { effect });
    });
    await expect(planned).rejects.toMatchObject({
      effect: {
        speakers: [
          {
            peers: [
              {
                ...{
                  name: 'narrow',
                  before: { ipv4: 5, ipv6: 0 },
                  after: { ipv4: 5, ipv6: 0 },
                  fitted: null,
                },
                unfitted: expect.stringContaining('128 foreign IPv4 addresses') as string,
              },
            ],
          },
        ],
      },
    });
    await has(peers[1], ...all);
  });

  test('that refuses a cover goes back to what it had, loses of it what later revisions withdraw, and has that after a restart', async () => {
    // A BIRD takes a while to say that it has too many.
    const hold = () => plane.hold(undefined, SETTINGS.deploy_calm_milliseconds.default);
    await holding.close();
    holding = await hold();
    await set({ fit_max_added_percent: 30 });
    const change = (maximum: number): Promise<unknown> =>
      plane.run((tx) => changePeer(tx, plane.context, narrowId, { max_prefixes_out: maximum }, null));
    await change(6);
    const some = ['11.0.0.0/24', '11.0.1.128/25', '12.0.0.0/25', '14.0.0.0/25'];
    await peers[1].configure({ neighbors: [{ ...NEIGHBOR, importLimit: 5 }] });
    await has(peers[1], ...some, '13.0.0.0/25');
    await plane.idle();
    const job = await applied(await add('15.0.0.0/25', '12.0.0.128/26'));
    expect(of(job).narrow).toMatchObject({ status: 'reverted', notification: { code: 6, subcode: 1 } });
    await has(peers[1], ...some, '13.0.0.0/25');

    await plane.run(async (tx) => {
      const { items } = await listIpRangeEntries(tx, moduleId, { limit: 100 });
      const { id } = items.find(({ cidr }) => cidr === '13.0.0.0/25')!;
      await deleteIpRangeEntry(tx, moduleId, id, null);
    });
    const next = await applied(await add('16.0.0.0/25', '17.0.0.0/25'));
    expect(of(next).narrow).toMatchObject({ status: 'reverted', expected: 4 });
    await has(peers[1], ...some);
    await holding.close();
    holding = await hold();
    await has(peers[1], ...some);

    await peers[1].configure({ neighbors: [NEIGHBOR] });
    await change(7);
    const rest = ['11.0.0.0/24', '11.0.1.128/25', '14.0.0.0/25', '15.0.0.0/25', '16.0.0.0/25', '17.0.0.0/25'];
    await has(peers[1], '12.0.0.0/24', ...rest);
    await waitFor(async () => (await reverted()).length === 0, { what: 'the peer to be let go' });
  });
});
