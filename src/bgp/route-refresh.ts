/** ROUTE-REFRESH (RFC 2918): "send me that family again". */
import { AFI, SAFI_UNICAST, familyOf } from './capability.ts';
import { MessageType, frameMessage } from './message.ts';
import type { Family } from './message.ts';
import { readU16 } from './octets.ts';

export function encodeRouteRefresh(family: Family): Uint8Array {
  return frameMessage(MessageType.routeRefresh, Uint8Array.of(0, AFI[family], 0, SAFI_UNICAST));
}

/**
 * The requested family; null for one that we do not support, and for the markers of RFC 7313 and the filters of RFC 5291, neither of which
 * we offer: RFC 2918 section 4 requires that all of these are ignored.
 */
export function decodeRouteRefresh(body: Uint8Array): Family | null {
  return body.length === 4 && body[2] === 0 ? familyOf(readU16(body, 0), body[3]!) : null;
}
