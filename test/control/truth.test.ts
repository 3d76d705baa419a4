// What the API tells of sessions and daemons follows the world. Deadlines are twice the five seconds that are promised, for busy machines.
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, test } from 'vitest';
import type { Peer } from '../../src/api/peers.ts';
import type { Speaker } from '../../src/api/speakers.ts';
import { setDrivenDaemons } from '../../src/control/driven-daemons.ts';
import { SpeakerHolder } from '../../src/control/hold-speakers.ts';
import { changePeer, createPeer, removePeer } from '../../src/control/peers.ts';
import { createSpeaker } from '../../src/control/speakers.ts';
import { getPeer } from '../../src/store/peers.ts';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import type { Bird } from '../daemons/bird.ts';
import { startWorld, type World } from '../speakers/bird/world.ts';
import { startPlane, type Plane } from './plane.ts';

const SOON = 10_000;

describe.skipIf(requireDaemon('bird') === null).each(['builtin', 'bird', 'fed bird'] as const)(
  'what is told of a speaker of %s',
  (kind) => {
    let plane: Plane;
    let world: World;
    let holder: SpeakerHolder;
    let speaker: Speaker;
    const daemon = kind === 'builtin' ? 'builtin' : 'bird';
    beforeAll(async () => {
      [plane, world] = await Promise.all([startPlane(), startWorld()]);
      setDrivenDaemons(['builtin', 'bird']);
      holder = new SpeakerHolder({
        ...{ db: plane.database.db, secrets: plane.context.secrets, daemons: ['builtin', 'bird'] },
        driverOf: (of, id) => (of === 'builtin' ? world.engine.driver(id) : world.driver(id)),
        onFault: () => undefined,
      });
      holder.start();
      const policies_json = {
        local_ip: world.address,
        ...(kind === 'fed bird' ? { bird_routes: 'feed' as const } : {}),
      };
      const body = { name: 'edge', label: 'Edge', daemon, local_asn: 64512, policies_json } as const;
      speaker = (await plane.run((tx) => createSpeaker(tx, body))).resource;
    });
    afterAll(async () => {
      setDrivenDaemons(['builtin']);
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
      await told('the new session', isUp);
    });
    afterEach(async () => {
      await plane.run((tx) => removePeer(tx, plane.context, peer.id, null)).catch(() => undefined);
    });

    const read = async (): Promise<Peer> => (await plane.run((tx) => getPeer(tx, peer.id))).resource;
    const isUp = (seen: Peer): boolean =>
      seen.connected_speaker_id === speaker.id && seen.session_on_speakers[0]?.state === 'established';
    const isDown = (seen: Peer): boolean => seen.connected_speaker_id === null && seen.session_mismatch;

    async function told(what: string, test: (seen: Peer) => boolean, timeoutMs = SOON): Promise<Peer> {
      let last: Peer | undefined;
      return waitFor(
        async () => {
          last = await read();
          return test(last) && last;
        },
        { what: `${what} to be told`, timeoutMs, details: () => JSON.stringify(last) },
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
      const seen = await told('the end of the session', isDown);
      expect(seen.established_on_speakers).toEqual([]);
      const error = (found: Peer): boolean => (found.session_on_speakers[0]?.last_error ?? null) !== null;
      await told('why', error);
    });

    test('a peer that falls silent, as it does when a link is cut, once its hold time is over', async () => {
      bird.pause();
      try {
        await told('the end of the session', isDown, 3_000 + SOON);
      } finally {
        bird.resume();
      }
      await told('the session that is back', isUp, 60_000);
    });

    test('a peer that is disabled, enabled and deleted', async () => {
      await plane.run((tx) => changePeer(tx, plane.context, peer.id, { enabled: false }, null));
      const gone = (seen: Peer): boolean => seen.session_on_speakers.length === 0 && !seen.session_mismatch;
      await told('that there is no session', gone);
      await plane.run((tx) => changePeer(tx, plane.context, peer.id, { enabled: true }, null));
      await told('the session that is back', isUp, 60_000);
      await plane.run((tx) => removePeer(tx, plane.context, peer.id, null));
      await waitFor(async () => (await live()).sessions.length === 0, {
        what: 'it to be gone',
        timeoutMs: SOON,
      });
      await waitFor(async () => (await bird.session()).state !== 'established', {
        what: 'its end at the peer',
      });
    });

    // The builtin speaker is stopped with its process: test/e2e/processes.test.ts.
    if (daemon === 'builtin') return;
    test('a daemon that is stopped, and goes on', async () => {
      world.bird.pause();
      try {
        const silent = async () => !(await live()).reachable && (await live());
        const seen = await waitFor(silent, { what: 'that it does not answer to be told', timeoutMs: SOON });
        expect(seen.error).toMatch(/not answer/);
        await told('that nobody knows of a session', isDown);
      } finally {
        world.bird.resume();
      }
      await waitFor(async () => (await live()).reachable, {
        what: 'that it answers to be told',
        timeoutMs: SOON,
      });
      await told('the session', isUp, 60_000);
    });
  },
);
