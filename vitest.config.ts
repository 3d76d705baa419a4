// `npm test`: all but the files that another run has, `*.long.test.ts` (vitest.long.config.ts) and `*.soak.test.ts` (vitest.soak.config.ts).
import { suite } from './scripts/suite.ts';

export default suite((file) => !/\.(?:long|soak)\.test\.ts$/.test(file));
