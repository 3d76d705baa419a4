import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PrefixTableBuilder, type PrefixTable } from '../../../src/core/tables/prefix-table.ts';
import { Feed } from '../../../src/speakers/builtin/feed.ts';
import { times } from '../../fuzz.ts';
import { everything, expected, feedOf, LABELS, version } from './feeds.ts';
import { Listener, negotiated } from './listener.ts';
import { bigTable, routesModel, tableOf } from './models.ts';

describe('a feed of more than the peer takes', () => {
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
});
