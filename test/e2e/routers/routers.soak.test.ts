// What bird.test.ts tries of one daemon, of all others too. Of these, `npm test` tries each briefly.
import { describe } from 'vitest';
import {
  lacksBird,
  lacksFrr,
  lacksGobgp,
  lacksOpenbgpd,
  startBirdRouter,
  startFrrRouter,
  startGobgpRouter,
  startOpenbgpdRouter,
} from './router-daemons.ts';
import { testRouter } from './router.ts';

const ROUTERS = [
  { daemon: 'a BIRD that it feeds', lacks: lacksBird, start: () => startBirdRouter('feed') },
  { daemon: 'an FRR', lacks: lacksFrr, start: startFrrRouter },
  { daemon: 'a GoBGP', lacks: lacksGobgp, start: startGobgpRouter },
  { daemon: 'an OpenBGPD', lacks: lacksOpenbgpd, start: startOpenbgpdRouter },
];

for (const { daemon, lacks, start } of ROUTERS) {
  describe.skipIf(lacks())(`a service beside ${daemon}`, { timeout: 300_000 }, () => {
    testRouter(start, 'thoroughly');
  });
}
