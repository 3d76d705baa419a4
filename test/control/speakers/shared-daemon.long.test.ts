import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Speaker } from '../../../src/api/speakers/speakers.ts';
import { SpeakerHolder } from '../../../src/control/holding/hold-speakers.ts';
import { routerStatus } from '../../../src/control/speakers/router.ts';
import { changeSpeaker, createSpeaker } from '../../../src/control/speakers/speakers.ts';
import { BirdDaemon } from '../../../src/speakers/bird/daemon.ts';
import { BirdDriver } from '../../../src/speakers/bird/driver.ts';
import { speakerTag } from '../../../src/speakers/bird/config/names.ts';
import type { SharedDaemon } from '../../../src/speakers/speaker.ts';
import { LEASE_SECONDS, claimLeases, releaseLeases } from '../../../src/store/holding/leases.ts';
import { serviceId } from '../../../src/store/holding/router-daemons.ts';
import { deleteSpeaker } from '../../../src/store/speakers/speakers.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { never, routesModel, speakerModel, tableOf } from '../../speakers/builtin/models.ts';
import { startClaimant } from '../../speakers/claimant.ts';
import { startWorld, type World } from '../../speakers/bird/world.ts';
import { startPlane, type Plane } from '../plane.ts';
import { PEER_REACH } from '../../peer-allow.ts';

