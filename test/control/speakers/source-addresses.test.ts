// From which address and AS number peers see a speaker: each of these peers takes a session from one address and one number only.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Speaker } from '../../../src/api/speakers/speakers.ts';
import { SpeakerHolder } from '../../../src/control/holding/hold-speakers.ts';
import { createIpRangeEntries } from '../../../src/control/entries/ip-range-entries.ts';
import { createDohProfile } from '../../../src/control/lists/doh-profiles.ts';
import { createModule } from '../../../src/control/lists/modules.ts';
import { createPeer } from '../../../src/control/speakers/peers.ts';
import { previewRevision } from '../../../src/control/previews/preview-revision.ts';
import { readGuardrails } from '../../../src/control/guards/guardrails.ts';
import { changeSettings, followSettings } from '../../../src/control/tenants/settings.ts';
import { changeSpeaker, createSpeaker } from '../../../src/control/speakers/speakers.ts';
import type { SettingsPatch } from '../../../src/api/operation/settings.ts';
import type { Bird } from '../../daemons/bird/bird.ts';
import { loopbackAddress } from '../../daemons/machine/ports.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { startWorld, type World } from '../../speakers/bird/world.ts';
import { startPlane, type Plane } from '../plane.ts';
import { PEER_REACH } from '../../peer-allow.ts';

const [OF_SETTING, OTHER, OF_SPEAKER, OF_PEER] = Array.from({ length: 4 }, loopbackAddress) as [
  ...[string, string, string, string],
];

describe.skipIf(requireDaemon('bird') === null).each(['builtin', 'bird'] as const)(
  'a speaker of %s',
  (daemon) => {
    let plane: Plane;
    let world: World;
    let holder: SpeakerHolder;
    let speaker: Speaker;
    let revision: string;
    beforeAll(async () => {
      [plane, world] = await Promise.all([startPlane(), startWorld()]);
      holder = new SpeakerHolder({
        peerReach: PEER_REACH,
        ...{ db: plane.database.db, secrets: plane.context.secrets, daemons: ['builtin', 'bird'] },
        driverOf: (of, id) => (of === 'builtin' ? world.engine.driver(id) : world.driver(id)),
        onFault: () => undefined,
      });
      holder.start();
      const body = { name: 'edge', daemon, local_asn: 64512, router_id: '192.0.2.77' } as const;
      speaker = (await plane.run((tx) => createSpeaker(tx, plane.context, body))).resource;
      const { resource: module } = await plane.run((tx) =>
        createModule(tx, { name: 'm', type: 'IP_RANGES' }),
      );
      await plane.run((tx) => createIpRangeEntries(tx, module.id, [{ cidr: '11.0.0.0/24' }], () => ''));
      revision = String((await plane.succeeded(await plane.refresh(module.id))).revision_id);
    });
    afterAll(async () => {
      await holder?.close();
      await world?.stop();
      await plane?.close();
    });

    const set = (patch: SettingsPatch) =>
      plane.run(async (tx) => {
        await changeSettings(tx, patch);
        await followSettings(tx, plane.context, patch);
      });

    /** A peer that knows the speaker by this address and number alone. */
    async function peerFor(address: string, asn: number): Promise<{ bird: Bird; id: string }> {
      const bird = await world.peer({ address, asn, passive: true });
      const body = { name: bird.address, address: bird.address, port: bird.port, remote_asn: bird.localAsn };
      const settings = { multihop: 2, password: null, families: ['ipv4' as const] };
      const { resource } = await plane.run((tx) => createPeer(tx, plane.context, { ...body, ...settings }));
      return { bird, id: resource.id };
    }

    const pathsAt = async (bird: Bird): Promise<string[]> =>
      (await bird.routes()).map(({ asPath }) => asPath);
    let first: Bird;

    test('calls from the address of the setting where it has none of its own, and from another once that is set', async () => {
      await set({ bgp_source_ipv4: OF_SETTING });
      first = (await peerFor(OF_SETTING, 64512)).bird;
      const second = (await peerFor(OTHER, 64512)).bird;
      await first.waitRoutes(1);
      expect(await pathsAt(first)).toEqual(['64512']);
      expect((await first.routes())[0]!.nextHop).toBe(OF_SETTING);
      const { speakers } = await plane.run((tx) => previewRevision(tx, plane.context.secrets, revision, {}));
      expect(speakers[0]!.configuration.model).toMatchObject({
        local_ipv4: OF_SETTING,
        peers: [{ local_address: OF_SETTING }, { local_address: OF_SETTING }],
      });
      expect((await plane.run(readGuardrails)).protected).toContainEqual({
        ...{ prefix: OF_SETTING, of: 'the setting bgp_source_ipv4' },
      });
      await set({ bgp_source_ipv4: OTHER });
      await second.waitRoutes(1);
      await first.waitRoutes(0);
    });

    test('prefers its own address to the setting, policies_json to that, and what that says of a peer to all', async () => {
      await plane.run((tx) => changeSpeaker(tx, speaker.id, { local_ipv4: OF_SETTING }, null));
      await first.waitRoutes(1);
      const ofSpeaker = await peerFor(OF_SPEAKER, 64777);
      const ofPeer = await peerFor(OF_PEER, 64888);
      const policies_json = {
        ...{ local_ip: OF_SPEAKER, local_asn: 64777 },
        peers: { [ofPeer.id]: { local_ip: OF_PEER, local_asn: 64888 } },
      };
      await plane.run((tx) => changeSpeaker(tx, speaker.id, { policies_json }, null));
      await ofSpeaker.bird.waitRoutes(1);
      await ofPeer.bird.waitRoutes(1);
      await first.waitRoutes(0);
      expect(await pathsAt(ofSpeaker.bird)).toEqual(['64777']);
      expect(await pathsAt(ofPeer.bird)).toEqual(['64888']);
      const { protected: protectedPrefixes } = await plane.run(readGuardrails);
      for (const prefix of [OF_SETTING, OF_SPEAKER, OF_PEER])
        expect(protectedPrefixes).toContainEqual({ prefix, of: 'the speaker edge' });
    });
  },
);

