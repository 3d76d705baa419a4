/** What the API tells of sessions and daemons follows the world. Deadlines are twice the five seconds that are promised, for busy machines. */
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, test } from 'vitest';
import type { Peer } from '../../../src/api/speakers/peers.ts';
import type { Speaker } from '../../../src/api/speakers/speakers.ts';
import { changeTenant } from '../../../src/control/tenants/tenants.ts';
import { SpeakerHolder } from '../../../src/control/holding/hold-speakers.ts';
import { changePeer, createPeer, removePeer } from '../../../src/control/speakers/peers.ts';
import { createSpeaker } from '../../../src/control/speakers/speakers.ts';
import type { SpeakerDriver } from '../../../src/speakers/speaker.ts';
import { getPeer } from '../../../src/store/speakers/peers.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import type { Bird } from '../../daemons/bird/bird.ts';
import type { Daemon, Neighbor } from '../../daemons/daemon.ts';
import { requireOpenbgpd } from '../../daemons/openbgpd/openbgpd.ts';
import { startWorld as startBirdWorld } from '../../speakers/bird/world.ts';
import { startWorld as startGobgpWorld } from '../../speakers/gobgp/world.ts';
import { startWorld as startOpenbgpdWorld } from '../../speakers/openbgpd/world.ts';
import { startPlane, type Plane } from '../plane.ts';
import { PEER_REACH } from '../../peer-allow.ts';

const SOON = 10_000;

/** Where the speaker is. */
interface Place {
  readonly address: string;
  driver(speakerId: string): SpeakerDriver;
  /** A BIRD that it peers with. */
  peer(neighbor: Partial<Neighbor>): Promise<Bird>;
  /** Null for the builtin speaker, which is stopped with its process: test/e2e/faults/processes.long.test.ts. */
  readonly router: Pick<Daemon, 'pause' | 'resume'> | null;
  stop(): Promise<void>;
}

const startBuiltin = async (): Promise<Place> => {
  const world = await startBirdWorld();
  return { ...world, driver: (id) => world.engine.driver(id), router: null };
};
const startBird = async (): Promise<Place> => {
  const world = await startBirdWorld();
  return { ...world, router: world.bird };
};
const startGobgp = async (): Promise<Place> => {
  const world = await startGobgpWorld();
  return { ...world, router: world.gobgp };
};
const startOpenbgpd = async (): Promise<Place> => {
  const world = await startOpenbgpdWorld();
  return { ...world, address: world.openbgpd.address, router: world.openbgpd };
};

interface Kind {
  readonly daemon: 'builtin' | 'bird' | 'gobgp' | 'openbgpd';
  readonly start: () => Promise<Place>;
}

const KINDS = {
  builtin: { daemon: 'builtin', start: startBuiltin },
  bird: { daemon: 'bird', start: startBird },
  'fed bird': { daemon: 'bird', start: startBird },
  gobgp: { daemon: 'gobgp', start: startGobgp },
  openbgpd: { daemon: 'openbgpd', start: startOpenbgpd },
} as const satisfies Readonly<Record<string, Kind>>;

const lacks =
  requireOpenbgpd() === null || (['bird', 'gobgpd'] as const).some((name) => requireDaemon(name) === null);

