// `npm run test:long`: what `npm test` has no time for. CI runs one part of four each time: `--shard=2/4`.
import { suite } from './scripts/suite.ts';

export default suite((file) => file.endsWith('.long.test.ts'));
