import { describe } from 'vitest';
import { lacksOpenbgpd, startOpenbgpdRouter } from './router-daemons.ts';
import { testRouter } from './router.ts';

describe.skipIf(lacksOpenbgpd())('a service beside an OpenBGPD', { timeout: 300_000 }, () => {
  testRouter(startOpenbgpdRouter, 'briefly');
});
