import { beforeEach, describe, expect, it } from 'vitest';
import { encodeKeepalive } from '../../src/bgp/message.ts';
import type { SessionSettings } from '../../src/bgp/negotiation.ts';
import {
  BgpError,
  CeaseSubcode,
  administrativeShutdown,
  encodeNotification,
} from '../../src/bgp/notification.ts';
import { decodeOpen, encodeOpen } from '../../src/bgp/open.ts';
import type { OpenMessage } from '../../src/bgp/open.ts';
import { encodeRouteRefresh } from '../../src/bgp/route-refresh.ts';
import type { Session } from '../../src/bgp/session.ts';
import { establish, make, settings, theirs, words } from './sessions.ts';

describe('a session that is called out', () => {
  it('goes through the states of RFC 4271', () => {
    const session = make();
    expect(session.state).toBe('idle');
    expect(words(session.start())).toEqual(['connect']);
    expect(session.state).toBe('connect');
    expect(words(session.connected(1, 'outgoing', 0))).toEqual(['1 open']);
    expect(session.state).toBe('open_sent');
    expect(words(session.received(1, encodeOpen(theirs), 10))).toEqual(['1 keepalive']);
    expect(session.state).toBe('open_confirm');
    const up = session.received(1, encodeKeepalive(), 20);
    expect(words(up)).toEqual(['1 established']);
    expect(session.state).toBe('established');
    expect(up[0]).toMatchObject({
      negotiated: {
        external: true,
        holdTime: 30,
        maxMessage: 4_096,
        families: ['ipv4', 'ipv6'],
        gracefulNotification: true,
      },
    });
  });

  it('calls again after a failure, later each time, up to a minute', () => {
    const session = make();
    session.start();
    const pauses: number[] = [];
    let now = 0;
    for (let i = 0; i < 9; i++) {
      expect(words(session.connectFailed('refused', now))).toEqual(['error refused']);
      expect(session.state).toBe('active');
      pauses.push((session.deadline - now) / 1_000);
      now = session.deadline;
      expect(words(session.expire(now))).toEqual(['connect']);
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  it('starts counting failures again after a session that lasted', () => {
    const session = make();
    establish(session);
    session.disconnected(1, 'reset', 31_000);
    expect(session.deadline - 31_000).toBe(1_000);
  });

  it('calls a peer later each time that ends session after session, as one with too few prefixes to spare does', () => {
    const session = make();
    const cease = encodeNotification(new BgpError(6, CeaseSubcode.maximumPrefixes));
    const pauses: number[] = [];
    let now = 0;
    for (let time = 1; time <= 8; time++) {
      establish(session, now);
      // It takes the routes, and has had enough of them three seconds later.
      session.received(1, cease, (now += 3_000));
      session.disconnected(1, 'closed', now);
      pauses.push((session.deadline - now) / 1_000);
      now = session.deadline;
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  });

  it('reports a connection that ended early', () => {
    const session = make();
    session.start();
    session.connected(1, 'outgoing', 0);
    expect(words(session.disconnected(1, 'the peer closed the connection', 5))).toEqual([
      'error the peer closed the connection before the session was up',
      '1 close',
    ]);
  });

  it('sets the R bit until the first session stands, and the F bits always', () => {
    const session = make();
    session.start();
    const offer = (id: number, at: number): OpenMessage => {
      const [action] = session.connected(id, 'outgoing', at);
      if (action?.type !== 'send') throw new Error('no OPEN');
      return decodeOpen(action.octets.subarray(19));
    };
    expect(offer(1, 0).capabilities.gracefulRestart).toMatchObject({ restarting: true, restartTime: 120 });
    session.received(1, encodeOpen(theirs), 0);
    session.received(1, encodeKeepalive(), 0);
    session.disconnected(1, 'reset', 1);
    session.expire(session.deadline);
    expect(offer(2, 5_000).capabilities.gracefulRestart).toMatchObject({
      restarting: false,
      families: [
        { family: 'ipv4', forwarding: true },
        { family: 'ipv6', forwarding: true },
      ],
    });
  });
});

describe('timers', () => {
  let session: Session;
  beforeEach(() => {
    session = make();
    establish(session);
  });

  it('keepalives go out every third of the negotiated hold time', () => {
    expect(session.deadline).toBe(10_000);
    expect(words(session.expire(10_000))).toEqual(['1 keepalive']);
    expect(session.deadline).toBe(20_000);
  });

  it('a silent peer is sent Hold Timer Expired', () => {
    session.expire(10_000);
    session.expire(20_000);
    session.expire(29_999);
    expect(words(session.expire(30_000))).toEqual([
      'error sent Hold Timer Expired: the peer was silent for 30 s',
      '1 Hold Timer Expired',
      '1 close',
      'down',
    ]);
    expect(session.state).toBe('active');
  });

  it('anything the peer says starts the hold time again', () => {
    session.received(1, encodeKeepalive(), 29_000);
    expect(words(session.expire(30_000))).toEqual(['1 keepalive']);
    expect(session.state).toBe('established');
  });

  it('a peer that reads nothing is let go (RFC 9687)', () => {
    session.stalled(1, 0);
    for (let now = 5_000; now < 480_000; now += 5_000) {
      session.received(1, encodeKeepalive(), now);
      session.expire(now);
    }
    expect(session.state).toBe('established');
    expect(words(session.expire(480_000))).toContain('1 Send Hold Timer Expired');
  });

  it('a peer that reads slowly is not', () => {
    session.stalled(1, 0);
    session.progressed(1);
    session.received(1, encodeKeepalive(), 479_999);
    session.expire(480_000);
    expect(session.state).toBe('established');
  });

  it('hold time 0 means none', () => {
    const other = make({ holdTime: 0 });
    establish(other);
    expect(other.deadline).toBe(Infinity);
  });

  it('hold time 0 is no leave to fall silent before the session is up', () => {
    const other = make({ holdTime: 0 });
    other.start();
    other.connected(1, 'outgoing', 0);
    other.received(1, encodeOpen(theirs), 1_000);
    expect(other.state).toBe('open_confirm');
    expect(words(other.expire(other.deadline))).toEqual([
      'error sent Hold Timer Expired: the peer was silent for 240 s',
      '1 Hold Timer Expired',
      '1 close',
    ]);
    expect(words(other.expire(other.deadline))).toEqual(['connect']);
  });
});

describe('refusals', () => {
  const refusal = (changes: Partial<OpenMessage>, ours: Partial<SessionSettings> = {}): string[] => {
    const session = make(ours);
    session.start();
    session.connected(1, 'outgoing', 0);
    return words(session.received(1, encodeOpen({ ...theirs, ...changes }), 0));
  };

  it('of another AS name both numbers', () => {
    expect(refusal({ asn: 65_003, capabilities: { ...theirs.capabilities, fourOctetAs: 65_003 } })).toEqual([
      'error sent OPEN Message Error, Bad Peer AS: the peer says AS 65003, configured is AS 65002',
      '1 OPEN Message Error, Bad Peer AS',
      '1 close',
    ]);
  });

  it('of a peer without a shared family name both sides', () => {
    const [text] = refusal(
      { capabilities: { ...theirs.capabilities, families: ['ipv4'] } },
      { families: ['ipv6'] },
    );
    expect(text).toContain('no shared address family: this speaker offers ipv6, the peer ipv4');
  });

  it('of a twin in the same AS report the remedy', () => {
    const capabilities = { ...theirs.capabilities, fourOctetAs: 65_001 };
    const [text] = refusal(
      { asn: 65_001, identifier: settings.identifier, capabilities },
      { remoteAsn: 65_001 },
    );
    expect(text).toContain('another router id');
  });

  it('of a message at the wrong time are state machine errors', () => {
    const session = make();
    session.start();
    session.connected(1, 'outgoing', 0);
    expect(words(session.received(1, encodeKeepalive(), 0))[1]).toContain('Unexpected in OpenSent');
    establish((session.stop(null), session));
    expect(words(session.received(1, encodeOpen(theirs), 0))).toContain(
      '1 Finite State Machine Error, Unexpected in Established',
    );
  });
});

describe('the end of a session', () => {
  it('in peace is Cease, hard where the peer would keep the routes (RFC 8538)', () => {
    const session = make();
    establish(session);
    expect(words(session.stop(administrativeShutdown('bye')))).toEqual([
      '1 Cease, Hard Reset (Cease, Administrative Shutdown: "bye")',
      '1 close',
      'down',
    ]);
    expect(session.state).toBe('idle');
    expect(words(session.connected(2, 'incoming', 0))).toEqual(['2 Cease, Connection Rejected', '2 close']);
  });

  it('for a restart is silent', () => {
    const session = make();
    establish(session);
    expect(words(session.stop(null))).toEqual(['1 close', 'down']);
  });

  it('by the peer keeps its words', () => {
    const session = make();
    establish(session);
    const said = words(session.received(1, encodeNotification(administrativeShutdown('moving racks')), 5));
    expect(said).toEqual([
      'error the peer sent Cease, Administrative Shutdown: "moving racks"',
      '1 close',
      'down',
    ]);
  });
});

it('passes refresh requests on for shared families only', () => {
  const session = make({ families: ['ipv4'] });
  establish(session);
  expect(session.received(1, encodeRouteRefresh('ipv4'), 0)).toEqual([{ type: 'refresh', family: 'ipv4' }]);
  expect(session.received(1, encodeRouteRefresh('ipv6'), 0)).toEqual([]);
});
