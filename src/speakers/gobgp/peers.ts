/** A peer as GoBGP holds it. */
import type { Family } from '../../core/address.ts';
import { addressOf } from '../export-policy.ts';
import type { PeerModel } from '../speaker.ts';
import type { PeerMessage } from './messages.ts';
import { digest } from './names.ts';
import { familyMessage } from './path-encoder.ts';

/** Seconds that the peer keeps the routes while GoBGP restarts, where the model does not say. */
const RESTART_TIME = 120;

/** Seconds; GoBGP's defaults suit the open Internet, but our routers should be back within seconds. */
const CONNECT_RETRY = 10;
const IDLE_HOLD_TIME = 5;

/** Seconds. Peers that are away must not delay the others, whose routes are stale meanwhile. */
const DEFERRAL_TIME = 5;

/**
 * GoBGP's configuration of a peer that check.ts accepted. Its description begins with the speaker's tag and ends with a hash of everything
 * else: so GoBGP itself says whose the peer is and how it was configured.
 */
export function peerMessage(tag: string, peer: PeerModel, families: readonly Family[]): PeerMessage {
  const family: Family = peer.address.includes(':') ? 'ipv6' : 'ipv4';
  const message: PeerMessage = {
    conf: {
      neighborAddress: addressOf(peer.address, family)!,
      peerAsn: peer.remoteAsn,
      localAsn: peer.localAsn,
      authPassword: peer.password ?? '',
      description: '',
    },
    ebgpMultihop: { enabled: peer.multihop !== null, multihopTtl: peer.multihop ?? 0 },
    timers: {
      config: {
        connectRetry: CONNECT_RETRY,
        holdTime: peer.holdTime,
        keepaliveInterval: Math.floor(peer.holdTime / 3),
        idleHoldTimeAfterReset: IDLE_HOLD_TIME,
      },
    },
    transport: {
      localAddress: addressOf(peer.localAddress, family) ?? '',
      passiveMode: peer.passive,
      remotePort: peer.port,
    },
    gracefulRestart: {
      enabled: peer.gracefulRestart,
      restartTime: peer.gracefulRestart ? (peer.restartTime ?? RESTART_TIME) : 0,
    },
    afiSafis: families.map((one) => ({
      config: { family: familyMessage(one), enabled: true },
      mpGracefulRestart: { config: { enabled: peer.gracefulRestart } },
    })),
  };
  const description = `${tag}-${digest(JSON.stringify([peer.id, message]), 16)}`;
  return { ...message, conf: { ...message.conf, description } };
}

/** The peer for a GoBGP that has restarted: the peer keeps its previous routes until it has been sent all again (RFC 4724, section 4.1). */
export function afterRestart(message: PeerMessage): PeerMessage {
  const { gracefulRestart } = message;
  if (!gracefulRestart.enabled) return message;
  const restarting = { ...gracefulRestart, localRestarting: true, deferralTime: DEFERRAL_TIME };
  return { ...message, gracefulRestart: restarting };
}
