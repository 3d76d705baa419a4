import { describe, expect, test } from 'vitest';
import { formatPrefixAt, type PrefixTable } from '../../src/core/tables/prefix-table.ts';
import { FAMILIES } from '../../src/core/address.ts';
import { barRoutes, limitPeers, limitProblem } from '../../src/speakers/limited-peers.ts';
import type { PeerModel, RoutesModel } from '../../src/speakers/speaker.ts';
import { peerModel, routesModel, speakerModel, tableOf } from './builtin/models.ts';

const before = routesModel(
  tableOf({ '11.0.0.0/8': ['65000:1'], '12.0.0.0/8': ['65000:2'], '2001:db8:1::/48': ['65000:1'] }),
  { revisionId: 'before' },
);
const after = routesModel(
  tableOf({
    ...{ '11.0.0.0/8': ['65000:1'], '12.0.0.0/8': ['65000:1'], '13.0.0.0/8': ['65000:1'] },
    ...{ '2001:db8:1::/48': ['65000:1'], '2001:db8:2::/48': ['65000:1'], '14.0.0.0/8': [] },
  }),
  { revisionId: 'after' },
);

const peer = (id: string, more: Partial<PeerModel> = {}): PeerModel =>
  peerModel({
    id,
    name: id,
    address: '192.0.2.1',
    families: ['ipv4', 'ipv6'],
    nextHopIpv6: '2001:db8::1',
    ...more,
  });

/** Prefixes that carry a bar, each with how many. */
function barred({ table }: { readonly table: PrefixTable }): Record<string, number> {
  return Object.fromEntries(
    FAMILIES.flatMap((family) =>
      Array.from(table[family].labels, (set, row) => {
        const bars = table.labelSets[set]!.filter((label) => label.startsWith('4294967295:65534:'));
        return [formatPrefixAt(table[family], row), bars.length] as const;
      }).filter(([, count]) => count > 0),
    ),
  );
}

function brought(
  peers: readonly PeerModel[],
  old: readonly PeerModel[] = peers,
  routes = after,
): RoutesModel {
  const model = speakerModel(peers);
  return barRoutes(model, limitPeers(model, routes, { routes: before, peers: old }));
}

