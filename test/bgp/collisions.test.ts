/** Two connections of one peer at once: which of them goes on. */
import { describe, expect, it } from 'vitest';
import { encodeKeepalive } from '../../src/bgp/message.ts';
import { BgpError, CeaseSubcode, encodeNotification } from '../../src/bgp/notification.ts';
import { encodeOpen } from '../../src/bgp/open.ts';
import type { Session } from '../../src/bgp/session.ts';
import { establish, make, theirs, words } from './sessions.ts';

describe('two connections at once (RFC 4271 section 6.8)', () => {
  const both = (session: Session): void => {
    session.start();
    session.connected(1, 'outgoing', 0);
    session.connected(2, 'incoming', 0);
    session.received(1, encodeOpen(theirs), 0);
  };

  it('keep the call of the side with the higher identifier: theirs', () => {
    const session = make();
    both(session);
    expect(words(session.received(2, encodeOpen(theirs), 0))).toEqual([
      '1 Cease, Connection Collision Resolution',
      '1 close',
      '2 keepalive',
    ]);
    expect(words(session.received(2, encodeKeepalive(), 0))).toEqual(['2 established']);
  });

  it('keep the call of the side with the higher identifier: ours', () => {
    const session = make({ identifier: 0x0a000003 });
    both(session);
    expect(words(session.received(2, encodeOpen(theirs), 0))).toEqual([
      '2 Cease, Connection Collision Resolution',
      '2 close',
    ]);
    expect(session.state).toBe('open_confirm');
  });

  it('are no failure when the peer closes the one that loses', () => {
    const session = make();
    both(session);
    const notice = encodeNotification(new BgpError(6, CeaseSubcode.collision));
    expect(words(session.received(2, notice, 0))).toEqual(['2 close']);
    expect(words(session.received(1, encodeKeepalive(), 0))).toEqual(['1 established']);
  });

  it('a second call on an established session is refused', () => {
    const session = make();
    establish(session);
    session.connected(2, 'incoming', 1_000);
    expect(words(session.received(2, encodeOpen(theirs), 1_000))).toEqual([
      '2 Cease, Connection Collision Resolution',
      '2 close',
    ]);
  });

  it('unless a peer with graceful restart has come back', () => {
    const session = make();
    establish(session);
    session.connected(2, 'incoming', 20_000);
    expect(words(session.received(2, encodeOpen(theirs), 20_000))).toEqual([
      '1 close',
      'down',
      '2 keepalive',
    ]);
    expect(words(session.received(2, encodeKeepalive(), 20_000))).toEqual(['2 established']);
  });

  it('or one of hold time 0, whose end nothing else shows', () => {
    const session = make({ holdTime: 0, restartTime: null });
    const plain = { ...theirs, capabilities: { ...theirs.capabilities, gracefulRestart: null } };
    session.start();
    session.connected(1, 'outgoing', 0);
    session.received(1, encodeOpen(plain), 0);
    session.received(1, encodeKeepalive(), 0);
    session.connected(2, 'incoming', 20_000);
    expect(words(session.received(2, encodeOpen(plain), 20_000))).toEqual(['1 close', 'down', '2 keepalive']);
  });

  it('an established one ends the call that is under way', () => {
    const session = make();
    session.start();
    session.connected(2, 'incoming', 0);
    session.received(2, encodeOpen(theirs), 0);
    expect(words(session.received(2, encodeKeepalive(), 0))).toEqual(['cancel_connect', '2 established']);
  });
});
