import { describe } from 'vitest';
import { lacksGobgp, startGobgpRouter } from './router-daemons.ts';
import { testRouter } from './router.ts';

describe.skipIf(lacksGobgp())('a service beside a GoBGP', { timeout: 300_000 }, () => {
  testRouter(startGobgpRouter, 'briefly');
});
