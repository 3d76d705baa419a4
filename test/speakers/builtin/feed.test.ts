import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Feed, FeedSettings } from '../../../src/speakers/builtin/feed.ts';
import { RoutesVersion } from '../../../src/speakers/routes-version.ts';
import type { RoutesModel } from '../../../src/speakers/speaker.ts';
import { times } from '../../fuzz.ts';
import { everything, expected, feedOf, LABELS, version } from './feeds.ts';
import { Listener } from './listener.ts';
import { bigTable, routesModel, tableOf } from './models.ts';

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