/** The whole story of speakers of these kinds. */
export function testTruth(kinds: readonly (keyof typeof KINDS)[]): void {
  describe.skipIf(lacks).each(kinds)('what is reported of a speaker of %s', (kind) => {
    const { daemon, start } = KINDS[kind];
    let plane: Plane;
    let world: Place;
    let holder: SpeakerHolder;
    let speaker: Speaker;
    beforeAll(async () => {
      [plane, world] = await Promise.all([startPlane(), start()]);
      holder = new SpeakerHolder({
        peerReach: PEER_REACH,
        ...{ db: plane.database.db, secrets: plane.context.secrets, daemons: [daemon] },
        driverOf: (_daemon, id) => world.driver(id),
        onFault: () => undefined,
      });
      holder.start();
      const policies_json = {
        local_ip: world.address,
        ...(kind === 'fed bird' ? { bird_routes: 'feed' as const } : {}),
      };
      const body = { name: 'edge', label: 'Edge', daemon, local_asn: 64512, policies_json } as const;
      speaker = (await plane.run((tx) => createSpeaker(tx, plane.context, body))).resource;
    });
    afterAll(async () => {
      await holder?.close();
      await world?.stop();
      await plane?.close();
    });

    let bird: Bird;
    let peer: Peer;
    beforeEach(async () => {
      bird = await world.peer({ holdTime: 3, gracefulRestart: false });
      const body = { name: bird.address, address: bird.address, port: bird.port, remote_asn: bird.localAsn };
      const settings = { hold_time: 3, multihop: 2, password: null, families: ['ipv4' as const] };
      peer = (await plane.run((tx) => createPeer(tx, plane.context, { ...body, ...settings }))).resource;
      // How soon a BIRD calls on a busy machine is not what is tried here.
      await untilShown('the new session', isUp, 60_000);
    });
    afterEach(async () => {
      await plane.run((tx) => removePeer(tx, plane.context, peer.id, null)).catch(() => undefined);
    });

    const read = async (): Promise<Peer> => (await plane.run((tx) => getPeer(tx, peer.id))).resource;
    const isUp = (seen: Peer): boolean =>
      seen.connected_speaker_id === speaker.id && seen.session_on_speakers[0]?.state === 'established';
    const isDown = (seen: Peer): boolean => seen.connected_speaker_id === null && seen.session_mismatch;

    async function untilShown(what: string, test: (seen: Peer) => boolean, timeoutMs = SOON): Promise<Peer> {
      let last: Peer | undefined;
      return waitFor(
        async () => {
          last = await read();
          return test(last) && last;
        },
        { what: `${what} to be reported`, timeoutMs, details: () => JSON.stringify(last) },
      );
    }

    const live = async () => (await plane.speaker(speaker.id)).live!;

    test('a session that is up, where it is, and since when', async () => {
      const seen = await read();
      expect(seen).toMatchObject({
        ...{
          connected_speaker_label: 'Edge',
          established_on_speakers: [speaker.id],
          session_mismatch: false,
        },
        session_on_speakers: [{ speaker_id: speaker.id, speaker_label: 'Edge', last_error: null }],
      });
      expect(Math.abs(Date.now() - Date.parse(seen.session_on_speakers[0]!.since))).toBeLessThan(60_000);
      expect((await live()).sessions).toMatchObject([{ peer_id: peer.id, state: 'established' }]);
    });

    test('a peer that is killed, and one that is back', async () => {
      bird.kill('SIGKILL');
      const seen = await untilShown('the end of the session', isDown);
      expect(seen.established_on_speakers).toEqual([]);
      const error = (found: Peer): boolean => (found.session_on_speakers[0]?.last_error ?? null) !== null;
      await untilShown('why', error);
    });

    test('a peer that falls silent, as it does when a link is cut, once its hold time is over', async () => {
      bird.pause();
      try {
        await untilShown('the end of the session', isDown, 3_000 + SOON);
      } finally {
        bird.resume();
      }
      await untilShown('the session that is back', isUp, 60_000);
    });

    test('a peer that is disabled, enabled and deleted', async () => {
      await plane.run((tx) => changePeer(tx, plane.context, peer.id, { enabled: false }, null));
      const gone = (seen: Peer): boolean => seen.session_on_speakers.length === 0 && !seen.session_mismatch;
      await untilShown('that there is no session', gone);
      await plane.run((tx) => changePeer(tx, plane.context, peer.id, { enabled: true }, null));
      await untilShown('the session that is back', isUp, 60_000);
      await plane.run((tx) => removePeer(tx, plane.context, peer.id, null));
      await waitFor(async () => (await live()).sessions.length === 0, {
        what: 'it to be gone',
        timeoutMs: SOON,
      });
      await waitFor(async () => (await bird.session()).state !== 'established', {
        what: 'its end at the peer',
      });
    });

    test('a tenant that is stopped, and active again', async () => {
      const { context, tenantId } = plane;
      const become = (status: 'stopped' | 'active') =>
        plane.run((tx) => changeTenant(tx, context, tenantId, { status }, null));
      await become('stopped');
      await untilShown('that there is no session', (seen) => seen.session_on_speakers.length === 0);
      await waitFor(async () => (await bird.session()).state !== 'established', {
        what: 'its end at the peer',
      });
      await become('active');
      await untilShown('the session that is back', isUp, 60_000);
    });

    if (daemon === 'builtin') return;
    test('a daemon that is stopped, and goes on', async () => {
      world.router!.pause();
      try {
        const silent = async () => !(await live()).reachable && (await live());
        const seen = await waitFor(silent, {
          what: 'that it does not answer to be reported',
          timeoutMs: SOON,
        });
        expect(seen.error).toMatch(/not answer/);
        await untilShown('that nobody knows of a session', isDown);
      } finally {
        world.router!.resume();
      }
      await waitFor(async () => (await live()).reachable, {
        what: 'that it answers to be reported',
        timeoutMs: SOON,
      });
      await untilShown('the session', isUp, 60_000);
    });
  });
}
