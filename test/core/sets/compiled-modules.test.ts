import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ASSEMBLY, assemblyStamp } from '../../../scripts/build-assembly.ts';

it.each(ASSEMBLY)('$module is of the sources that are here', ({ module }) => {
  const checkedIn = readFileSync(new URL(`../../../${module}`, import.meta.url), 'utf8');
  expect(checkedIn, 'run `npm run assembly`').toContain(`// Of ${assemblyStamp()}.\n`);
});
