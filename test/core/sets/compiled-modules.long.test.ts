import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ASSEMBLY, compileModule } from '../../../scripts/build-assembly.ts';

it.each(ASSEMBLY)('$module is what $source compiles to', (assembly) => {
  const checkedIn = readFileSync(new URL(`../../../${assembly.module}`, import.meta.url), 'utf8');
  expect(checkedIn).toBe(compileModule(assembly));
});
