// A process that feeds BIRD its routes and tells when it is done, until it is killed.
import { BirdDaemon, type BirdOptions } from '../../../src/speakers/bird/daemon.ts';
import { FeedDriver } from '../../../src/speakers/bird/feed-driver.ts';
import { FeedSession, feedSpeakerId } from '../../../src/speakers/feed-session.ts';
import type { SpeakerModel } from '../../../src/speakers/speaker.ts';
import { never, routesModel, startEngine, tableOf } from '../builtin/models.ts';

const { options, model, prefixes, ...times } = JSON.parse(process.argv[2]!) as {
  options: BirdOptions;
  model: SpeakerModel;
  prefixes: Record<string, string[]>;
  restartTime?: number;
  holdTime?: number;
};
const { speakerId } = model;
const engine = await startEngine();
const daemon = new BirdDaemon(options);
const session = { driver: engine.driver(feedSpeakerId(speakerId)), speakerId, daemon: daemon.feed };
const driver = new FeedDriver(daemon, new FeedSession({ ...session, ...times }), speakerId);
await driver.configure(model);
await driver.apply(routesModel(tableOf(prefixes)), never);
console.log('fed');
