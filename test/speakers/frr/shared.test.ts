import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FrrDriver } from '../../../src/speakers/frr/driver.ts';
import { speakerTag } from '../../../src/speakers/frr/names.ts';
import { VtySocket } from '../../../src/speakers/frr/vty-socket.ts';
import type { SharedDaemon } from '../../../src/speakers/speaker.ts';
import type { Bird } from '../../daemons/bird/bird.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { never, routesModel, speakerModel, startEngine, tableOf } from '../builtin/models.ts';
import { foreign, startWorld, type World } from './world.ts';

const prefixes = { '11.0.0.0/8': ['65000:1'], '12.0.0.0/8': ['65000:2', 'no-export'] };

describe.skipIf(requireDaemon('frr-bgpd') === null)('an FRR that several could drive', () => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld();
  });
  afterEach(() => world?.stop());

  /** A speaker of the service, whose peer holds two routes. */
  async function announcing(serviceId: string, speakerId: string): Promise<Bird> {
    const daemon = world.daemon({ serviceId });
    const driver = new FrrDriver(daemon, speakerId, (id) => world.engine.driver(id));
    const peer = await world.peer();
    const labels = ['65000:1', '65000:2'];
    await driver.configure(speakerModel([world.peerOf(peer, { labels })], { speakerId }));
    await driver.apply(routesModel(tableOf(prefixes)), never);
    await peer.waitRoutes(2);
    return peer;
  }

  const running = (): Promise<string> => world.frr.command('show running-config');

  it('reports the speakers of a service, whoever brought them, and loses one without a trace', async () => {
    const [service, other] = [randomUUID(), randomUUID()];
    const [stays, goes, others] = [randomUUID(), randomUUID(), randomUUID()];
    const own = await foreign(world.frr);
    const staying = await announcing(service, stays);
    const going = await announcing(service, goes);
    const theirs = await announcing(other, others);
    const shared: SharedDaemon = world.daemon({ serviceId: service });
    expect((await shared.speakerIds()).sort()).toEqual([stays, goes].sort());
    expect(await world.daemon().speakerIds()).toEqual([]);
    await shared.removeSpeaker(goes);
    await going.waitRoutes(0);
    expect(await running()).not.toContain(speakerTag(goes));
    expect(await shared.speakerIds()).toEqual([stays]);
    expect(await running()).toContain(`description service ${other}, speaker ${others}`);
    expect([await staying.routeCount(), await theirs.routeCount()]).toEqual([2, 2]);
    expect(await foreign(world.frr)).toEqual(own);
  });

  it('has nothing taken for a speaker that only looks like one', async () => {
    const [service, speaker] = [randomUUID(), randomUUID()];
    const text = `description service ${service}, speaker ${speaker}`;
    const [ours, theirs] = [`${speakerTag(randomUUID())}_owner`, 'out'];
    const operator = new VtySocket(`${world.options.directory}/bgpd.vty`);
    for (const name of [ours, theirs])
      await operator.run(['configure terminal', `route-map ${name} deny 10`, text, 'exit', 'end']);
    expect(await running()).toContain(text);
    expect(await world.daemon({ serviceId: service }).speakerIds()).toEqual([]);
  });

  it('is changed by one process alone; what the other says names that', async () => {
    const program = fileURLToPath(new URL('./fed-child.ts', import.meta.url));
    const model = speakerModel([]);
    const work = JSON.stringify({ options: world.options, model, prefixes });
    await world.engine.close(true); // the child listens there
    const engine = await startEngine();
    const child = spawn(process.execPath, [program, work], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      await once(child.stdout, 'data');
      const before = await running();
      const driver = new FrrDriver(world.daemon(), 'speaker', (id) => engine.driver(id));
      const refused = {
        code: 'daemon_in_use',
        message: expect.stringContaining(`is driven by the process ${child.pid} on `) as string,
      };
      await driver.configure({ ...model, localAsn: 64_777 });
      await expect(driver.apply(routesModel(tableOf({})), never)).rejects.toMatchObject(refused);
      await expect(world.daemon().removeSpeaker('speaker')).rejects.toMatchObject(refused);
      expect(await running()).toBe(before);
    } finally {
      child.kill('SIGKILL');
      await engine.close(false);
    }
  });
});
