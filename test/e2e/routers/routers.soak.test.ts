// What bird.test.ts tries of one daemon, of all others too. Of these, `npm test` tries each briefly.
import { describe } from 'vitest';
import { FED_BIRD, OTHER_ROUTERS } from './router-daemons.ts';
import { testRouter } from './router.ts';

for (const { name, lacks, start } of [FED_BIRD, ...OTHER_ROUTERS]) {
  describe.skipIf(lacks())(`a service beside ${name}`, { timeout: 300_000 }, () => {
    testRouter(start, 'thoroughly');
  });
}