describe('routes that are too many for a peer', () => {
  test('are as they were where nobody has a limit, or it is kept', () => {
    expect(brought([peer('a'), peer('b', { maxPrefixesOut: 6 })])).toEqual(after);
  });

  test('carry a bar of that peer where it does not hold them, whatever else they carry', () => {
    expect(barred(brought([peer('a', { maxPrefixesOut: 5 })]))).toEqual({
      ...{ '13.0.0.0/8': 1, '14.0.0.0/8': 1, '2001:db8:2::/48': 1 },
    });
  });

  test('carry none where they have taken the place of what it holds: merged with a neighbour, or a part of it', () => {
    const merged = routesModel(
      tableOf({
        ...{ '10.0.0.0/7': ['65000:1'], '12.0.0.0/9': ['65000:2'], '13.0.0.0/8': ['65000:1'] },
        '2001:db8:1::/48': ['65000:1'],
      }),
    );
    expect(barred(brought([peer('a', { maxPrefixesOut: 3 })], undefined, merged))).toEqual({
      '13.0.0.0/8': 1,
    });
    // No more than it held: of the parts, the largest.
    const split = routesModel(
      tableOf({
        ...{ '11.0.0.0/16': ['65000:1'], '11.2.0.0/15': ['65000:1'], '11.4.0.0/16': ['65000:1'] },
        ...{ '12.0.0.0/8': ['65000:2'], '2001:db8:1::/48': ['65000:1'] },
      }),
    );
    expect(barred(brought([peer('a', { maxPrefixesOut: 3 })], undefined, split))).toEqual({
      ...{ '11.0.0.0/16': 1, '11.4.0.0/16': 1 },
    });
  });

  test('carry the bar of each peer that does not hold them: a new one holds nothing', () => {
    const limit = { maxPrefixesOut: 3 };
    const [old, fresh] = [peer('old', limit), peer('new', limit)];
    expect(barred(brought([old, fresh], [old]))).toEqual({
      ...{ '11.0.0.0/8': 1, '12.0.0.0/8': 1, '13.0.0.0/8': 2, '14.0.0.0/8': 2 },
      ...{ '2001:db8:1::/48': 1, '2001:db8:2::/48': 2 },
    });
  });

  test('are those that it was not sent when it was to be sent fewer communities and families', () => {
    const narrow = peer('a', { labels: ['65000:1'], families: ['ipv4'] });
    const wide = peer('a', { maxPrefixesOut: 2 });
    expect(barred(brought([wide], [narrow], before))).toEqual({ '12.0.0.0/8': 1, '2001:db8:1::/48': 1 });
  });

  test('are reported from what the peer held when it was sent all of it last, until they fit', () => {
    const model = speakerModel([peer('a', { maxPrefixesOut: 3 })]);
    const { peers } = model;
    const once = limitPeers(model, after, { routes: before, peers });
    const twice = limitPeers(model, { ...after, revisionId: 'later' }, { routes: once, peers });
    expect(twice.limited).toMatchObject([{ peerId: 'a', held: { revisionId: 'before' } }]);
    expect(limitPeers(model, before, { routes: twice, peers }).limited).toBeUndefined();
  });

  test('do not count for a peer that was reverted, and it holds what it was reverted to', () => {
    const [all, none] = [
      { ...after, reverted: [{ peerIds: ['a'], routes: before }] },
      { ...after, revisionId: 'later' },
    ];
    const model = speakerModel([peer('a', { maxPrefixesOut: 3 })]);
    const { peers } = model;
    expect(limitPeers(model, all, { routes: before, peers }).limited).toBeUndefined();
    expect(limitPeers(model, none, { routes: all, peers }).limited).toMatchObject([
      { peerId: 'a', held: { revisionId: 'before' } },
    ]);
  });

  test('stay known of a peer that was reverted to more than it holds', () => {
    const model = speakerModel([peer('a', { maxPrefixesOut: 3 })]);
    const { peers } = model;
    const once = limitPeers(model, after, { routes: before, peers });
    const reverted = { ...before, revisionId: 'third', reverted: [{ peerIds: ['a'], routes: after }] };
    const { limited } = limitPeers(model, reverted, { routes: once, peers });
    expect(limited).toMatchObject([{ peerId: 'a', held: { revisionId: 'before' } }]);
  });

  test('are refused where nobody knows what the peer holds', () => {
    const model = speakerModel([peer('a', { maxPrefixesOut: 3 })]);
    expect(() => limitPeers(model, after, null)).toThrow('the peer a would be sent 6 routes');
  });

  test('are said of a session to be too many, with what keeps a cover of them from the peer', () => {
    const [keeping, fitting, free] = [
      peer('keeping', { maxPrefixesOut: 5 }),
      peer('fitting', { maxPrefixesOut: 2, fits: true }),
      peer('free'),
    ];
    const unfitted = [
      { peerId: 'fitting', reason: 'a cover would add 9 % of its own', held: null, cost: null },
    ];
    const model = speakerModel([keeping, fitting, free]);
    const routes = barRoutes(model, limitPeers(model, { ...after, unfitted }, { routes: before, peers: [] }));
    const keeps = 'so it keeps of those that it has what is still announced';
    expect(limitProblem(keeping, routes)).toBe(
      `its routes are more than max_prefixes_out 5, ${keeps}: raise max_prefixes_out, or send the peer fewer communities`,
    );
    expect(limitProblem(fitting, routes)).toBe(
      `its routes are more than max_prefixes_out 2, ${keeps}: a cover would add 9 % of its own`,
    );
    expect(limitProblem(free, routes)).toBeNull();
  });
});
