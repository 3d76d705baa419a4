/** A session of GoBGP as the status of every speaker shows it. */
import { familyOf } from '../../bgp/capability.ts';
import { FAMILIES, type Family } from '../../core/address.ts';
import { ENDED_SILENTLY, refusedFamilies } from '../check.ts';
import type { SessionState, SessionStatus } from '../speaker.ts';
import type { ListedPeer } from './messages.ts';
import { familyOctets } from './path-encoder.ts';

const STATES: Readonly<Record<string, SessionState>> = {
  IDLE: 'idle',
  CONNECT: 'connect',
  ACTIVE: 'active',
  OPENSENT: 'open_sent',
  OPENCONFIRM: 'open_confirm',
  ESTABLISHED: 'established',
};

const MULTIPROTOCOL = 'type.googleapis.com/apipb.MultiProtocolCapability';
/** Key of the one field of that message. */
const FAMILY_KEY = 0x0a;

/**
 * @param peer as GoBGP lists it; undefined: GoBGP has no such peer
 * @param problem why the peer, or some of its families, is not in GoBGP
 * @param configured when GoBGP was given the peer, RFC 3339
 */
export function sessionStatus(
  peerId: string,
  peer: ListedPeer | undefined,
  advertised: number,
  problem: string | null,
  configured: string,
): SessionStatus {
  const state = peer === undefined ? 'idle' : (STATES[peer.state.sessionState] ?? 'idle');
  const families = state === 'established' ? agreedFamilies(peer!) : undefined;
  const received = peer?.afiSafis.reduce((sum, one) => sum + (one.state?.received ?? 0), 0) ?? 0;
  return {
    ...{ peerId, state, since: sinceWhen(peer, state) ?? configured },
    routesExported: state === 'established' ? advertised : 0,
    routesReceived: received,
    updatesSent: peer?.state.messages?.sent?.update ?? 0,
    ...(families === undefined ? {} : { families }),
    lastError: problem ?? notAgreed(peer, families) ?? (state === 'established' ? null : howEnded(peer)),
  };
}

/** GoBGP reports when a session came up and when it last went down; before that, null. */
function sinceWhen(peer: ListedPeer | undefined, state: SessionState): string | null {
  const times = peer?.timers?.state;
  const seconds = (state === 'established' ? times?.uptime : times?.downtime)?.seconds ?? 0;
  return seconds === 0 ? null : new Date(seconds * 1_000).toISOString();
}

function agreedFamilies({ afiSafis, state }: ListedPeer): Family[] {
  const offered = state.remoteCap.flatMap(({ type_url: type, value }) => {
    const family = FAMILIES.find((one) => value.equals(Buffer.from([FAMILY_KEY, ...familyOctets(one)])));
    return type === MULTIPROTOCOL && family !== undefined ? [family] : [];
  });
  const hasCapability = state.remoteCap.some(({ type_url: type }) => type === MULTIPROTOCOL);
  // A peer without the capability supports IPv4 only (RFC 4760 section 8).
  const theirs: readonly Family[] = hasCapability ? offered : ['ipv4'];
  return afiSafis.flatMap(({ config }) => {
    const family = familyOf(config.family.afi, config.family.safi);
    return family !== null && theirs.includes(family) ? [family] : [];
  });
}

function notAgreed(peer: ListedPeer | undefined, agreed: readonly Family[] | undefined): string | null {
  if (agreed === undefined) return null;
  const refused = peer!.afiSafis.flatMap(({ config }) => {
    const family = familyOf(config.family.afi, config.family.safi);
    return family === null || agreed.includes(family) ? [] : [family];
  });
  return refusedFamilies(refused);
}

/** GoBGP keeps no reason; the counters of messages that end sessions show that there was one. */
function howEnded(peer: ListedPeer | undefined): string | null {
  const { received, sent } = peer?.state.messages ?? {};
  const [theirs, ours] = [received?.notification ?? 0, sent?.notification ?? 0];
  const wasUp = (peer?.timers?.state?.downtime?.seconds ?? 0) > 0;
  if (theirs + ours === 0) return wasUp ? ENDED_SILENTLY : null;
  return `the session was ended by NOTIFICATION, ${theirs} times by the peer and ${ours} times by GoBGP: the reasons are in GoBGP's log`;
}
