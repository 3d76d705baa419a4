/** OPEN (RFC 4271 section 4.2) with capabilities; also read with extended optional parameters (RFC 9072). */
import { decodeCapabilities, encodeCapabilities } from './capability.ts';
import type { Capabilities } from './capability.ts';
import { MessageType, frameMessage } from './message.ts';
import { BgpError, ErrorCode, OpenSubcode } from './notification.ts';
import { concatOctets, readU16, readU32, u16, u32 } from './octets.ts';

/** Stands in the two octets of "My Autonomous System" for a number that needs four (RFC 6793). */
export const AS_TRANS = 23_456;

const VERSION = 4;
const PARAMETER_CAPABILITIES = 2;
const EXTENDED_PARAMETERS = 255;

export interface OpenMessage {
  /** The real number: from the four-octet capability if there is one. */
  readonly asn: number;
  /** Seconds; 0 or at least 3. */
  readonly holdTime: number;
  /** BGP identifier as an unsigned number. */
  readonly identifier: number;
  readonly capabilities: Capabilities;
}

export function encodeOpen(open: OpenMessage): Uint8Array {
  const capabilities = encodeCapabilities(open.capabilities);
  const parameters =
    capabilities.length === 0
      ? new Uint8Array(0)
      : concatOctets([Uint8Array.of(PARAMETER_CAPABILITIES, capabilities.length), capabilities]);
  const body = concatOctets([
    Uint8Array.of(VERSION),
    u16(open.asn > 0xffff ? AS_TRANS : open.asn),
    u16(open.holdTime),
    u32(open.identifier),
    Uint8Array.of(parameters.length),
    parameters,
  ]);
  return frameMessage(MessageType.open, body);
}

/** @throws BgpError OPEN Message Error, RFC 4271 section 6.2. */
export function decodeOpen(body: Uint8Array): OpenMessage {
  const version = body[0]!;
  if (version !== VERSION) {
    throw new BgpError(ErrorCode.open, OpenSubcode.unsupportedVersion, `version ${version}`, u16(VERSION));
  }
  const holdTime = readU16(body, 3);
  if (holdTime === 1 || holdTime === 2) {
    throw new BgpError(
      ErrorCode.open,
      OpenSubcode.unacceptableHoldTime,
      `${holdTime} s is too short, the least is 3 s`,
    );
  }
  const identifier = readU32(body, 5);
  if (identifier === 0) throw new BgpError(ErrorCode.open, OpenSubcode.badIdentifier, '0.0.0.0');
  const capabilities = decodeCapabilities(capabilityParameters(body));
  const asn = capabilities.fourOctetAs ?? readU16(body, 1);
  if (asn === 0) throw new BgpError(ErrorCode.open, OpenSubcode.badPeerAs, 'AS 0 is reserved (RFC 7607)');
  return { asn, holdTime, identifier, capabilities };
}

/** The values of all capability parameters, joined. */
function capabilityParameters(body: Uint8Array): Uint8Array {
  const extended = body[9] !== 0 && body[10] === EXTENDED_PARAMETERS && body.length >= 13;
  const lengthOctets = extended ? 2 : 1;
  const start = extended ? 13 : 10;
  const length = extended ? readU16(body, 11) : body[9]!;
  if (start + length !== body.length) {
    throw new BgpError(
      ErrorCode.open,
      OpenSubcode.unspecific,
      `optional parameters of ${length} octets, ${body.length - start} present`,
    );
  }
  const values: Uint8Array[] = [];
  for (let at = start; at < body.length;) {
    const type = body[at]!;
    const valueAt = at + 1 + lengthOctets;
    const end = valueAt + (extended ? readU16(body, at + 1) : (body[at + 1] ?? 0));
    if (valueAt > body.length || end > body.length) {
      throw new BgpError(ErrorCode.open, OpenSubcode.unspecific, 'an optional parameter runs past the end');
    }
    if (type !== PARAMETER_CAPABILITIES) {
      throw new BgpError(ErrorCode.open, OpenSubcode.unsupportedParameter, `type ${type}`);
    }
    values.push(body.subarray(valueAt, end));
    at = end;
  }
  return concatOctets(values);
}
