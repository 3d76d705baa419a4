import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, onTestFailed, test } from 'vitest';
import type { SpeakerApplyResult } from '../../../src/api/revisions/apply.ts';
import type { Peer } from '../../../src/api/speakers/peers.ts';
import type { Revision } from '../../../src/api/revisions/revisions.ts';
import type { RouterDaemon, RouterStatus } from '../../../src/api/speakers/router.ts';
import type { Daemon, Speaker } from '../../../src/api/speakers/speakers.ts';
import { type Bird, startBird } from '../../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { waitFor } from '../../daemons/wait.ts';
import { receivedBy } from '../../speakers/builtin/models.ts';
import {
  type Casting,
  PEER_ASN,
  SPEAKER_ASN,
  addCdnModule,
  refresh,
  serve,
  startCasting,
} from '../casting.ts';
import { sendForeignRoute } from './sending-router.ts';

/** A routing daemon of this machine that a service drives. */
export interface Router {
  readonly daemon: Daemon;
  /** How the service is configured for it. */
  readonly env: Readonly<Record<string, string>>;
  /** Where its sessions are. */
  readonly listen: { readonly address: string; readonly port: number };
  /** Fields of its speaker beside the name and the daemon. */
  readonly speaker?: object;
  /** Whether its peers lose nothing while it is away, and comes back (RFC 4724). */
  readonly keepsRoutes?: boolean;
  kill(): void;
  /** Starts it again with the files that it had. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

type Heard = Record<string, string[]>;

const NO_EXPORT = '65535:65281';
const LISTS = { first: '45.0.0.0/24\n45.0.2.0/24\n2a00:1450::/32\n', second: '45.0.2.0/24\n45.8.0.0/21\n' };
const FIRST: Heard = {
  '45.0.0.0/24': ['65000:100', NO_EXPORT],
  '45.0.2.0/24': ['65000:100', NO_EXPORT, '65000:1:200'],
  '45.8.0.0/21': [NO_EXPORT, '65000:1:200'],
  '2a00:1450::/32': ['65000:100', NO_EXPORT],
};
const SECOND: Heard = { ...FIRST, '45.0.6.0/24': FIRST['45.0.0.0/24']! };

/**
 * Registers what holds whichever daemon it is; the tests go on from one another.
 * @param how `briefly` leaves out what differs little from one daemon to another, and most starts of the service: routers.soak.test.ts has it
 */
export function testRouter(start: () => Promise<Router>, how: 'briefly' | 'thoroughly'): void {
  let router: Router;
  let casting: Casting;
  let peer: Bird;
  let startPeer: () => Promise<Bird>;
  let speakerId: string;
  let moduleId: string;
  /** What the peer receives when a test begins. */
  let heard = FIRST;

  beforeAll(async () => {
    router = await start();
    const own = loopbackAddress();
    const port = await freePort(own);
    startPeer = () =>
      startBird({
        ...{ listen: { address: own, port }, routerId: own, localAsn: PEER_ASN, logRoutes: true },
        neighbors: [{ ...router.listen, asn: SPEAKER_ASN, families: ['ipv4', 'ipv6'] }],
      });
    peer = await startPeer();
    casting = await startCasting({ APP_ROUTER_DAEMON: router.daemon, ...router.env });
  });
  afterAll(async () => {
    await casting?.close();
    await peer?.stop();
    await router?.stop();
  });

  // What follows a failure would only wait in vain.
  let hasFailed = false;
  beforeEach(({ skip }) => {
    skip(hasFailed);
    onTestFailed(() => {
      hasFailed = true;
    });
  });

  const thoroughly = how === 'thoroughly' ? test : (): void => undefined;

  const status = async (): Promise<RouterDaemon> => {
    const { items } = await casting.service.get<RouterStatus>('/v1/router/status');
    return items.find(({ daemon }) => daemon === router.daemon)!;
  };
  const peerNow = async (): Promise<Peer> =>
    (await casting.service.get<{ items: Peer[] }>('/v1/peers')).items[0]!;
  const speakerNow = async (): Promise<Speaker> => {
    const { items } = await casting.service.get<{ items: Speaker[] }>('/v1/speakers?live=true');
    return items.find(({ id }) => id === speakerId)!;
  };
  const revisionNow = async (): Promise<string> => (await speakerNow()).applied_revision_id!;

  const receives = (expected: Heard): Promise<true | undefined> =>
    waitFor(async () => isDeepStrictEqual(await receivedBy(peer), expected) || undefined, {
      what: `the peer to hear exactly ${Object.keys(expected).join(' ')}`,
      details: () => peer.log().slice(-2_000),
    });
  /** What came to the peer, changed there or went. Some daemons tell again what stays as it is, which is no change. */
  const changes = (): string[] =>
    peer
      .routeChanges()
      .filter(({ change }) => ['added', 'replaced', 'removed'].includes(change))
      .map(({ change, prefix }) => `${change} ${prefix}`);
  const isUp = async (routes: number): Promise<boolean> => {
    const { reachable, error, sessions } = await status();
    const [session] = (await peerNow()).session_on_speakers;
    return reachable && error === null && sessions.established === 1 && session?.routes_exported === routes;
  };
  const up = (routes: number): Promise<unknown> =>
    waitFor(async () => (await isUp(routes)) || undefined, {
      what: `the session to be reported with ${routes} routes`,
    });
  const allUp = (): Promise<unknown> => up(Object.keys(heard).length);
  /** The end of an apply at the speaker of the router. */
  const applied = async (job: { readonly id: string }): Promise<SpeakerApplyResult> => {
    const { speakers } = await casting.service.succeeded(job);
    return (speakers as SpeakerApplyResult[]).find((one) => one.speaker_id === speakerId)!;
  };
  /** Has the first list be this. */
  const change = async (list: string): Promise<void> => {
    casting.sources.set('/first', serve(list));
    await refresh(casting, moduleId);
  };

  test('brings every route to the peer with its communities, and reports how that is', async () => {
    const { service, sources } = casting;
    speakerId = (
      await service.post<Speaker>('/v1/speakers', {
        ...{ name: 'router', label: 'Router', daemon: router.daemon, local_asn: SPEAKER_ASN },
        ...{ local_ipv4: router.listen.address, local_ipv6: '2001:db8:ffff::1', ...router.speaker },
      })
    ).id;
    await service.post('/v1/peers', {
      ...{ name: 'peer', address: peer.address, port: peer.port, remote_asn: peer.localAsn, multihop: 2 },
      ...{ speaker_ids: [speakerId], families: ['ipv4', 'ipv6'] },
    });
    sources.set('/first', serve(LISTS.first));
    sources.set('/second', serve(LISTS.second));
    ({ moduleId } = await addCdnModule(casting, '65000:100', { path: '/first' }));
    await refresh(casting, moduleId);
    await refresh(casting, (await addCdnModule(casting, '65000:1:200', { path: '/second' })).moduleId);
    await receives(FIRST);
    expect(new Set((await peer.routes()).map(({ asPath }) => asPath))).toEqual(new Set(['64512']));
    await up(4);
    expect(await status()).toMatchObject({ speakers: 1, sessions: { total: 1, established: 1 } });
    expect((await speakerNow()).live).toMatchObject({
      ...{ reachable: true, error: null },
      sessions: [{ state: 'established', routes_exported: 4, last_error: null }],
    });
    expect(await peerNow()).toMatchObject({
      ...{ connected_speaker_id: speakerId, connected_speaker_label: 'Router', session_mismatch: false },
      established_on_speakers: [speakerId],
    });
  });

  test('passes no route that a router sends on to another', async () => {
    const speaker = { id: speakerId, listen: router.listen };
    await sendForeignRoute(casting, speaker, '45.99.0.0/16', Object.keys(heard).length);
    await allUp();
    expect(await receivedBy(peer)).toEqual(heard);
    expect(peer.routeChanges().map(({ prefix }) => prefix)).not.toContain('45.99.0.0/16');
  });

  test('has it read its configuration again, which takes no route from the peer', async () => {
    const before = changes();
    const job = await casting.service.post<{ id: string }>('/v1/router/reload');
    const { daemons } = await casting.service.succeeded(job);
    expect(daemons).toContainEqual(
      expect.objectContaining({ daemon: router.daemon, status: 'ok', error: null }),
    );
    await up(4);
    expect(changes()).toEqual(before);
  });

  test('sends what changed and nothing else, does nothing for what runs already, and goes back', async () => {
    const { service } = casting;
    const before = await revisionNow();
    const known = changes().length;
    await change('45.0.2.0/24\n45.0.4.0/24\n2a00:1450::/32\n');
    const { '45.0.0.0/24': gone, ...rest } = FIRST;
    await receives({ ...rest, '45.0.4.0/24': gone! });
    expect(changes().slice(known).sort()).toEqual(['added 45.0.4.0/24', 'removed 45.0.0.0/24']);
    await up(4);

    expect(await applied(await service.post('/v1/apply'))).toMatchObject({
      ...{ status: 'unchanged', announced: 0, withdrawn: 0, changed: 0, error: null },
    });
    expect(changes().length).toBe(known + 2);

    const { apply_job_id: job } = await service.post<Revision & { apply_job_id: string }>(
      `/v1/revisions/${before}/rollback`,
    );
    expect(await applied({ id: job })).toMatchObject({ status: 'applied', announced: 1, withdrawn: 1 });
    await receives(FIRST);
    expect(
      changes()
        .slice(known + 2)
        .sort(),
    ).toEqual(['added 45.0.0.0/24', 'removed 45.0.4.0/24']);
  });

  test('leaves the peer what it has where that would be too much, and says so', async () => {
    const known = changes().length;
    const path = `/v1/peers/${(await peerNow()).id}`;
    const ended = (status: 'ok' | 'partial'): Promise<unknown> =>
      waitFor(async () => (await speakerNow()).last_apply?.status === status || undefined, {
        what: `an apply that ends as ${status}`,
      });
    await casting.service.call('PATCH', path, { max_prefixes_out: 3 });
    await ended('partial');
    expect((await speakerNow()).last_apply!.error).toMatch(
      /^1 of 1 peers .* peer: its 4 routes are more than max_prefixes_out 3, so it keeps the 4 it has/,
    );
    const before = await revisionNow();
    await change(`${LISTS.first}45.0.6.0/24\n`);
    await waitFor(async () => (await revisionNow()) !== before || undefined, {
      what: 'the speaker to run the larger revision',
    });
    await ended('partial');
    await change(LISTS.first);
    await casting.service.call('PATCH', path, { max_prefixes_out: null });
    await ended('ok');
    await up(4);
    expect(changes().length).toBe(known);
  });

  thoroughly('tells that a peer died, and that it is back with all routes', async () => {
    peer.kill('SIGKILL');
    await waitFor(async () => (await peerNow()).session_mismatch || undefined, {
      what: 'the end of the session to be reported',
    });
    const [session] = (await peerNow()).session_on_speakers;
    expect(await peerNow()).toMatchObject({
      ...{ connected_speaker_id: null, connected_speaker_label: null, established_on_speakers: [] },
    });
    expect(session).toMatchObject({ speaker_id: speakerId, routes_exported: 0 });
    expect(session!.state).not.toBe('established');
    expect(await status()).toMatchObject({ reachable: true, sessions: { total: 1, established: 0 } });
    await peer.stop();
    peer = await startPeer();
    await receives(FIRST);
    await up(4);
    expect((await peerNow()).session_mismatch).toBe(false);
  });

  thoroughly(
    'leaves it its routes when the service ends or is killed, and takes them over when it is back',
    async () => {
      const known = changes().length;
      for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
        await casting.service.stop(signal);
        expect(await receivedBy(peer)).toEqual(FIRST);
        await casting.restart();
        await up(4);
      }
      await change(`${LISTS.first}45.0.6.0/24\n`);
      heard = SECOND;
      await receives(heard);
      expect(changes().slice(known)).toEqual(['added 45.0.6.0/24']);
    },
  );

