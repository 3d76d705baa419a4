import { expect, test } from 'vitest';
import { ID_PATTERN } from '../../src/api/shapes/uuid.ts';
import { newEntryIds } from '../../src/store/entries/entry-ids.ts';

test('ids ascend, also those that follow others, and no two are alike', () => {
  const ids = [...newEntryIds(5_000, 0), ...newEntryIds(5_000, 5_000)];
  expect([...ids].sort()).toEqual(ids);
  expect(new Set([...ids, ...newEntryIds(5_000, 0)]).size).toBe(15_000);
  expect(ids.filter((id) => !new RegExp(ID_PATTERN).test(id))).toEqual([]);
});
