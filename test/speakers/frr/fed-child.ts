// A process that brings a speaker into FRR and tells when it is done, and then its status for each line that it reads, until it is killed.
import { createInterface } from 'node:readline';
import { FrrDaemon, type FrrOptions } from '../../../src/speakers/frr/daemon.ts';
import { FrrDriver } from '../../../src/speakers/frr/driver.ts';
import type { SpeakerModel } from '../../../src/speakers/speaker.ts';
import { never, routesModel, startEngine, tableOf } from '../builtin/models.ts';

const { options, model, prefixes, restartTime } = JSON.parse(process.argv[2]!) as {
  options: FrrOptions;
  model: SpeakerModel;
  prefixes: Record<string, string[]>;
  restartTime?: number;
};
const { address, port } = options.feed;
const engine = await startEngine({ listen: { host: address, port } });
const feed = restartTime === undefined ? {} : { restartTime };
const driver = new FrrDriver(new FrrDaemon(options), model.speakerId, (id) => engine.driver(id), feed);
await driver.configure(model);
await driver.apply(routesModel(tableOf(prefixes)), never);
console.log('applied');
for await (const _ of createInterface({ input: process.stdin }))
  console.log(JSON.stringify(await driver.status()));
