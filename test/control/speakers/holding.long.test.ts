import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Speaker } from '../../../src/api/speakers/speakers.ts';
import { createIpRangeEntries } from '../../../src/control/entries/ip-range-entries.ts';
import { createModule } from '../../../src/control/lists/modules.ts';
import { createPeer } from '../../../src/control/speakers/peers.ts';
import { changeSpeaker } from '../../../src/control/speakers/speakers.ts';
import { finishApply, listAppliesOf, startNextApply } from '../../../src/store/rollout/applies.ts';
import { insertJob } from '../../../src/store/jobs/jobs.ts';
import { LEASE_SECONDS, claimLeases, reportDaemon } from '../../../src/store/holding/leases.ts';
import { deleteSpeaker } from '../../../src/store/speakers/speakers.ts';
import type { Bird } from '../../daemons/bird/bird.ts';
import { startBird } from '../../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { startPlane, type Plane } from '../plane.ts';
import { queueApplies } from '../../store/queue-applies.ts';

let plane: Plane;
let speaker: Speaker;
beforeAll(async () => {
  plane = await startPlane();
  const { resource: module } = await plane.run((tx) =>
    createModule(tx, { name: 'ranges', type: 'IP_RANGES' }),
  );
  const ranges = [{ cidr: '11.0.0.0/24' }, { cidr: '12.0.0.0/24' }];
  await plane.run((tx) => createIpRangeEntries(tx, module.id, ranges, () => ''));
  await plane.succeeded(await plane.refresh(module.id));
});
afterAll(() => plane?.close());

const live = async () => (await plane.speaker(speaker.id)).live!;

