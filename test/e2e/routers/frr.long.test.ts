import { describe } from 'vitest';
import { lacksFrr, startFrrRouter } from './router-daemons.ts';
import { testRouter } from './router.ts';

describe.skipIf(lacksFrr())('a service beside an FRR', { timeout: 300_000 }, () => {
  testRouter(startFrrRouter, 'briefly');
});
