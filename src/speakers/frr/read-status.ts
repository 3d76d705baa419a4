/** Reads what FRR reports about the neighbours of a view. A missing field counts as empty. */
import { FAMILIES, type Family } from '../../core/address.ts';
import { numbered } from '../daemon-notifications.ts';
import type { SessionNotification, SessionState } from '../speaker.ts';

export interface NeighborStatus {
  readonly address: string;
  readonly state: SessionState;
  /** When the session was established, RFC 3339; null: it is not. */
  readonly establishedAt: string | null;
  /** What ended the last session, or kept one from coming up; stays while a later session is up. */
  readonly lastError: string | null;
  readonly notification: SessionNotification | null;
  /** Negotiated families; empty without a session. */
  readonly families: readonly Family[];
  /** Routes that were sent or are queued. */
  readonly sent: Readonly<Record<Family, number>>;
  readonly received: Readonly<Record<Family, number>>;
  readonly updatesSent: number;
  /** Messages that wait for the neighbour to read them. */
  readonly queued: number;
  /** State of BFD with the neighbour, in FRR's words, such as `Up`; null: BFD is not configured. */
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
  lastShutdownDescription?: string;
  /** Left out where it is not. */
  adminShutDown?: boolean;
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
    lastError: lastError(neighbor),
    notification: notificationOf(neighbor),
    families: isUp ? FAMILIES.filter((family) => agreed[`${family}Unicast`]?.advertisedAndReceived) : [],
    sent: { ipv4: of('ipv4').sentPrefixCounter ?? 0, ipv6: of('ipv6').sentPrefixCounter ?? 0 },
    received: { ipv4: of('ipv4').acceptedPrefixCounter ?? 0, ipv6: of('ipv6').acceptedPrefixCounter ?? 0 },
    updatesSent: neighbor.messageStats?.updatesSent ?? 0,
    queued: FAMILIES.reduce((sum, family) => sum + (of(family).packetQueueLength ?? 0), 0),
    bfd: neighbor.peerBfdInfo === undefined ? null : (neighbor.peerBfdInfo.status ?? 'Unknown'),
  };
}

/** The error of a neighbour that was just configured; it means nothing. */
const NO_NEWS = 'No AFI/SAFI activated for peer';

/** Of one that is shut down somebody did that; of another, we did until all of its settings were there (`difference.ts`). */
const SHUT_DOWN = 'Admin. shutdown';

function lastError(neighbor: NeighborAnswer): string | null {
  const { lastResetDueTo, lastNotificationReason, lastShutdownDescription: own } = neighbor;
  const isOurs = neighbor.adminShutDown !== true && lastNotificationReason === undefined;
  const words = [lastResetDueTo, lastNotificationReason, own === undefined ? undefined : `"${own}"`].filter(
    (text) => text !== undefined && text !== NO_NEWS && !(isOurs && text === SHUT_DOWN),
  );
  return words.length === 0 ? null : words.join(': ');
}

/** FRR writes code and subcode as two octets in hexadecimal, and the direction of the NOTIFICATION in words. */
function notificationOf(neighbor: NeighborAnswer): SessionNotification | null {
  const { lastResetDueTo = '', lastErrorCodeSubcode, lastShutdownDescription = null } = neighbor;
  const [, code, subcode] = /^([0-9a-f]{2})([0-9a-f]{2})$/i.exec(lastErrorCodeSubcode ?? '') ?? [];
  const way = /^BGP Notification (received|send)/i.exec(lastResetDueTo)?.[1]?.toLowerCase();
  if (code === undefined || way === undefined) return null;
  const direction = way === 'received' ? 'received' : 'sent';
  const text = direction === 'received' ? lastShutdownDescription : null;
  return numbered(direction, Number.parseInt(code, 16), Number.parseInt(subcode!, 16), text);
}

/** Reads the first line of `show version`. */
export function readVersion(answer: string): string | null {
  return /^(FRRouting \S+)/m.exec(answer)?.[1] ?? null;
}
