/** Feeds of routes for tests, and what the peer of one is to hold. */
import { formatPrefixAt } from '../../../src/core/prefix.ts';
import type { PrefixTable } from '../../../src/core/tables/prefix-table.ts';
import { Feed, type FeedSettings } from '../../../src/speakers/builtin/feed.ts';
import { RoutesVersion } from '../../../src/speakers/routes-version.ts';
import type { RoutesModel } from '../../../src/speakers/speaker.ts';
import { negotiated } from './listener.ts';
import { routesModel } from './models.ts';

export const everything: FeedSettings = {
  exports: {
    labels: null,
    nextHop: { ipv4: null, ipv6: null },
    self: { ipv4: '192.0.2.9', ipv6: '2001:db8::9' },
    isBird: false,
  },
  maxPrefixes: null,
};

export const feedOf = (routes: RoutesVersion, settings = everything): Feed =>
  new Feed(negotiated, 64_512, settings, routes);
export const version = (table: PrefixTable, changes: Partial<RoutesModel> = {}): RoutesVersion =>
  new RoutesVersion(routesModel(table, changes));

/** What a peer of these settings is to hold: slow, obvious, and without the code under test. */
export function expected(
  { table, labels, noExport }: RoutesModel,
  { exports }: FeedSettings,
): Map<string, string> {
  const routes = new Map<string, string>();
  for (const family of ['ipv4', 'ipv6'] as const) {
    for (let row = 0; row < table[family].size; row++) {
      const all = table.labelSets[table[family].labels[row]!]!;
      const own = all.filter((label) => exports.labels?.includes(label) ?? true);
      if (exports.labels !== null && own.length === 0) continue;
      const hopOf = (some: readonly string[]): string | undefined =>
        some
          .map((label) => (family === 'ipv4' ? labels[label]?.nextHopIpv4 : labels[label]?.nextHopIpv6))
          .find((address) => address) ?? undefined;
      const blackhole = hopOf(own.filter((label) => label === 'blackhole'));
      const nextHop = blackhole ?? exports.nextHop[family] ?? hopOf(own) ?? exports.self[family];
      if (!nextHop) continue;
      const numbered = own.map((label) => (label === 'blackhole' ? '65535:666' : label));
      const standard = numbered
        .map((label) => label.split(':').map(Number))
        .filter(({ length }) => length === 2);
      const large = own.map((label) => label.split(':').map(Number)).filter(({ length }) => length === 3);
      const numbers = standard.map(([asn, value]) => asn! * 65_536 + value!);
      if (noExport) numbers.push(0xffffff01);
      const communities = [...numbers.sort((a, b) => a - b), ...large.map(String).sort()];
      routes.set(formatPrefixAt(table[family], row), `${nextHop} ${communities.join(' ')}`);
    }
  }
  return routes;
}

export const LABELS = ['65000:1', '65000:2', '65000:3', '65000:1:1', '65000:1:2'];
