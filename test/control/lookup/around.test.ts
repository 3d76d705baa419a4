/** What lies inside a prefix is listed up to a hundred, and more is said to be there. */
import { expect, test } from 'vitest';
import { finderOf } from '../../../src/control/lookup/around.ts';
import { parsePrefix, type Prefix } from '../../../src/core/prefix.ts';
import { PrefixTableBuilder, type PrefixRows } from '../../../src/core/tables/prefix-table.ts';

function prefixOf(text: string): Prefix {
  const parsed = parsePrefix(text);
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.value;
}

/** A /8 that holds so many /24s, and as many beside it. */
function tableOf(inside: number): PrefixRows {
  const builder = new PrefixTableBuilder();
  builder.add('ipv4', [45 << 24], 8, null);
  for (let n = 0; n < inside; n++)
    for (const first of [45, 46]) builder.add('ipv4', [((first << 24) | (n << 9)) >>> 0], 24, null);
  return builder.build().ipv4;
}

test.each([
  [0, 0, false],
  [99, 99, false],
  [100, 100, false],
  [101, 100, true],
  [150, 100, true],
])('of %i inside %i are found, and more is said to be there: %s', (inside, listed, isCut) => {
  const find = finderOf({ kind: 'prefix', prefix: prefixOf('45.0.0.0/9') });
  const { found, isCut: isMore } = find(tableOf(inside));
  // The /8 around it is found as well.
  expect([found.length - 1, isMore]).toEqual([listed, isCut]);
});
