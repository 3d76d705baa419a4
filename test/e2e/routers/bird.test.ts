import { describe } from 'vitest';
import { lacksBird, startBirdRouter } from './router-daemons.ts';
import { testRouter } from './router.ts';

describe.skipIf(lacksBird())('a service beside a BIRD that it writes files for', { timeout: 300_000 }, () => {
  testRouter(() => startBirdRouter('static'), 'thoroughly');
});
