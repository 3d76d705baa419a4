import { expect, it } from 'vitest';
import { encodeKeepalive } from '../../src/bgp/message.ts';
import { encodeOpen } from '../../src/bgp/open.ts';
import { encodeRouteRefresh } from '../../src/bgp/route-refresh.ts';
import { Session } from '../../src/bgp/session.ts';

it('a flood of refresh requests is passed on as one for each family, and the next one again', () => {
  const session = new Session(
    {
      ...{ localAsn: 65_001, remoteAsn: 65_002, identifier: 0x0a000001, families: ['ipv4', 'ipv6'] },
      ...{ holdTime: 90, restartTime: null, passive: false },
    },
    false,
    () => 1,
  );
  session.start();
  session.connected(1, 'outgoing', 0);
  const capabilities = {
    families: ['ipv4', 'ipv6'] as const,
    ...{ fourOctetAs: 65_002, routeRefresh: true, extendedMessage: false, gracefulRestart: null },
  };
  session.received(1, encodeOpen({ asn: 65_002, holdTime: 30, identifier: 0x0a000002, capabilities }), 0);
  session.received(1, encodeKeepalive(), 0);
  const both = [encodeRouteRefresh('ipv4'), encodeRouteRefresh('ipv6')];
  const flood = Buffer.concat(Array.from({ length: 1_000 }, () => both).flat());
  const expected = [
    { type: 'refresh', family: 'ipv4' },
    { type: 'refresh', family: 'ipv6' },
  ];
  expect(session.received(1, flood, 0)).toEqual(expected);
  expect(session.received(1, Buffer.concat(both), 0)).toEqual(expected);
});
