import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PeerApplyResult, SpeakerApplyResult } from '../../../src/api/revisions/apply.ts';
import type { Peer, SessionOnSpeaker } from '../../../src/api/speakers/peers.ts';
import { startBird, type Bird } from '../../daemons/bird/bird.ts';
import type { Daemon, Neighbor } from '../../daemons/daemon.ts';
import { type Frr, startFrr } from '../../daemons/frr/frr.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { untilSession } from '../../reported-session.ts';
import {
  addCdnModule,
  PEER_ASN,
  serve,
  SPEAKER_ASN,
  startCasting,
  type Casting,
  type LoggedEvent,
} from '../casting.ts';

const lacks = requireDaemon('bird') === null || requireDaemon('frr-bgpd') === null;
const WARN = 40;
const MAXIMUM = 'Cease, Maximum Number of Prefixes Reached';
/** Of peers that refuse addresses of loopback. */
const NEXT_HOP = '192.0.2.10';

/** One service and its speaker, with a peer that is well from the first story to the last. */
describe.skipIf(lacks)('a peer that is sick, beside one that is well', () => {
  let casting: Casting;
  let well: Bird;
  let moduleId: string;
  let size = 0;
  const started: Daemon[] = [];

  beforeAll(async () => {
    casting = await startCasting();
    await casting.service.call('PATCH', '/v1/settings', {
      ...{ deploy_confirm_timeout_seconds: 10, deploy_max_failed_peers_percent: 70 },
    });
    well = await casting.addBird();
    const added = await addCdnModule(casting, '64500:100', { path: '/list' });
    ({ moduleId } = added);
    await setNextHop(added.communityId, NEXT_HOP);
    await ended(await begin(2));
    await well.waitRoutes(2);
  });
  afterAll(async () => {
    await casting?.close();
    await Promise.all(started.map((daemon) => daemon.stop()));
  });

  const neighbor = (more: Partial<Neighbor> = {}): Neighbor => ({
    ...{ address: '127.0.0.1', port: 1, asn: SPEAKER_ASN, passive: true, gracefulRestart: true },
    ...more,
  });
  const place = async () => {
    const address = loopbackAddress();
    return {
      listen: { address, port: await freePort(address) },
      ...{ routerId: address, localAsn: PEER_ASN },
    };
  };
  const bird = async (more: Partial<Neighbor> = {}): Promise<Bird> =>
    startBird({ ...(await place()), neighbors: [neighbor(more)] });
  const frr = async (...lines: string[]): Promise<Frr> => {
    const extraConfig = [`router bgp ${PEER_ASN}`, ' address-family ipv4 unicast', ...lines].join('\n');
    return startFrr({ ...(await place()), neighbors: [neighbor()], extraConfig });
  };
  /** Makes it a peer of the speaker, and waits until it holds every route. */
  async function join(name: string, daemon: Daemon, limits: object = {}): Promise<void> {
    started.push(daemon);
    await casting.service.post('/v1/peers', {
      ...{ name, address: daemon.address, port: daemon.port, remote_asn: PEER_ASN },
      ...{ graceful_restart: true, ...limits },
    });
    await daemon.waitRoutes(size);
    await untilShown(name, ({ state, routes_exported: n }) => state === 'established' && n === size);
  }
  const setNextHop = (communityId: string, next_hop_ipv4: string): Promise<unknown> =>
    casting.service.call('PATCH', `/v1/communities/${communityId}`, { next_hop_ipv4 });
  async function leave(name: string): Promise<void> {
    await casting.service.call('DELETE', `/v1/peers/${(await peerNow(name)).id}`);
  }
  /** Has the list hold so many prefixes. @returns the apply of that, which has begun */
  async function begin(count: number): Promise<{ readonly id: string }> {
    const list = Array.from({ length: count }, (_, index) => `45.0.${2 * index}.0/24\n`).join('');
    casting.sources.set('/list', serve(list));
    const job = await casting.service.post<{ id: string }>(`/v1/modules/${moduleId}/refresh`);
    const { apply_job_id: id } = await casting.service.succeeded(job);
    size = count;
    return { id: String(id) };
  }
  /** What became of the apply at the speaker, and at each peer by its name. */
  async function ended(job: {
    readonly id: string;
  }): Promise<SpeakerApplyResult & { readonly of: Record<string, PeerApplyResult> }> {
    const { speakers } = await casting.service.succeeded(job);
    const [one] = speakers as SpeakerApplyResult[];
    return { ...one!, of: Object.fromEntries(one!.peers.map((peer) => [peer.name, peer])) };
  }
  const peerNow = async (name: string): Promise<Peer> => {
    const { items } = await casting.service.get<{ items: Peer[] }>('/v1/peers');
    return items.find((peer) => peer.name === name)!;
  };
  /** Waits until the API says so of the peer's session. */
  const untilShown = (name: string, test: (session: SessionOnSpeaker) => boolean) =>
    untilSession(name, async () => (await peerNow(name)).session_on_speakers[0], test);
  /** The line of the log that names the peer. */
  const line = (event: string, peer: string): Promise<LoggedEvent> =>
    waitFor(() => casting.reported.findLast((one) => one.event === event && one.peer === peer), {
      what: `the line of ${event} that names ${peer}`,
    });
  /** Runs the story, in which the peer that is well loses no route and keeps its session. */
  async function spared(story: () => Promise<void>): Promise<void> {
    const { since } = await untilShown('bird1', ({ routes_exported: n }) => n === size);
    const updates = well.updates().length;
    await story();
    await well.waitRoutes(size);
    expect(well.withdrawnSince(updates)).toEqual([]);
    expect(await untilShown('bird1', ({ routes_exported: n }) => n === size)).toMatchObject({
      ...{ state: 'established', since, last_error: null, reverted: null },
    });
  }

  test('a BIRD bears the first of two edits and not the second: it keeps the first, and has both once its limit is raised and somebody tries again', async () => {
    const small = await bird({ importLimit: 3 });
    await join('small', small);
    let second = { id: '' };
    await spared(async () => {
      const first = await begin(3);
      await small.waitRoutes(3);
      // On most machines before it is known for good that every peer bears the first.
      second = await begin(5);
      expect((await ended(first)).of.small).toMatchObject({ status: 'applied', announced: 3 });
      const { status, of } = await ended(second);
      expect(status).toBe('partial');
      expect(of.small).toMatchObject({
        ...{ status: 'reverted', expected: 3 },
        notification: { code: 6, subcode: 1 },
      });
    });
    const { reverted } = await untilShown(
      'small',
      ({ state, routes_exported: n }) => state === 'established' && n === 3,
    );
    const { items: revisions } = await casting.service.get<{ items: { id: string }[] }>(
      '/v1/revisions?limit=2',
    );
    expect(reverted).toMatchObject({
      ...{ revision_id: revisions[1]!.id, tried_revision_id: revisions[0]!.id },
    });
    await small.waitRoutes(3);
    await small.configure({ neighbors: [neighbor()] });
    const retry = await casting.service.post<{ id: string }>('/v1/apply', { retry_of: second.id });
    expect((await ended(retry)).of.small).toMatchObject({ status: 'applied', announced: 5 });
    await small.waitRoutes(5);
    await leave('small');
    // In two steps: a list that loses more than half is held.
    for (const count of [3, 2]) await ended(await begin(count));
    await well.waitRoutes(2);
  });

  test('a BIRD and an FRR have too many routes: both keep what they had and are named, with what they said', async () => {
    // FRR counts before it adds, and so takes one more.
    await join('limited-bird', await bird({ importLimit: 2, importLimitAction: 'disable' }));
    await join('limited-frr', await frr('  neighbor 127.0.0.1 maximum-prefix 2 restart 1'));
    await spared(async () => {
      const { status, error, of } = await ended(await begin(5));
      expect(status).toBe('partial');
      expect(error).toContain('2 of 3 peers do not have the revision. limited-');
      expect(of.bird1).toMatchObject({ status: 'applied', announced: 5, notification: null });
      for (const name of ['limited-bird', 'limited-frr'])
        expect(of[name]).toMatchObject({
          ...{ status: 'reverted', was_up: true, expected: 2 },
          notification: {
            direction: 'received',
            code: 6,
            subcode: 1,
            name: expect.stringContaining(MAXIMUM) as string,
          },
          error: expect.stringContaining(MAXIMUM) as string,
        });
      expect(of['limited-frr']!.notification!.text).toBe('the limit is 2 IPv4 prefixes');
    });
    // BIRD closes every call from now on, which says nothing of why.
    const { last_error: error, reverted } = await untilShown(
      'limited-bird',
      ({ last_error: words }) => words?.includes('since then') === true,
    );
    expect(error).toMatch(new RegExp(`^the peer sent ${MAXIMUM}; since then: `));
    expect(reverted?.notification).toMatchObject({ code: 6, subcode: 1 });
    for (const name of ['limited-bird', 'limited-frr']) {
      const down = await line('session_down', name);
      expect(down).toMatchObject({ level: WARN, reason: expect.stringContaining(MAXIMUM) as string });
      expect(down.msg).toContain(`The session with ${name} (`);
      await leave(name);
    }
    expect(casting.reported.findLast(({ event }) => event === 'apply_ended')!.msg).toMatch(
      /The speaker builtin runs revision \d+ after .*2 of 3 peers do not have the revision/,
    );
  });

  test('an FRR refuses a next hop: it has the routes of before, the other one those with that next hop', async () => {
    await join('strict', await frr());
    const added = await addCdnModule(casting, '64500:200', { path: '/martian' });
    // An address of loopback, which FRR calls a Martian and BIRD does not.
    await setNextHop(added.communityId, '127.0.0.66');
    casting.sources.set('/martian', serve('45.9.0.0/24\n'));
    await spared(async () => {
      const { apply_job_id: id } = await casting.service.succeeded(
        await casting.service.post(`/v1/modules/${added.moduleId}/refresh`),
      );
      size++;
      const { status, of } = await ended({ id: String(id) });
      expect(status).toBe('partial');
      expect(of).toMatchObject({
        bird1: { status: 'applied', announced: size },
        strict: {
          ...{ status: 'reverted', expected: size - 1 },
          notification: {
            ...{ direction: 'received', code: 3, subcode: 8 },
            name: 'UPDATE Message Error, Invalid NEXT_HOP Attribute',
          },
        },
      });
      expect((await well.routes()).find(({ prefix }) => prefix === '45.9.0.0/24')).toMatchObject({
        nextHop: '127.0.0.66',
      });
    });
    // It comes back by itself with what it held. Why the session before ended is history, which the log has.
    const back = await untilShown(
      'strict',
      ({ state, routes_exported: n }) => state === 'established' && n === size - 1,
    );
    expect(back.last_error).toBeNull();
    expect(back.reverted).toMatchObject({ notification: { code: 3, subcode: 8 } });
    expect(await line('session_down', 'strict')).toMatchObject({
      ...{ level: WARN, reason: 'the peer sent UPDATE Message Error, Invalid NEXT_HOP Attribute' },
    });
    await leave('strict');
    await casting.service.call('DELETE', `/v1/modules/${added.moduleId}`);
    await ended(await begin(4));
    size = 4;
  });

  test('sessions of an FRR and a BIRD are reset in the middle of an apply: once they are back with all routes, nothing has failed', async () => {
    const other = await frr();
    await join('reset-frr', other);
    const reset = await bird();
    await join('reset', reset);
    await spared(async () => {
      const apply = await begin(6);
      for (const daemon of [reset, other]) await daemon.waitRoutes(6);
      await reset.command('restart n1');
      await other.command('clear bgp *');
      const { status, of } = await ended(apply);
      const good = { status: 'applied', announced: 6, was_up: true, error: null };
      expect({ status, ...of }).toMatchObject({
        status: 'applied',
        bird1: { status: 'applied', announced: 6, error: null },
        ...{ reset: good, 'reset-frr': good },
      });
    });
    for (const name of ['reset', 'reset-frr']) {
      const { last_error: error } = await untilShown(name, ({ state }) => state === 'established');
      expect(error, name).toBeNull();
      expect((await line('session_down', name)).reason, name).toMatch(
        // FRR resets hard (RFC 8538), so that nobody keeps its routes meanwhile, and says within that why.
        /^the peer sent Cease, (Hard Reset \(Cease, )?Administrative (Reset|Shutdown)/,
      );
    }
    for (const daemon of [reset, other]) await daemon.waitRoutes(6);
    await leave('reset-frr');
  });

  test('a session ends in the middle of an apply and does not come back: the peer is put back, and tried when it is there', async () => {
    const reset = started.at(-1) as Bird;
    await spared(async () => {
      const apply = await begin(7);
      await reset.waitRoutes(7);
      await reset.command('disable n1 "Line card is changed"');
      const { status, of } = await ended(apply);
      expect({ status, ...of }).toMatchObject({
        status: 'partial',
        bird1: { status: 'applied', announced: 7 },
        reset: {
          ...{ status: 'reverted', announced: 0, expected: 6 },
          notification: { code: 6, subcode: 2, text: 'Line card is changed' },
        },
      });
    });
    const { last_error: error } = await untilShown(
      'reset',
      ({ last_error: words }) => words?.includes('since then') === true,
    );
    expect(error).toMatch(
      /^the peer sent Cease, Administrative Shutdown: "Line card is changed"; since then: /,
    );
    await reset.command('enable n1');
    await untilShown('reset', ({ reverted, routes_exported: n }) => reverted === null && n === 7);
    await reset.waitRoutes(7);
  });

  test('a BIRD and an FRR may not be sent so many: they keep what they have, and the apply says of each that it is over its limit', async () => {
    const few = [await bird(), await frr()];
    for (const [at, daemon] of few.entries()) await join(`few${at}`, daemon, { max_prefixes_out: size });
    const held = size;
    await spared(async () => {
      const { status, error, of } = await ended(await begin(held + 2));
      expect(status).toBe('partial');
      expect(error).toContain('2 of 4 peers do not have the revision. few');
      expect(of.bird1).toMatchObject({ status: 'applied', announced: held + 2 });
      for (const name of ['few0', 'few1'])
        expect(of[name]).toMatchObject({ status: 'over_limit', was_up: true, notification: null });
      for (const daemon of few) await daemon.waitRoutes(held);
    });
    for (const [at, daemon] of few.entries()) {
      const over = await untilShown(`few${at}`, ({ last_error: words }) => words !== null);
      expect(over.last_error).toMatch(
        new RegExp(`^${held + 2} routes are more than max_prefixes_out ${held}: the peer keeps`),
      );
      const { id } = await peerNow(`few${at}`);
      await casting.service.call('PATCH', `/v1/peers/${id}`, { max_prefixes_out: null });
      await daemon.waitRoutes(held + 2);
    }
  });
});
