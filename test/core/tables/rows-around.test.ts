import { expect, test } from 'vitest';
import { formatPrefix, parsePrefix, type Prefix } from '../../../src/core/prefix.ts';
import { PrefixTableBuilder } from '../../../src/core/tables/prefix-table.ts';
import { rowsAround } from '../../../src/core/tables/rows-around.ts';

function prefixOf(text: string): Prefix {
  const parsed = parsePrefix(text);
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.value;
}

test('rows that contain the prefix count as those inside it: no more than are asked for', () => {
  const texts = ['10.0.0.0/8', '10.1.0.0/16', '10.1.1.0/24', '10.1.1.1/32', '10.1.1.9/32', '10.2.0.0/16'];
  const builder = new PrefixTableBuilder();
  for (const text of texts) {
    const { family, words, length } = prefixOf(text);
    builder.add(family, words, length, text);
  }
  const table = builder.build();
  const found = (text: string, most: number): string[] | null =>
    rowsAround(table, prefixOf(text), most)?.map(({ prefix }) => formatPrefix(prefix)) ?? null;
  expect(found('10.1.1.0/24', 5)).toEqual(texts.slice(0, 5));
  // One too many inside it, only those around it, and more than that around it.
  for (const most of [4, 3, 2, 1]) expect(found('10.1.1.0/24', most)).toBeNull();
  expect(found('10.1.1.7/32', 3)).toEqual(texts.slice(0, 3));
  expect(found('10.1.1.7/32', 2)).toBeNull();
});