describe('a holder', () => {
  beforeEach(async () => {
    speaker = await plane.addSpeaker(`edge ${randomUUID()}`);
  });

  test('reports its daemon while it holds the speaker, and nothing after', async () => {
    expect(await live()).toMatchObject({
      reachable: false,
      version: null,
      uptime_seconds: null,
      sessions: [],
    });
    const started = Date.now();
    const holding = await plane.hold();
    const now = await waitFor(
      async () => {
        const received = await live();
        return received.last_reconfigured_at !== null && received;
      },
      { what: 'the holder to report' },
    );
    expect(now).toMatchObject({ reachable: true, error: null, sessions: [] });
    expect(now.router_id).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
    expect(now.uptime_seconds).toBeGreaterThanOrEqual(0);
    expect(now.uptime_seconds).toBeLessThanOrEqual((Date.now() - started) / 1000 + 1);
    await plane.run((tx) => changeSpeaker(tx, speaker.id, { router_id: '192.0.2.99' }, null));
    await waitFor(async () => (await live()).router_id === '192.0.2.99', { what: 'the new router id' });
    expect(Date.parse((await live()).last_reconfigured_at!)).toBeGreaterThanOrEqual(
      Date.parse(now.last_reconfigured_at!),
    );
    await holding.close();
    expect(await live()).toMatchObject({ reachable: false, router_id: null, uptime_seconds: null });
  });

  test(
    'claims what a process that died held when its lease runs out, not a look later',
    // It looks again when a timer says so, which a busy machine may let wait.
    { retry: 3 },
    async () => {
      const lost = await plane.addSpeaker(`lost ${randomUUID()}`);
      const holding = await plane.hold();
      const { database } = plane;
      const both = 'SELECT FROM speaker_lease WHERE speaker_id = ANY($1::uuid[]) AND expires_at > now()';
      const leases = () => database.admin(both, [[lost.id, speaker.id]]);
      await waitFor(async () => (await leases()).length === 2, { what: 'both to be held' });
      // The next look is a second after the last renewal, the one after that two.
      const [died] = await database.admin<{ at: string }>(
        `UPDATE speaker_lease SET holder = gen_random_uuid(), expires_at =
                (SELECT expires_at - interval '2.7 seconds' FROM speaker_lease WHERE speaker_id = $2)
          WHERE speaker_id = $1 RETURNING expires_at::text AS at`,
        [lost.id, speaker.id],
      );
      const late = await waitFor(
        async () => {
          const [lease] = await database.admin<{ late: number }>(
            `SELECT extract(epoch FROM expires_at - make_interval(secs => $3) - $2::timestamptz)::float AS late
               FROM speaker_lease WHERE speaker_id = $1 AND expires_at > $2::timestamptz`,
            [lost.id, died!.at, LEASE_SECONDS],
          );
          return lease?.late;
        },
        { what: 'the lease to be claimed', everyMs: 10 },
      );
      await holding.close();
      expect(late).toBeGreaterThanOrEqual(0);
      expect(late).toBeLessThan(0.4);
    },
  );

  test('that has lost its lease begins nothing, ends nothing and reports nothing', async () => {
    const [old, next] = [randomUUID(), randomUUID()];
    const claim = (holder: string) =>
      plane.database.db.inSystem((tx) => claimLeases(tx, holder, 60, ['builtin']));
    await claim(old);
    const revision = (await plane.database.admin<{ id: string }>('SELECT id FROM revision LIMIT 1'))[0]!.id;
    const job = await plane.run((tx) =>
      insertJob(tx, { type: 'apply', input: {}, resource: null, requestedBy: 'cli', parentId: null }),
    );
    const targets = [{ speakerId: speaker.id, revisionId: revision }];
    await plane.run((tx) => queueApplies(tx, job.id, targets));
    const begun = await plane.run((tx) => startNextApply(tx, speaker.id, old));
    expect(begun).toMatchObject({ state: 'running', revision_id: revision });
    // The process is stopped for so long that another one takes over.
    await plane.database.admin('UPDATE speaker_lease SET expires_at = now()');
    await claim(next);
    await plane.run((tx) =>
      finishApply(tx, begun!, old, { announced: 1, withdrawn: 0, changed: 0, sessions: [] }),
    );
    expect(await plane.run((tx) => listAppliesOf(tx, job.id))).toMatchObject([{ state: 'running' }]);
    expect(await plane.run((tx) => startNextApply(tx, speaker.id, old))).toBeNull();
    const report = {
      reachable: true,
      version: 'old',
      routerId: null,
      uptimeSeconds: 1,
      lastReconfiguredAt: null,
      error: null,
    };
    expect(await plane.run((tx) => reportDaemon(tx, speaker.id, old, report))).toBe(false);
    expect((await live()).version).toBeNull();
    // The successor begins it again and ends it.
    const again = await plane.run((tx) => startNextApply(tx, speaker.id, next));
    expect(again?.id).toBe(begun!.id);
    await plane.run((tx) =>
      finishApply(tx, again!, next, { announced: 1, withdrawn: 0, changed: 0, sessions: [] }),
    );
    expect((await plane.speaker(speaker.id)).applied_revision_id).toBe(revision);
    await plane.database.admin('DELETE FROM speaker_lease');
  });
});

