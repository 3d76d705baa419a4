/** UPDATE as received (RFC 4271 section 4.3, RFC 4760): announced and withdrawn prefixes, and their attributes. */
import { decodeAttributes } from './attribute-decoder.ts';
import type { PathAttributes, ReceiverContext } from './attribute-decoder.ts';
import { familyOf } from './capability.ts';
import type { Family } from './message.ts';
import { BgpError, ErrorCode, UpdateSubcode } from './notification.ts';
import { decodeNlri } from './nlri.ts';
import type { Nlri } from './nlri.ts';
import { readU16, readU32 } from './octets.ts';

export interface Announcement {
  readonly nlri: Nlri;
  /** 1 word for IPv4, 4 for IPv6; a link-local address beside the global one is left out. */
  readonly nextHop: readonly number[];
}

export interface Update {
  readonly withdrawn: readonly Nlri[];
  readonly announced: readonly Announcement[];
  readonly attributes: PathAttributes;
  /** Set when the message is the End-of-RIB marker of that family (RFC 4724 section 2). */
  readonly endOfRib: Family | null;
  /** Why announced prefixes were turned into withdrawn ones (RFC 7606 "treat-as-withdraw"), or null. */
  readonly fault: string | null;
}

/** @throws BgpError UPDATE Message Error, RFC 4271 section 6.3 as amended by RFC 7606. */
export function decodeUpdate(body: Uint8Array, receiver: ReceiverContext): Update {
  const { withdrawnOctets, attributeOctets, nlriOctets } = splitBody(body);
  const decoded = decodeAttributes(attributeOctets, receiver);
  const { attributes } = decoded;
  const withdrawn: Nlri[] = [];
  const announced: Announcement[] = [];

  if (withdrawnOctets.length > 0)
    withdrawn.push(decodeNlri('ipv4', withdrawnOctets, UpdateSubcode.invalidNetwork));
  const unreach = attributes.mpUnreach === null ? null : decodeUnreach(attributes.mpUnreach);
  if (unreach !== null && unreach.size > 0) withdrawn.push(unreach);
  const reach = attributes.mpReach === null ? null : decodeReach(attributes.mpReach);
  if (reach !== null) announced.push(reach);
  if (nlriOctets.length > 0) {
    const nlri = decodeNlri('ipv4', nlriOctets, UpdateSubcode.invalidNetwork);
    announced.push({ nlri, nextHop: attributes.nextHop === null ? [] : [attributes.nextHop] });
  }

  const fault =
    announced.length === 0
      ? null
      : (decoded.fault ?? missingAttribute(attributes, receiver, nlriOctets.length > 0));
  if (fault !== null) withdrawn.push(...announced.splice(0).map(({ nlri }) => nlri));
  return {
    withdrawn,
    announced,
    attributes,
    endOfRib: endOfRibOf(body, attributes, attributeOctets, unreach),
    fault,
  };
}

function splitBody(body: Uint8Array): {
  withdrawnOctets: Uint8Array;
  attributeOctets: Uint8Array;
  nlriOctets: Uint8Array;
} {
  const attributesAt = 2 + readU16(body, 0) + 2;
  const nlriAt = attributesAt + (attributesAt <= body.length ? readU16(body, attributesAt - 2) : 0);
  if (attributesAt > body.length || nlriAt > body.length) {
    throw new BgpError(
      ErrorCode.update,
      UpdateSubcode.malformedAttributes,
      'the lengths inside exceed the length of the message',
    );
  }
  return {
    withdrawnOctets: body.subarray(2, attributesAt - 2),
    attributeOctets: body.subarray(attributesAt, nlriAt),
    nlriOctets: body.subarray(nlriAt),
  };
}

function missingAttribute(
  attributes: PathAttributes,
  receiver: ReceiverContext,
  plainNlri: boolean,
): string | null {
  if (attributes.origin === null) return 'ORIGIN is missing';
  if (attributes.asPath === null) return 'AS_PATH is missing';
  if (plainNlri && attributes.nextHop === null) return 'NEXT_HOP is missing';
  if (!receiver.external && attributes.localPreference === null) return 'LOCAL_PREF is missing';
  return null;
}

function endOfRibOf(
  body: Uint8Array,
  attributes: PathAttributes,
  attributeOctets: Uint8Array,
  unreach: Nlri | null,
): Family | null {
  if (body.length === 4) return 'ipv4';
  // MP_UNREACH_NLRI as the only attribute, without prefixes: 3 octets of value in a header of 3 or 4.
  const alone = attributes.mpUnreach?.length === 3 && attributeOctets.length <= 7;
  return alone && unreach !== null && body.length === 4 + attributeOctets.length ? unreach.family : null;
}

function multiprotocolError(detail: string): BgpError {
  return new BgpError(ErrorCode.update, UpdateSubcode.optionalAttribute, detail);
}

/** Prefixes of MP_UNREACH_NLRI; null for a family we do not know. */
function decodeUnreach(value: Uint8Array): Nlri | null {
  if (value.length < 3) throw multiprotocolError(`MP_UNREACH_NLRI of ${value.length} octets`);
  const family = familyOf(readU16(value, 0), value[2]!);
  return family && decodeNlri(family, value.subarray(3), UpdateSubcode.optionalAttribute);
}

/** Next hop and prefixes of MP_REACH_NLRI; null for a family we do not know. */
function decodeReach(value: Uint8Array): Announcement | null {
  const nextHopLength = value[3] ?? 0;
  const nlriAt = 4 + nextHopLength + 1;
  if (value.length < nlriAt) throw multiprotocolError(`MP_REACH_NLRI of ${value.length} octets`);
  const family = familyOf(readU16(value, 0), value[2]!);
  if (family === null) return null;
  const lengths = family === 'ipv4' ? [4] : [16, 32];
  if (!lengths.includes(nextHopLength)) {
    throw multiprotocolError(`MP_REACH_NLRI with a next hop of ${nextHopLength} octets`);
  }
  const words = family === 'ipv4' ? 1 : 4;
  return {
    nlri: decodeNlri(family, value.subarray(nlriAt), UpdateSubcode.optionalAttribute),
    nextHop: Array.from({ length: words }, (_, i) => readU32(value, 4 + i * 4)),
  };
}
