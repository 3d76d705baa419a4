/** An apply lets a speaker call peers at once that it would call again much later, and no peer for each of many applies. */
import { expect, it } from 'vitest';
import { encodeKeepalive } from '../../src/bgp/message.ts';
import { encodeOpen } from '../../src/bgp/open.ts';
import { Session } from '../../src/bgp/session.ts';

function make(passive = false): Session {
  const settings = { localAsn: 65_001, remoteAsn: 65_002, identifier: 1, families: ['ipv4'] as const };
  const session = new Session({ ...settings, holdTime: 90, restartTime: null, passive }, false, () => 1);
  session.start();
  return session;
}

const CALL = [{ type: 'connect' }];

it('calls at once where the pause is long, and once a minute', () => {
  const session = make();
  let now = 0;
  const fail = (): void => void session.connectFailed('refused', now);
  const callAgain = (): void => {
    now = session.deadline;
    expect(session.expire(now)).toEqual(CALL);
  };
  for (const pause of [1_000, 2_000, 4_000]) {
    fail();
    expect(session.deadline - now).toBe(pause);
    expect(session.hurry(now)).toEqual([]);
    callAgain();
  }
  fail();
  expect(session.deadline - now).toBe(8_000);
  expect(session.hurry(now)).toEqual(CALL);
  fail();
  expect(session.deadline - now).toBe(16_000);
  expect(session.hurry(now + 1_000)).toEqual([]);
  callAgain();
  while (now < 67_000) {
    fail();
    callAgain();
  }
  fail();
  expect(session.hurry(now)).toEqual(CALL);
});

it('says when it calls next, and nothing while it calls, or waits for a call', () => {
  const session = make();
  expect(session.nextAttempt).toBe(Infinity);
  session.connectFailed('refused', 5_000);
  expect(session.nextAttempt).toBe(6_000);
  session.expire(6_000);
  expect(session.nextAttempt).toBe(Infinity);
  expect(make(true).nextAttempt).toBe(Infinity);
});

it('calls no peer whose calls it waits for, and none that is connected', () => {
  expect(make(true).hurry(100_000)).toEqual([]);
  const session = make();
  session.connected(1, 'outgoing', 0);
  const capabilities = {
    ...{ families: ['ipv4'] as const, fourOctetAs: 65_002, routeRefresh: false },
    ...{ extendedMessage: false, gracefulRestart: null },
  };
  session.received(1, encodeOpen({ asn: 65_002, holdTime: 90, identifier: 2, capabilities }), 0);
  session.received(1, encodeKeepalive(), 0);
  expect(session.state).toBe('established');
  expect(session.hurry(100_000)).toEqual([]);
});
