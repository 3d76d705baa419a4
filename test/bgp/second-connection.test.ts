// What is reported of a session that has a second connection beside it, which any program on the peer's machine can open.
import { expect, it } from 'vitest';
import { encodeKeepalive } from '../../src/bgp/message.ts';
import { administrativeShutdown, encodeNotification } from '../../src/bgp/notification.ts';
import { encodeOpen } from '../../src/bgp/open.ts';
import type { OpenMessage } from '../../src/bgp/open.ts';
import { Session } from '../../src/bgp/session.ts';
import type { Action } from '../../src/bgp/session.ts';

const theirs: OpenMessage = {
  ...{ asn: 65_002, holdTime: 90, identifier: 2 },
  capabilities: {
    ...{ families: ['ipv4'], fourOctetAs: 65_002, routeRefresh: false },
    ...{ extendedMessage: false, gracefulRestart: null },
  },
};

function make(passive: boolean): Session {
  const settings = { localAsn: 65_001, remoteAsn: 65_002, identifier: 1, families: ['ipv4'] as const };
  const session = new Session({ ...settings, holdTime: 90, restartTime: null, passive }, false, () => 1);
  session.start();
  return session;
}

/** An established session on connection 1, beside which connection 2 was opened. */
function crowded(): Session {
  const session = make(true);
  session.connected(1, 'incoming', 0);
  session.received(1, encodeOpen(theirs), 0);
  session.received(1, encodeKeepalive(), 0);
  expect(session.state).toBe('established');
  session.connected(2, 'incoming', 1_000);
  return session;
}

const errors = (actions: readonly Action[]): string[] =>
  actions.flatMap((action) => (action.type === 'error' ? [action.text] : []));

it('noise on it is no error of the session', () => {
  const session = crowded();
  expect(errors(session.received(2, new Uint8Array(19), 2_000))).toEqual([]);
  expect(session.state).toBe('established');
});

it('silence on it hides no reason why the session ended', () => {
  const bye = encodeNotification(administrativeShutdown('moving racks'));
  expect(errors(crowded().received(1, bye, 2_000))).toEqual([
    'the peer sent Cease, Administrative Shutdown: "moving racks"',
  ]);
  expect(errors(crowded().disconnected(1, 'the peer reset the connection', 2_000))).toEqual([
    'the peer reset the connection',
  ]);
});

const hasCalled = (actions: readonly Action[]): boolean => actions.some(({ type }) => type === 'connect');

it('a caller who says nothing keeps nobody from being called', () => {
  const session = make(false);
  session.connectFailed('refused', 0);
  session.connected(2, 'incoming', 500);
  expect(hasCalled(session.expire(1_000))).toBe(true);
  session.connectFailed('refused', 1_000);
  expect(hasCalled(session.expire(3_000))).toBe(true);
  expect(session.state).toBe('open_sent');
});

it('callers who hang up at once, over and over, do not either', () => {
  const session = make(false);
  session.connectFailed('refused', 0);
  for (let id = 2, now = 100; now < 1_000; id++, now += 100) {
    session.connected(id, 'incoming', now);
    session.disconnected(id, 'the peer closed the connection', now + 10);
  }
  expect(hasCalled(session.expire(1_000))).toBe(true);
});

it('one who says who it is makes a call needless', () => {
  const session = make(false);
  session.connectFailed('refused', 0);
  session.connected(2, 'incoming', 500);
  session.received(2, encodeOpen(theirs), 600);
  expect(hasCalled(session.expire(1_000))).toBe(false);
  session.disconnected(2, 'reset', 1_100);
  expect(hasCalled(session.expire(session.deadline))).toBe(true);
});
