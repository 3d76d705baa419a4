// A process that applies routes to BIRD and waits for BIRD to have more than there are, until it is killed.
import { BirdDaemon, type BirdOptions } from '../../../src/speakers/bird/daemon.ts';
import type { SpeakerModel } from '../../../src/speakers/speaker.ts';
import { never, routesModel, tableOf } from '../builtin/models.ts';

const { options, model, prefixes } = JSON.parse(process.argv[2]!) as {
  options: BirdOptions;
  model: SpeakerModel;
  prefixes: Record<string, string[]>;
};
const daemon = new BirdDaemon(options);
const configuration = daemon.render(model, routesModel(tableOf(prefixes)));
const imports = configuration.imports.map((one) => ({ ...one, routes: 1_000 }));
await daemon.deploy({ ...configuration, imports }, never);
