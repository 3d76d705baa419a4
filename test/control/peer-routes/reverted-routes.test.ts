import { expect, test } from 'vitest';
import { isBearable } from '../../../src/control/peer-routes/reverted-routes.ts';
import { PrefixTableBuilder, type PrefixTable } from '../../../src/core/tables/prefix-table.ts';
import { EMPTY_ROUTES } from '../../../src/speakers/speaker.ts';

function tableOf(ipv4: number, ipv6: number): PrefixTable {
  const builder = new PrefixTableBuilder();
  for (let n = 0; n < ipv4; n++) builder.add('ipv4', [((45 << 24) | (n << 9)) >>> 0], 24, null);
  for (let n = 0; n < ipv6; n++) builder.add('ipv6', [0x26000000, n << 17, 0, 0], 48, null);
  return builder.build();
}

test.each([
  [9, 0, true],
  [6, 4, true],
  [10, 0, true],
  [6, 5, false],
  [11, 0, false],
])('a router that holds ten routes is tried at once with %i and %i: %s', (ipv4, ipv6, isTried) => {
  const routes = { ...EMPTY_ROUTES, table: tableOf(ipv4, ipv6) };
  expect(isBearable({ held_routes: 10 }, routes)).toBe(isTried);
});
