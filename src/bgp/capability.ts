/** Capabilities of an OPEN (RFC 5492), as one value: what a speaker can do. Unknown ones are skipped, as the RFC asks. */
import type { Family } from './message.ts';
import { BgpError, ErrorCode, OpenSubcode } from './notification.ts';
import { concatOctets, readU16, readU32, u16, u32 } from './octets.ts';

export const AFI: Readonly<Record<Family, number>> = { ipv4: 1, ipv6: 2 };
export const SAFI_UNICAST = 1;

const Code = {
  multiprotocol: 1,
  routeRefresh: 2,
  extendedMessage: 6,
  gracefulRestart: 64,
  fourOctetAs: 65,
  longLivedRestart: 71,
} as const;

const RESTART_BIT = 0x80;
const NOTIFICATION_BIT = 0x40;
const FORWARDING_BIT = 0x80;
const LONG_LIVED_LENGTH = 7;

/** RFC 4724 section 3; `notification` is the N bit of RFC 8538. */
export interface GracefulRestart {
  readonly restarting: boolean;
  readonly notification: boolean;
  /** Seconds the peer may take to come back, at most 4,095. */
  readonly restartTime: number;
  readonly families: readonly { readonly family: Family; readonly forwarding: boolean }[];
}

/** RFC 9494 section 3.1, of one family. */
export interface LongLivedRestart {
  readonly family: Family;
  readonly forwarding: boolean;
  /** Seconds that routes may stay stale after the restart time, at most {@link MAX_STALE_TIME}. */
  readonly staleTime: number;
}

/** Three octets hold it: 194 days. */
export const MAX_STALE_TIME = 0xff_ffff;

export interface Capabilities {
  /** Families of RFC 4760; null: the capability is absent, which means IPv4 unicast. */
  readonly families: readonly Family[] | null;
  readonly fourOctetAs: number | null;
  readonly routeRefresh: boolean;
  readonly extendedMessage: boolean;
  readonly gracefulRestart: GracefulRestart | null;
  /** Absent: not offered. Means nothing without graceful restart. */
  readonly longLivedRestart?: readonly LongLivedRestart[];
}

export function familyOf(afi: number, safi: number): Family | null {
  if (safi !== SAFI_UNICAST) return null;
  return afi === AFI.ipv4 ? 'ipv4' : afi === AFI.ipv6 ? 'ipv6' : null;
}

function tlv(code: number, value: Uint8Array): Uint8Array {
  return concatOctets([Uint8Array.of(code, value.length), value]);
}

export function encodeMultiprotocol(family: Family): Uint8Array {
  return tlv(Code.multiprotocol, Uint8Array.of(0, AFI[family], 0, SAFI_UNICAST));
}

/** Capability TLVs, one after another. */
export function encodeCapabilities(capabilities: Capabilities): Uint8Array {
  const parts = (capabilities.families ?? []).map(encodeMultiprotocol);
  if (capabilities.routeRefresh) parts.push(tlv(Code.routeRefresh, new Uint8Array(0)));
  if (capabilities.extendedMessage) parts.push(tlv(Code.extendedMessage, new Uint8Array(0)));
  if (capabilities.gracefulRestart) {
    parts.push(tlv(Code.gracefulRestart, encodeGracefulRestart(capabilities.gracefulRestart)));
  }
  if (capabilities.fourOctetAs !== null) parts.push(tlv(Code.fourOctetAs, u32(capabilities.fourOctetAs)));
  if (capabilities.longLivedRestart !== undefined)
    parts.push(tlv(Code.longLivedRestart, encodeLongLivedRestart(capabilities.longLivedRestart)));
  return concatOctets(parts);
}

function encodeGracefulRestart(restart: GracefulRestart): Uint8Array {
  const head = u16(restart.restartTime & 0x0fff);
  head[0]! |= (restart.restarting ? RESTART_BIT : 0) | (restart.notification ? NOTIFICATION_BIT : 0);
  const families = restart.families.map(({ family, forwarding }) =>
    Uint8Array.of(0, AFI[family], SAFI_UNICAST, forwarding ? FORWARDING_BIT : 0),
  );
  return concatOctets([head, ...families]);
}

