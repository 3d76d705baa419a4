import { expect, it } from 'vitest';
import { LONGEST } from '../../scripts/longest-first.ts';
import { testsByNeed } from '../needs.ts';

it('each of the longest is one file of the tests', () => {
  const files = Object.values(testsByNeed()).flat();
  const found = LONGEST.map((end) => [end, files.filter((file) => file.endsWith(`/${end}`)).length]);
  expect(found).toEqual(LONGEST.map((end) => [end, 1]));
});
