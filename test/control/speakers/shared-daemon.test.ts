import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Speaker } from '../../../src/api/speakers.ts';
import { setDrivenDaemons } from '../../../src/control/speakers/driven-daemons.ts';
import { SpeakerHolder } from '../../../src/control/speakers/hold-speakers.ts';
import { routerStatus } from '../../../src/control/speakers/router.ts';
import { changeSpeaker, createSpeaker } from '../../../src/control/speakers/speakers.ts';
import { BirdDaemon } from '../../../src/speakers/bird/daemon.ts';
import { BirdDriver } from '../../../src/speakers/bird/driver.ts';
import { speakerTag } from '../../../src/speakers/bird/names.ts';
import type { SharedDaemon } from '../../../src/speakers/speaker.ts';
import { serviceId } from '../../../src/store/router-daemons.ts';
import { deleteSpeaker } from '../../../src/store/speakers.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { never, routesModel, speakerModel, tableOf } from '../../speakers/builtin/models.ts';
import { startClaimant } from '../../speakers/claimant.ts';
import { startWorld, type World } from '../../speakers/bird/world.ts';
import { startPlane, type Plane } from '../plane.ts';

describe.skipIf(requireDaemon('bird') === null)('a BIRD that several could drive', () => {
  let plane: Plane;
  let world: World;
  const holders: SpeakerHolder[] = [];
  beforeAll(async () => {
    plane = await startPlane();
    world = await startWorld({ serviceId: await plane.database.db.inSystem(serviceId) });
    setDrivenDaemons(['builtin', 'bird']);
  });
  afterEach(async () => {
    for (const holder of holders.splice(0)) await holder.close();
  });
  afterAll(async () => {
    setDrivenDaemons(['builtin']);
    await world?.stop();
    await plane?.close();
  });

  function hold(shared: SharedDaemon = world.daemon): SpeakerHolder {
    const holder = new SpeakerHolder({
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
    (await plane.run((tx) => createSpeaker(tx, { name, daemon: 'bird', local_asn: 64512 }))).resource;
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

  test('is driven by one process; the other says which, and takes over when that dies', async () => {
    await waitFor(async () => (await world.daemon.claim()) === null, { what: 'the lock' });
    await world.daemon.release();
    const { child, answer } = await startClaimant('DirectoryLock', world.directory);
    expect(answer).toBe('null');
    const speaker = await make('has to wait');
    hold();
    const why = new RegExp(`is driven by the process ${child.pid} on .*: give each service a BIRD`);
    const told = async () => why.test((await plane.speaker(speaker.id)).live!.error ?? '');
    await waitFor(told, { what: 'why nobody holds the speaker to be told' });
    expect((await plane.speaker(speaker.id)).live!.reachable).toBe(false);
    const { items } = await plane.run(routerStatus);
    expect(items).toMatchObject([{ daemon: 'bird', host: null, reachable: false }]);
    expect(items[0]!.error).toMatch(why);
    expect(await isIn(speaker)).toBe(false);
    child.kill('SIGKILL');
    await waitFor(() => isIn(speaker), { what: 'the speaker to be in BIRD' });
    await waitFor(async () => (await plane.speaker(speaker.id)).live!.error === null, {
      what: 'that to be told',
    });
  });
});