function encodeLongLivedRestart(families: readonly LongLivedRestart[]): Uint8Array {
  return concatOctets(
    families.map(({ family, forwarding, staleTime }) =>
      Uint8Array.of(
        ...[0, AFI[family], SAFI_UNICAST, forwarding ? FORWARDING_BIT : 0],
        ...[staleTime >>> 16, staleTime >>> 8, staleTime],
      ),
    ),
  );
}

/** @throws BgpError OPEN Message Error when a capability runs past the end or has an impossible length. */
export function decodeCapabilities(octets: Uint8Array): Capabilities {
  const families: Family[] = [];
  let multiprotocol = false;
  let fourOctetAs: number | null = null;
  let routeRefresh = false;
  let extendedMessage = false;
  let gracefulRestart: GracefulRestart | null = null;
  let longLivedRestart: LongLivedRestart[] | undefined;
  for (const { code, value } of capabilityList(octets)) {
    if (code === Code.multiprotocol) {
      requireLength(code, value, value.length === 4);
      multiprotocol = true;
      const family = familyOf(readU16(value, 0), value[3]!);
      if (family !== null && !families.includes(family)) families.push(family);
    } else if (code === Code.fourOctetAs) {
      requireLength(code, value, value.length === 4);
      fourOctetAs = readU32(value, 0);
    } else if (code === Code.gracefulRestart) {
      requireLength(code, value, value.length >= 2 && value.length % 4 === 2);
      gracefulRestart = decodeGracefulRestart(value);
    } else if (code === Code.longLivedRestart) {
      requireLength(code, value, value.length % LONG_LIVED_LENGTH === 0);
      longLivedRestart = decodeLongLivedRestart(value);
    } else if (code === Code.routeRefresh) routeRefresh = true;
    else if (code === Code.extendedMessage) extendedMessage = true;
  }
  return {
    families: multiprotocol ? families : null,
    fourOctetAs,
    routeRefresh,
    extendedMessage,
    gracefulRestart,
    ...(longLivedRestart === undefined ? {} : { longLivedRestart }),
  };
}

function* capabilityList(octets: Uint8Array): Generator<{ code: number; value: Uint8Array }> {
  for (let at = 0; at < octets.length;) {
    const end = at + 2 + (octets[at + 1] ?? 0);
    if (at + 2 > octets.length || end > octets.length) {
      throw new BgpError(
        ErrorCode.open,
        OpenSubcode.unspecific,
        'a capability runs past the end of its parameter',
      );
    }
    yield { code: octets[at]!, value: octets.subarray(at + 2, end) };
    at = end;
  }
}

function requireLength(code: number, value: Uint8Array, good: boolean): void {
  if (!good) {
    throw new BgpError(
      ErrorCode.open,
      OpenSubcode.unspecific,
      `capability ${code} has the impossible length ${value.length}`,
    );
  }
}

function decodeGracefulRestart(value: Uint8Array): GracefulRestart {
  const families: { family: Family; forwarding: boolean }[] = [];
  for (let at = 2; at < value.length; at += 4) {
    const family = familyOf(readU16(value, at), value[at + 2]!);
    if (family !== null) families.push({ family, forwarding: (value[at + 3]! & FORWARDING_BIT) !== 0 });
  }
  return {
    restarting: (value[0]! & RESTART_BIT) !== 0,
    notification: (value[0]! & NOTIFICATION_BIT) !== 0,
    restartTime: readU16(value, 0) & 0x0fff,
    families,
  };
}

function decodeLongLivedRestart(value: Uint8Array): LongLivedRestart[] {
  const families: LongLivedRestart[] = [];
  for (let at = 0; at < value.length; at += LONG_LIVED_LENGTH) {
    const family = familyOf(readU16(value, at), value[at + 2]!);
    const forwarding = (value[at + 3]! & FORWARDING_BIT) !== 0;
    const staleTime = readU32(value, at + 3) & MAX_STALE_TIME;
    if (family !== null) families.push({ family, forwarding, staleTime });
  }
  return families;
}
