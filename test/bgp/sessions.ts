/** A session with a peer of its own, and what it does as words. */
import { MessageReader } from '../../src/bgp/message-reader.ts';
import { MessageType, encodeKeepalive } from '../../src/bgp/message.ts';
import type { SessionSettings } from '../../src/bgp/negotiation.ts';
import { decodeNotification, describeNotification } from '../../src/bgp/notification.ts';
import { encodeOpen } from '../../src/bgp/open.ts';
import type { OpenMessage } from '../../src/bgp/open.ts';
import { Session } from '../../src/bgp/session.ts';
import type { Action } from '../../src/bgp/session.ts';

export const settings: SessionSettings = {
  localAsn: 65_001,
  remoteAsn: 65_002,
  identifier: 0x0a000001,
  families: ['ipv4', 'ipv6'],
  holdTime: 90,
  restartTime: 120,
  passive: false,
};

export const theirs: OpenMessage = {
  asn: 65_002,
  holdTime: 30,
  identifier: 0x0a000002,
  capabilities: {
    families: ['ipv4', 'ipv6'],
    fourOctetAs: 65_002,
    routeRefresh: true,
    extendedMessage: false,
    gracefulRestart: { restarting: false, notification: true, restartTime: 60, families: [] },
  },
};

export const make = (changes: Partial<SessionSettings> = {}): Session =>
  new Session({ ...settings, ...changes }, true, () => 1);

/** Actions as words: sent messages by name, so that a sequence reads like a protocol trace. */
export function words(actions: readonly Action[]): string[] {
  return actions.map((action) => {
    if (action.type === 'send') return `${action.connection} ${nameOf(action.octets)}`;
    if (action.type === 'close' || action.type === 'established')
      return `${action.connection} ${action.type}`;
    if (action.type === 'error') return `error ${action.text}`;
    return action.type;
  });
}

function nameOf(octets: Uint8Array): string {
  const reader = new MessageReader();
  reader.push(octets);
  const { type, body } = reader.next()!;
  if (type === MessageType.notification) return describeNotification(decodeNotification(body));
  return Object.entries(MessageType).find(([, value]) => value === type)![0];
}

export function establish(session: Session, at = 0): Action[] {
  session.start();
  session.connected(1, 'outgoing', at);
  session.received(1, encodeOpen(theirs), at);
  return session.received(1, encodeKeepalive(), at);
}
