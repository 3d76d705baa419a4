import { describe } from 'vitest';
import { lacksBird, startBirdRouter } from './router-daemons.ts';
import { testRouter } from './router.ts';

describe.skipIf(lacksBird())('a service beside a BIRD that it feeds', { timeout: 300_000 }, () => {
  testRouter(() => startBirdRouter('feed'), 'briefly');
});
