/** An agent that is stopped beside a routing daemon, which goes on announcing: whatever shows routers says so. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Peer } from '../../src/api/speakers/peers.ts';
import type { Speaker } from '../../src/api/speakers/speakers.ts';
import { useDesk } from '../cli/desk/desk.ts';
import { type Bird, startBird } from '../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../daemons/machine/ports.ts';
import { waitFor } from '../daemons/wait.ts';
import { PEER_ASN, SPEAKER_ASN } from '../e2e/casting.ts';
import type { Router } from '../e2e/routers/router.ts';
import { ROUTERS } from '../e2e/routers/router-daemons.ts';
import { startAgent, type AgentProcess } from './world.ts';

// Each step may take its time where many tests share the machine.

const desk = useDesk();
const { type, mustType } = desk;

beforeAll(async () => {
  for (const line of [
    'community create 64500:666 --title Drop',
    'module create hosts --type IP_RANGES --community Drop',
    'entry add hosts 6.0.0.1/32 6.0.0.3/32 --wait',
  ])
    await mustType(line);
});

for (const { name, lacks, start } of ROUTERS)
  describe.skipIf(lacks())(`an agent that is stopped beside ${name}`, () => {
    const speakerName = `edge-${name.toLowerCase()}`;
    let router: Router;
    let bird: Bird;
    let directory: string;
    let agent: AgentProcess;
    let speakerId: string;
    let peerId: string;

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'prefixcast-stopped-'));
      router = await start();
      const own = loopbackAddress();
      bird = await startBird({
        ...{ listen: { address: own, port: await freePort(own) }, routerId: own, localAsn: PEER_ASN },
        neighbors: [{ ...router.listen, asn: SPEAKER_ASN, families: ['ipv4', 'ipv6'] }],
      });
      const { service } = desk.casting;
      const speaker = await service.post<Speaker>('/v1/speakers', {
        ...{ name: speakerName, mode: 'agent', daemon: router.daemon, local_asn: SPEAKER_ASN },
        ...{ local_ipv4: router.listen.address, local_ipv6: '2001:db8:ffff::1', ...router.speaker },
      });
      speakerId = speaker.id;
      const peer = await service.post<Peer>('/v1/peers', {
        ...{ name: `peer-${speakerName}`, address: bird.address, port: bird.port, remote_asn: PEER_ASN },
        ...{ multihop: 2, speaker_ids: [speakerId] },
      });
      peerId = peer.id;
      const path = `/v1/speakers/${speakerId}/enrollment-tokens`;
      const { token } = await service.post<{ token: string }>(path);
      agent = await startAgent({ url: service.url, token, env: environment() }, directory);
    });
    afterAll(async () => {
      await agent?.stop();
      await bird?.stop();
      await router?.stop();
      await rm(directory, { recursive: true, force: true });
    });

    const environment = (): Record<string, string> => ({ APP_ROUTER_DAEMON: router.daemon, ...router.env });
    const live = async () =>
      (await desk.casting.service.get<Speaker>(`/v1/speakers/${speakerId}?live=true`)).live!;
    const isUp = async (): Promise<boolean> => {
      const [session] = (await live()).sessions;
      return session?.state === 'established' && session.routes_exported === 2;
    };
    const up = (): Promise<unknown> =>
      waitFor(isUp, { what: 'the session with its routes', details: agent.said });

    test('leaves the routes to it, and everything that shows routers says so', async () => {
      await up();
      await bird.waitRoutes(2);
      await agent.stop('SIGTERM');
      expect(agent.child.exitCode).toBe(0);

      const goesOn = `The agent was stopped. ${name} goes on announcing what it has, and takes nothing new until the agent runs again.`;
      expect(await live()).toMatchObject({
        ...{ reachable: false, sessions: [], error: goesOn },
        last_known_sessions: [{ peer_id: peerId, was_established: true, routes_exported: 2 }],
      });
      expect(await bird.routeCount()).toBe(2);
      const list = new RegExp(`^peer-${speakerName} +${speakerName} +unknown, was established +2 `, 'm');
      expect(await mustType('session list')).toMatch(list);
      const status = await type('status');
      expect(status.code, status.err).toBe(1);
      expect(status.out).toContain(`speaker ${speakerName}: since`);
      expect(status.out.replaceAll(/\s+/g, ' ')).toContain(goesOn);
      const peer = await desk.casting.service.get<Peer>(`/v1/peers/${peerId}`);
      expect(peer.session_on_speakers).toMatchObject([
        { speaker_id: speakerId, state: 'idle', routes_exported: 0, last_error: goesOn },
      ]);
      expect(await mustType('why 6.0.0.3')).toContain(speakerName);
    });

    test('does not hear that the speaker is disabled, which is said as of any node that is out of reach', async () => {
      const off = await type(`speaker edit ${speakerName} --enabled no --wait`);
      expect(off.code, off.err).toBe(9);
      expect(off.err).toContain(`peer-${speakerName} at ${speakerName}: the node, last seen at `);
      expect((await live()).error).toMatch(
        new RegExp(
          `^The speaker is disabled, .*\\. Its ${name} goes on announcing what it ran, if it runs \\(routes: 2 to peer-${speakerName}\\), and withdraws that when the agent is back\\.$`,
        ),
      );
      expect((await type('why 6.0.0.3')).out).toMatch(/still held .*goes on announcing 6\.0\.0\.3\/32 /);
      expect(await bird.routeCount()).toBe(2);
    });

    test('withdraws them when it runs again', async () => {
      const { url } = desk.casting.service;
      agent = await startAgent({ url, dataDir: agent.dataDir, env: environment() }, directory);
      await waitFor(async () => (await bird.routeCount()) === 0, {
        what: 'the routes to leave',
        details: agent.said,
      });
      const isOver = async (): Promise<boolean> => (await live()).last_known_sessions === undefined;
      await waitFor(isOver, { what: 'the agent to say that its sessions have ended' });
      expect((await type('why 6.0.0.3')).out).not.toContain('still held');
    });
  });
