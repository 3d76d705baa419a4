/** Reads what FRR says of the neighbours of a view. What FRR does not say is taken to be nothing. */
import { FAMILIES, type Family } from '../../core/address.ts';
import type { SessionState } from '../speaker.ts';

export interface NeighborStatus {
  readonly address: string;
  readonly state: SessionState;
  /** When the session was established, RFC 3339; null: it is not. */
  readonly establishedAt: string | null;
  readonly lastError: string | null;
  /** What both sides agreed to exchange; empty without a session. */
  readonly families: readonly Family[];
  /** Routes that were sent, or wait to be. */
  readonly sent: Readonly<Record<Family, number>>;
  readonly received: Readonly<Record<Family, number>>;
  readonly updatesSent: number;
  /** Messages that wait for the neighbour to take them. */
  readonly queued: number;
  /** Of BFD with the neighbour, in FRR's word, such as `Up`; null: none was asked for. */
  readonly bfd: string | null;
}

const STATES: Readonly<Record<string, SessionState>> = {
  connect: 'connect',
  active: 'active',
  opensent: 'open_sent',
  openconfirm: 'open_confirm',
  established: 'established',
};

interface FamilyAnswer {
  acceptedPrefixCounter?: number;
  sentPrefixCounter?: number;
  packetQueueLength?: number;
}

interface NeighborAnswer {
  bgpState?: string;
  bgpTimerUpEstablishedEpoch?: number;
  lastResetDueTo?: string;
  lastNotificationReason?: string;
  lastErrorCodeSubcode?: string;
  neighborCapabilities?: {
    multiprotocolExtensions?: Record<string, { advertisedAndReceived?: boolean }>;
  };
  messageStats?: { updatesSent?: number };
  peerBfdInfo?: { status?: string };
  addressFamilyInfo?: Record<string, FamilyAnswer>;
}

/** Reads `show bgp view NAME neighbors json`; null when there is no such view. */
export function readNeighbors(answer: string): NeighborStatus[] | null {
  const start = answer.indexOf('{');
  if (start < 0) return null;
  const neighbors = JSON.parse(answer.slice(start)) as Record<string, NeighborAnswer>;
  if ('bgpNoSuchInstance' in neighbors) return null;
  return Object.entries(neighbors)
    .filter(([, neighbor]) => typeof neighbor === 'object' && neighbor.bgpState !== undefined)
    .map(([address, neighbor]) => readNeighbor(address, neighbor));
}

function readNeighbor(address: string, neighbor: NeighborAnswer): NeighborStatus {
  const state = STATES[neighbor.bgpState?.toLowerCase() ?? ''] ?? 'idle';
  const isUp = state === 'established';
  const of = (family: Family): FamilyAnswer => neighbor.addressFamilyInfo?.[`${family}Unicast`] ?? {};
  const agreed = neighbor.neighborCapabilities?.multiprotocolExtensions ?? {};
  const epoch = neighbor.bgpTimerUpEstablishedEpoch;
  return {
    ...{ address, state },
    establishedAt: isUp && epoch !== undefined ? new Date(epoch * 1000).toISOString() : null,
    lastError: isUp ? null : lastError(neighbor),
    families: isUp ? FAMILIES.filter((family) => agreed[`${family}Unicast`]?.advertisedAndReceived) : [],
    sent: { ipv4: of('ipv4').sentPrefixCounter ?? 0, ipv6: of('ipv6').sentPrefixCounter ?? 0 },
    received: { ipv4: of('ipv4').acceptedPrefixCounter ?? 0, ipv6: of('ipv6').acceptedPrefixCounter ?? 0 },
    updatesSent: neighbor.messageStats?.updatesSent ?? 0,
    queued: FAMILIES.reduce((sum, family) => sum + (of(family).packetQueueLength ?? 0), 0),
    bfd: neighbor.peerBfdInfo === undefined ? null : (neighbor.peerBfdInfo.status ?? 'Unknown'),
  };
}

/** Of a neighbour that was just configured; it says nothing. */
const NO_NEWS = 'No AFI/SAFI activated for peer';

function lastError({ lastResetDueTo, lastNotificationReason }: NeighborAnswer): string | null {
  const words = [lastResetDueTo, lastNotificationReason].filter(
    (text) => text !== undefined && text !== NO_NEWS,
  );
  return words.length === 0 ? null : words.join(': ');
}

/** Reads the first line of `show version`. */
export function readVersion(answer: string): string | null {
  return /^(FRRouting \S+)/m.exec(answer)?.[1] ?? null;
}
