import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatPrefixAt } from '../../../src/core/prefix.ts';
import { PrefixTableBuilder } from '../../../src/core/tables/prefix-table.ts';
import type { PrefixTable } from '../../../src/core/tables/prefix-table.ts';
import { Feed } from '../../../src/speakers/builtin/feed.ts';
import type { FeedSettings } from '../../../src/speakers/builtin/feed.ts';
import { RoutesVersion } from '../../../src/speakers/routes-version.ts';
import type { RoutesModel } from '../../../src/speakers/speaker.ts';
import { bigTable, routesModel, tableOf } from './models.ts';
import { Listener, negotiated } from './listener.ts';
import { times } from '../../fuzz.ts';

const everything: FeedSettings = {
  exports: {
    labels: null,
    nextHop: { ipv4: null, ipv6: null },
    self: { ipv4: '192.0.2.9', ipv6: '2001:db8::9' },
    isBird: false,
  },
  maxPrefixes: null,
};

const feedOf = (routes: RoutesVersion, settings = everything): Feed =>
  new Feed(negotiated, 64_512, settings, routes);
const version = (table: PrefixTable, changes: Partial<RoutesModel> = {}): RoutesVersion =>
  new RoutesVersion(routesModel(table, changes));

/** What a peer of these settings is to hold: slow, obvious, and without the code under test. */
function expected({ table, labels, noExport }: RoutesModel, { exports }: FeedSettings): Map<string, string> {
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

const LABELS = ['65000:1', '65000:2', '65000:3', '65000:1:1', '65000:1:2'];
/** With the one whose next hop is kept where a peer has its own. */
const ALL_LABELS = [...LABELS, 'blackhole'];
const somePrefix = fc.oneof(
  fc.nat(40).map((i) => `10.${i}.0.0/16`),
  fc.nat(40).map((i) => `10.0.${i}.0/24`),
  fc.nat(20).map((i) => `2001:db8:${(i + 1).toString(16)}::/48`),
);
const someRoutes = fc.record({
  routes: fc.dictionary(somePrefix, fc.subarray(ALL_LABELS), { maxKeys: 60 }),
  noExport: fc.boolean(),
  hop: fc.option(fc.constantFrom('198.51.100.1', '198.51.100.2')),
  hopLabel: fc.constantFrom(...ALL_LABELS),
});
const someSettings = fc.record({
  labels: fc.option(fc.subarray(ALL_LABELS)),
  nextHop: fc.option(fc.constantFrom('203.0.113.1', '203.0.113.2'), { freq: 4 }),
  self: fc.option(fc.constant('2001:db8::9'), { freq: 6 }),
});

describe('a feed', () => {
  it('leaves the peer with exactly what it is to receive, after any steps', () => {
    const step = fc.record({ routes: someRoutes, settings: fc.option(someSettings), chunks: fc.nat(3) });
    fc.assert(
      fc.property(someSettings, fc.array(step, { minLength: 1, maxLength: 6 }), (first, steps) => {
        let settings = settingsOf(first);
        let feed: Feed | null = null;
        let model: RoutesModel | null = null;
        const peer = new Listener();
        for (const { routes, settings: next, chunks } of steps) {
          const table = tableOf(routes.routes);
          const base = routesModel(table, { noExport: routes.noExport });
          const own = { community: routes.hopLabel, nextHopIpv4: routes.hop, nextHopIpv6: null };
          model = { ...base, labels: { ...base.labels, [routes.hopLabel]: own } };
          if (feed === null) feed = feedOf(new RoutesVersion(model), settings);
          else feed.offer(new RoutesVersion(model));
          if (next !== null) feed.reconfigure((settings = settingsOf(next)));
          // Cut short now and then: the next routes then come while the peer is still being sent these.
          peer.drain(feed, chunks === 0 ? Infinity : chunks);
        }
        peer.drain(feed!);
        expect(peer.routes).toEqual(expected(model!, settings));
        expect(feed!.exported).toBe(peer.routes.size);
        expect(peer.ended).toEqual(['ipv4', 'ipv6']);
      }),
      { numRuns: times(500) },
    );
  });

  it('sends only the difference, announcements first', () => {
    const before = tableOf({
      '10.0.0.0/8': ['65000:1'],
      '10.1.0.0/16': ['65000:1'],
      '10.2.0.0/16': ['65000:2'],
    });
    const after = tableOf({
      '10.0.0.0/8': ['65000:1'],
      '10.2.0.0/16': ['65000:3'],
      '10.3.0.0/16': ['65000:2'],
    });
    const feed = feedOf(version(before));
    const peer = new Listener().drain(feed);
    peer.forget();
    feed.offer(version(after));
    const order: string[] = [];
    for (let chunk = feed.next(); chunk !== null; chunk = feed.next()) {
      const step = new Listener();
      step.read(chunk.octets);
      order.push(
        ...step.announced.map((prefix) => `+${prefix}`),
        ...step.withdrawn.map((prefix) => `-${prefix}`),
      );
    }
    expect(order).toEqual(['+10.3.0.0/16', '+10.2.0.0/16', '-10.1.0.0/16']);
  });

  it('says nothing when equal routes come in another revision', () => {
    const feed = feedOf(version(bigTable(100, LABELS)));
    const peer = new Listener().drain(feed);
    peer.forget();
    feed.offer(version(bigTable(100, LABELS)));
    peer.drain(feed);
    expect([...peer.announced, ...peer.withdrawn]).toEqual([]);
  });

  it('announces again what now means something else, and nothing more', () => {
    const table = tableOf({ '10.1.0.0/16': ['65000:1'], '10.2.0.0/16': ['65000:2'] });
    const feed = feedOf(version(table));
    const peer = new Listener().drain(feed);
    peer.forget();
    const labels = { '65000:2': { community: '65000:2', nextHopIpv4: '198.51.100.7', nextHopIpv6: null } };
    feed.offer(version(table, { labels }));
    peer.drain(feed);
    expect(peer.announced).toEqual(['10.2.0.0/16']);
    expect(peer.routes.get('10.2.0.0/16')).toContain('198.51.100.7');
  });

  it('skips routes that came and went while the peer was busy', () => {
    const feed = feedOf(version(bigTable(60_000, LABELS.slice(0, 1))));
    const peer = new Listener().drain(feed, 5);
    feed.offer(version(bigTable(60_000, LABELS.slice(1, 2))));
    feed.offer(version(bigTable(10, LABELS.slice(2, 3))));
    expect(feed.versions).toHaveLength(1);
    peer.drain(feed);
    expect(peer.routes.size).toBe(10);
    expect([...peer.routes.values()].some((route) => route.includes(String(65_000 * 65_536 + 2)))).toBe(
      false,
    );
  });

  it('sends a family again when asked, as it stands', () => {
    const table = tableOf({ '10.0.0.0/8': ['65000:1'], '2001:db8::/32': ['65000:1'] });
    const feed = feedOf(version(table));
    const peer = new Listener().drain(feed);
    peer.forget();
    feed.refresh('ipv6');
    peer.drain(feed);
    expect(peer.announced).toEqual(['2001:db8::/32']);
    expect(feed.exported).toBe(2);
  });

  it('sends it once for all that asked before it began, however many', () => {
    const feed = feedOf(version(bigTable(5_000, LABELS)));
    const peer = new Listener().drain(feed);
    peer.forget();
    for (let n = 0; n < 1_000; n++) feed.refresh('ipv4');
    peer.drain(feed);
    const once = peer.announced.length;
    expect(new Set(peer.announced).size).toBe(once);
    // And once more for all that ask while it sends.
    peer.forget();
    feed.refresh('ipv4');
    feed.next();
    for (let n = 0; n < 1_000; n++) feed.refresh('ipv4');
    peer.drain(feed);
    expect(peer.announced.length).toBeLessThanOrEqual(2 * once);
  });

  it('keeps what the peer has when there is more than it takes', () => {
    const limited = { ...everything, maxPrefixes: 10 };
    const feed = feedOf(version(bigTable(10, LABELS)), limited);
    const peer = new Listener().drain(feed);
    const tooMuch = version(bigTable(11, LABELS, 4));
    feed.offer(tooMuch);
    expect(feed.settled(tooMuch.number)).toBe(false);
    peer.drain(feed);
    expect(peer.routes.size).toBe(6);
    expect(feed.settled(tooMuch.number)).toBe(true);
    expect(feed.problem).toContain(
      '11 routes are more than max_prefixes_out 10: the peer keeps the 6 it has',
    );
    feed.offer(version(bigTable(9, LABELS, 100)));
    peer.drain(feed);
    expect(peer.routes.size).toBe(9);
    expect(feed.problem).toBeNull();
  });

  it('keeps of what the peer has exactly what is still announced, as it is announced now', () => {
    const prefixes = Array.from({ length: 9 }, (_, i) =>
      i % 3 === 0 ? `2001:db8:${i}::/48` : `10.${i}.0.0/16`,
    );
    const routesOf = fc.array(
      fc.record({ prefix: fc.constantFrom(...prefixes), label: fc.constantFrom(...LABELS) }),
    );
    const limit = 4;
    fc.assert(
      fc.property(
        fc.array(routesOf, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 0, max: 8 }),
        (lists, end) => {
          const settings = { ...everything, maxPrefixes: limit };
          let feed = feedOf(version(tableOf({})), settings);
          let peer = new Listener().drain(feed);
          let has: Record<string, readonly string[]> = {};
          for (const [step, list] of lists.entries()) {
            const wanted = Object.fromEntries(list.map(({ prefix, label }) => [prefix, [label]] as const));
            const isMore = Object.keys(wanted).length > limit;
            has = isMore
              ? Object.fromEntries(Object.entries(wanted).filter(([prefix]) => prefix in has))
              : wanted;
            const routes = version(tableOf(wanted));
            // A session that ends in between goes on with what the last one had.
            if (step === end) {
              const { kept } = feed;
              feed = new Feed(negotiated, 64_512, settings, routes, kept);
              peer = new Listener();
              if (isMore && kept === null) has = {};
            } else feed.offer(routes);
            peer.drain(feed);
            expect(peer.routes).toEqual(expected(routesModel(tableOf(has)), settings));
            expect(feed.settled(routes.number)).toBe(true);
            expect(feed.exported).toBe(peer.routes.size);
            expect(feed.problem === null).toBe(!isMore);
          }
        },
      ),
      { numRuns: times(300) },
    );
  });

  it('never sends more than the peer takes, not even while routes come and go', () => {
    const both = (count: number, first: number): PrefixTable => {
      const builder = new PrefixTableBuilder();
      for (let i = first; i < first + count; i++) {
        builder.add('ipv4', [(0x10000000 + i * 256) >>> 0], 24, LABELS[0]!);
        builder.add('ipv6', [0x20010db8, i, 0, 0], 64, LABELS[0]!);
      }
      return builder.build();
    };
    const feed = feedOf(version(both(50, 0)), { ...everything, maxPrefixes: 105 });
    const peer = new Listener().drain(feed);
    for (const [count, first] of [
      [50, 50],
      [52, 70],
      [10, 122],
      [52, 60],
    ] as const) {
      feed.offer(version(both(count, first)));
      peer.forget();
      peer.drain(feed);
      expect(peer.routes.size).toBe(2 * count);
      expect(feed.exported).toBe(2 * count);
      expect(peer.announced.some((prefix) => peer.withdrawn.includes(prefix))).toBe(false);
    }
    expect(peer.most).toBeLessThanOrEqual(105);
  });

  it('does not end a table that it was not allowed to send: a peer keeps stale routes until End-of-RIB', () => {
    const peer = new Listener().drain(
      feedOf(version(bigTable(11, LABELS)), { ...everything, maxPrefixes: 10 }),
    );
    expect(peer.ended).toEqual([]);
    expect(peer.routes.size).toBe(0);
  });

  it.each([[[LABELS[0]!]], [LABELS]])(
    'sends a BIRD the same routes in its own order: labels %j',
    (labels) => {
      const table = bigTable(70_000, labels);
      const other = new Listener().drain(feedOf(version(table)));
      const bird = new Listener().drain(
        feedOf(version(table), { ...everything, exports: { ...everything.exports, isBird: true } }),
      );
      expect(bird.routes).toEqual(other.routes);
      expect(bird.announced).toHaveLength(70_000);
      expect(bird.announced).not.toEqual(other.announced);
    },
  );

  it('takes back a route whose communities fill more than a message: the peer would keep it with those of before', () => {
    const many = (count: number): string[] => Array.from({ length: count }, (_, i) => `65000:7:${i}`);
    const routes = (count: number): PrefixTable =>
      tableOf({ '10.0.0.0/8': many(count), '10.1.0.0/16': ['65000:1'], '2001:db8::/32': many(count) });
    const feed = feedOf(version(routes(330)));
    const peer = new Listener().drain(feed);
    expect(peer.routes.size).toBe(3);
    feed.offer(version(routes(340)));
    peer.drain(feed);
    expect([...peer.routes.keys()]).toEqual(['10.1.0.0/16']);
    expect(feed.exported).toBe(1);
    const problem =
      '1 IPv4 route is not sent: its communities fill more than a message of 4096 octets; send the peer fewer communities; ' +
      '1 IPv6 route is not sent: its communities fill more than a message of 4096 octets; send the peer fewer communities';
    expect(feed.problem).toBe(problem);
    feed.refresh('ipv4');
    peer.drain(feed);
    expect(feed.problem).toBe(problem);
    feed.offer(version(routes(329)));
    peer.drain(feed);
    expect(peer.routes.size).toBe(3);
    expect(feed.exported).toBe(3);
    expect(feed.problem).toBeNull();
  });

  it('reports routes without a next hop', () => {
    const exports = { ...everything.exports, self: { ipv4: '192.0.2.9', ipv6: null } };
    const feed = feedOf(version(tableOf({ '10.0.0.0/8': [], '2001:db8::/32': [] })), {
      exports,
      maxPrefixes: null,
    });
    expect([...new Listener().drain(feed).routes.keys()]).toEqual(['10.0.0.0/8']);
    expect(feed.problem).toContain('set next_hop_ipv6 of the peer or local_ipv6 of the speaker');
  });
});

function settingsOf(changes: {
  labels: string[] | null;
  nextHop: string | null;
  self: string | null;
}): FeedSettings {
  return {
    exports: {
      labels: changes.labels,
      nextHop: { ipv4: changes.nextHop, ipv6: null },
      self: { ipv4: '192.0.2.9', ipv6: changes.self },
      isBird: false,
    },
    maxPrefixes: null,
  };
}