describe.skipIf(requireDaemon('bird') === null)('a BIRD that several could drive', () => {
  let plane: Plane;
  let world: World;
  const holders: SpeakerHolder[] = [];
  beforeAll(async () => {
    plane = await startPlane();
    world = await startWorld({ serviceId: await plane.database.db.inSystem(serviceId) });
  });
  afterEach(async () => {
    for (const holder of holders.splice(0)) await holder.close();
  });
  afterAll(async () => {
    await world?.stop();
    await plane?.close();
  });

  function hold(shared: SharedDaemon = world.daemon): SpeakerHolder {
    const holder = new SpeakerHolder({
      peerReach: PEER_REACH,
      ...{ db: plane.database.db, secrets: plane.context.secrets, daemons: ['bird'] },
      driverOf: (_, id) => world.driver(id),
      shared: new Map([['bird', shared]]),
      onFault: () => undefined,
    });
    holders.push(holder);
    holder.start();
    return holder;
  }

  const make = async (name: string): Promise<Speaker> =>
    (await plane.run((tx) => createSpeaker(tx, plane.context, { name, daemon: 'bird', local_asn: 64512 })))
      .resource;
  const protocols = async (): Promise<string[]> =>
    (await world.bird.command('show protocols')).flatMap(({ text }) => /^pc_\w+/.exec(text)?.[0] ?? []);
  const isIn = async ({ id }: Pick<Speaker, 'id'>): Promise<boolean> =>
    (await protocols()).includes(speakerTag(id));

  test('loses what was deleted or disabled while nobody held it, and keeps what is another service’s', async () => {
    const speakers = [await make('stays'), await make('is deleted'), await make('is disabled')] as const;
    const [stays, deleted, disabled] = speakers;
    const first = hold();
    const areIn = async () => (await Promise.all(speakers.map(isIn))).every(Boolean);
    await waitFor(areIn, { what: 'the speakers to be in BIRD' });
    await first.close();
    const other = { id: randomUUID() };
    const others = new BirdDaemon({ ...world.options, serviceId: randomUUID() });
    const driver = new BirdDriver(others, other.id, (id) => world.engine.driver(id));
    await driver.configure(speakerModel([], { speakerId: other.id }));
    await driver.apply(routesModel(tableOf({})), never);
    await others.release();
    expect(await isIn(deleted)).toBe(true);
    await plane.run((tx) => deleteSpeaker(tx, deleted.id, null));
    await plane.run((tx) => changeSpeaker(tx, disabled.id, { enabled: false }, null));
    hold();
    const areGone = async () => !(await isIn(deleted)) && !(await isIn(disabled));
    await waitFor(areGone, { what: 'what nobody wants to be taken out' });
    expect(await isIn(stays)).toBe(true);
    expect(await isIn(other)).toBe(true);
  });

  test('has a speaker that is enabled again just while it is taken out', async () => {
    const speaker = await make('comes back');
    const first = hold();
    await waitFor(() => isIn(speaker), { what: 'the speaker to be in BIRD' });
    await first.close();
    await plane.run((tx) => changeSpeaker(tx, speaker.id, { enabled: false }, null));
    const begun = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    hold({
      claim: () => world.daemon.claim(),
      release: () => world.daemon.release(),
      speakerIds: () => world.daemon.speakerIds(),
      async removeSpeaker(id) {
        begun.resolve();
        await go.promise;
        await world.daemon.removeSpeaker(id);
        ended.resolve();
      },
    });
    await begun.promise;
    await plane.run((tx) => changeSpeaker(tx, speaker.id, { enabled: true }, null));
    const isClaimed = async () => (await plane.speaker(speaker.id)).live !== null;
    await waitFor(isClaimed, { what: 'the speaker to be claimed' });
    await sleep(2_000); // for whoever would not wait
    go.resolve();
    await ended.promise;
    await waitFor(() => isIn(speaker), { what: 'the speaker to be in BIRD again' });
  });

  test('loses what is disabled while a process that died still has its lease', async () => {
    const speaker = await make('outlives its holder');
    const first = hold();
    await waitFor(() => isIn(speaker), { what: 'the speaker to be in BIRD' });
    await first.close();
    const died = randomUUID();
    await plane.database.db.inSystem((tx) => claimLeases(tx, died, LEASE_SECONDS, ['bird']));
    const swept = Promise.withResolvers<void>();
    hold({
      ...{ claim: () => world.daemon.claim(), release: () => world.daemon.release() },
      async speakerIds() {
        const ids = await world.daemon.speakerIds();
        swept.resolve();
        return ids;
      },
      removeSpeaker: (id) => world.daemon.removeSpeaker(id),
    });
    await swept.promise;
    await sleep(500); // for whoever would look only then whether it is wanted
    await plane.run((tx) => changeSpeaker(tx, speaker.id, { enabled: false }, null));
    await waitFor(async () => !(await isIn(speaker)), { what: 'the speaker to be taken out' });
    await plane.database.db.inSystem((tx) => releaseLeases(tx, died)); // those of other tests' speakers
  });

  test('loses what is disabled after it was lost to a process that drives another', async () => {
    const speaker = await make('goes elsewhere');
    hold();
    await waitFor(() => isIn(speaker), { what: 'the speaker to be in BIRD' });
    const elsewhere = `UPDATE speaker_lease SET holder = $1, expires_at = now() + interval '1 hour' WHERE speaker_id = $2`;
    const holderOf = async () =>
      (
        await plane.database.admin<{ holder: string }>(
          'SELECT holder FROM speaker_lease WHERE speaker_id = $1',
          [speaker.id],
        )
      )[0]?.holder;
    const other = randomUUID();
    await waitFor(
      async () => {
        await plane.database.admin(elsewhere, [other, speaker.id]);
        await sleep(1_500); // the holder looks
        return (await holderOf()) === other;
      },
      { what: 'the lease to be lost' },
    );
    expect(await isIn(speaker)).toBe(true);
    await plane.run((tx) => changeSpeaker(tx, speaker.id, { enabled: false }, null));
    await sleep(2_000); // for whoever would not leave that to the other
    expect(await isIn(speaker)).toBe(true);
    await plane.database.db.inSystem((tx) => releaseLeases(tx, other));
    await waitFor(async () => !(await isIn(speaker)), { what: 'the speaker to be taken out' });
  });

  test('is left alone by a process that has let it go', async () => {
    const speakers = [await make('is taken out'), await make('is for the next one')];
    const first = hold();
    await waitFor(async () => (await Promise.all(speakers.map(isIn))).every(Boolean), {
      what: 'the speakers to be in BIRD',
    });
    await first.close();
    for (const { id } of speakers) await plane.run((tx) => changeSpeaker(tx, id, { enabled: false }, null));
    const begun = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const calls: string[] = [];
    const second = hold({
      ...{ claim: () => world.daemon.claim(), speakerIds: () => world.daemon.speakerIds() },
      async release() {
        calls.push('release');
        await world.daemon.release();
      },
      async removeSpeaker(id) {
        calls.push('remove');
        begun.resolve();
        await go.promise;
        await world.daemon.removeSpeaker(id);
      },
    });
    await begun.promise;
    const closing = second.close();
    go.resolve();
    await closing;
    await sleep(500); // for whoever would go on
    expect(calls).toEqual(['remove', 'release']);
  });

  test('is driven by one process; the other says which, and takes over when that dies', async () => {
    await waitFor(async () => (await world.daemon.claim()) === null, { what: 'the lock' });
    await world.daemon.release();
    const { child, answer } = await startClaimant('DirectoryLock', world.directory);
    expect(answer).toBe('null');
    const speaker = await make('has to wait');
    hold();
    const why = new RegExp(`is driven by the process ${child.pid} on .*: give each service a BIRD`);
    const reported = async () => why.test((await plane.speaker(speaker.id)).live!.error ?? '');
    await waitFor(reported, { what: 'why nobody holds the speaker to be reported' });
    expect((await plane.speaker(speaker.id)).live!.reachable).toBe(false);
    const { items } = await plane.run(routerStatus);
    expect(items).toMatchObject([{ daemon: 'bird', host: null, reachable: false }]);
    expect(items[0]!.error).toMatch(why);
    expect(await isIn(speaker)).toBe(false);
    child.kill('SIGKILL');
    await waitFor(() => isIn(speaker), { what: 'the speaker to be in BIRD' });
    await waitFor(async () => (await plane.speaker(speaker.id)).live!.error === null, {
      what: 'that to be reported',
    });
  });
});