describe.skipIf(requireDaemon('bird') === null)('at a BIRD peer', () => {
  let bird: Bird;
  beforeEach(async () => {
    speaker = await plane.addSpeaker(`edge ${randomUUID()}`);
    // A peer that loses its only speaker is one of every other that is enabled.
    await plane.database.admin('UPDATE speaker SET enabled = id = $1 WHERE tenant_id = $2', [
      speaker.id,
      plane.tenantId,
    ]);
    const address = loopbackAddress();
    bird = await startBird({
      listen: { address, port: await freePort(address) },
      routerId: address,
      localAsn: 64496,
      neighbors: [{ address: '127.0.0.1', port: 1, asn: 64512, passive: true, gracefulRestart: true }],
    });
    const peer = { name: address, address, port: bird.port, remote_asn: 64496, speaker_ids: [speaker.id] };
    await plane.run((tx) => createPeer(tx, plane.context, peer));
  });
  afterEach(() => bird?.stop());

  test('of two holders one has the session; the other takes over without a withdrawal', async () => {
    const holdings = [await plane.hold(), await plane.hold()];
    await plane.succeeded(await plane.apply(undefined, [speaker.id]));
    await bird.waitRoutes(2);
    const [lease] = await plane.database.admin('SELECT holder FROM speaker_lease WHERE speaker_id = $1', [
      speaker.id,
    ]);
    expect(lease).toBeDefined();
    const received = bird.updates().length;
    // Whichever has it goes in order; the other must claim what is free now.
    await holdings[0]!.close();
    await plane.hold();
    await holdings[1]!.close();
    await waitFor(async () => (await bird.routes()).every((route) => route.stale !== true), {
      what: 'fresh routes',
    });
    await bird.waitEstablished();
    expect((await bird.routes()).map(({ prefix }) => prefix)).toEqual(['11.0.0.0/24', '12.0.0.0/24']);
    expect(bird.withdrawnSince(received)).toEqual([]);
  });

  test('a speaker of a new installation takes nothing from a peer before something was applied to it', async () => {
    const holding = await plane.hold();
    await plane.succeeded(await plane.apply(undefined, [speaker.id]));
    await bird.waitRoutes(2);
    await holding.close();
    // What a new database knows of the speaker.
    await plane.database.admin('UPDATE speaker SET applied_revision_id = NULL WHERE id = $1', [speaker.id]);
    const received = bird.updates().length;
    await plane.hold();
    await bird.waitEstablished();
    expect(await bird.routeCount()).toBe(2);
    await plane.succeeded(await plane.apply(undefined, [speaker.id]));
    await waitFor(async () => (await bird.routes()).every((route) => route.stale !== true), {
      what: 'fresh routes',
    });
    expect(await bird.routeCount()).toBe(2);
    expect(bird.withdrawnSince(received)).toEqual([]);
  });

  const lastOfSessions = () => plane.events.findLast(({ event }) => event.startsWith('session_'));
  const lastDown = (): string => plane.events.findLast(({ event }) => event === 'session_down')?.text ?? '';
  const setStatus = (status: string): Promise<unknown> =>
    plane.database.admin('UPDATE tenant SET status = $2 WHERE id = $1', [plane.tenantId, status]);

  test('a speaker that is disabled or deleted withdraws its routes at once', async () => {
    await plane.hold();
    await plane.succeeded(await plane.apply(undefined, [speaker.id]));
    await bird.waitRoutes(2);
    await plane.run((tx) => changeSpeaker(tx, speaker.id, { enabled: false }, null));
    await waitFor(async () => (await bird.routes()).length === 0, {
      what: 'the routes to go',
    });
    await waitFor(async () => (await live()).error === 'The speaker is not enabled.', {
      what: 'that to be reported',
    });
    expect((await live()).reachable).toBe(false);
    expect(lastDown()).toMatch(/: the speaker was disabled$/);
    // Enabled again it announces by itself what it ran.
    await plane.run((tx) => changeSpeaker(tx, speaker.id, { enabled: true }, null));
    await bird.waitRoutes(2);
    // Of a session that nobody saw up no end is reported.
    await waitFor(() => lastOfSessions()?.event === 'session_up', { what: 'the session to be seen' });
    await setStatus('stopped');
    await waitFor(() => /: the tenant tenant-\w+ was stopped$/.test(lastDown()), {
      what: 'that to be reported',
    });
    await setStatus('active');
    await bird.waitRoutes(2);
    const faults = plane.faults.length;
    await plane.run(async (tx) => {
      await plane.database.admin('DELETE FROM peer_speaker WHERE speaker_id = $1', [speaker.id]);
      await deleteSpeaker(tx, speaker.id, null);
    });
    await waitFor(async () => (await bird.routes()).length === 0, {
      what: 'the routes to go',
    });
    // An operator who deletes a speaker reads of no fault.
    expect(plane.faults.slice(faults)).toEqual([]);
  });
});