  test('has the peer receive all again when the router was killed and runs again', async () => {
    const known = changes().length;
    router.kill();
    await waitFor(async () => !(await status()).reachable || undefined, {
      what: 'the router to be reported as away',
    });
    expect((await speakerNow()).live).toMatchObject({ reachable: false, sessions: [] });
    expect((await status()).error).toMatch(/./);
    await router.restart();
    await allUp();
    await receives(heard);
    if (router.keepsRoutes === true) expect(changes().slice(known)).toEqual([]);
    // Comes after all that was sent again, with which the restart ends for the peer (RFC 4724, section 4.2).
    heard = heard === FIRST ? SECOND : FIRST;
    await change(heard === FIRST ? LISTS.first : `${LISTS.first}45.0.6.0/24\n`);
    await receives(heard);
    await allUp();
  });

  thoroughly(
    'has the peer hear all again when both were killed, as when the machine loses its power',
    async () => {
      const known = changes().length;
      router.kill();
      await casting.service.stop('SIGKILL');
      await router.restart();
      await casting.restart();
      await up(4);
      await receives(FIRST);
      if (router.keepsRoutes === true) expect(changes().slice(known)).toEqual([]);
      await change(`${LISTS.first}45.0.6.0/24\n`);
      heard = SECOND;
      await receives(heard);
      await allUp();
    },
  );

  test('takes the routes back when the speaker is disabled, and announces them when it is enabled', async () => {
    const path = `/v1/speakers/${speakerId}`;
    await casting.service.call('PATCH', path, { enabled: false });
    await receives({});
    await casting.service.call('PATCH', path, { enabled: true });
    await receives(heard);
    await allUp();
  });

  thoroughly('takes out a speaker that was deleted while no process held it', async () => {
    await casting.service.stop();
    await casting.restart({ APP_SERVICE: 'app-api' });
    const { id } = await peerNow();
    await casting.service.call('DELETE', `/v1/peers/${id}`);
    await casting.service.call('DELETE', `/v1/speakers/${speakerId}`);
    expect(await receivedBy(peer)).toEqual(heard);
    await casting.service.stop();
    await casting.restart();
    await receives({});
  });
}