test('no route may lead the questions of resolvers away', async () => {
  const plane = await startPlane();
  try {
    const profile = { name: 'quad', url: 'https://dns.example/dns-query', bootstrap_addresses: ['9.9.9.9'] };
    await plane.run((tx) => createDohProfile(tx, plane.context, profile));
    const literal = { name: 'one', url: 'https://1.1.1.1/dns-query{?dns}' };
    await plane.run((tx) => createDohProfile(tx, plane.context, literal));
    const { protected: protectedPrefixes } = await plane.run(readGuardrails);
    expect(protectedPrefixes).toContainEqual({ prefix: '9.9.9.9', of: 'the DoH profile quad' });
    expect(protectedPrefixes).toContainEqual({ prefix: '1.1.1.1', of: 'the DoH profile one' });
  } finally {
    await plane.close();
  }
});

test('no setting takes an address that no host has', async () => {
  const plane = await startPlane();
  try {
    const wrong = plane.run((tx) => changeSettings(tx, { bgp_source_ipv4: '224.0.0.5' }));
    await expect(wrong).rejects.toMatchObject({
      code: 'validation_failed',
      errors: [{ pointer: '/bgp_source_ipv4' }],
    });
    const read = await plane.run((tx) => changeSettings(tx, { bgp_source_ipv6: '2001:DB8:0::1' }));
    expect(read.settings.bgp_source_ipv6).toBe('2001:db8::1');
    expect(
      (await plane.run((tx) => changeSettings(tx, { bgp_source_ipv6: null }))).settings.bgp_source_ipv6,
    ).toBeNull();
  } finally {
    await plane.close();
  }
});
