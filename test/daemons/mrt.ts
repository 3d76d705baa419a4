import { readFileSync } from 'node:fs';

/** One UPDATE as it was on the wire. Prefixes of IPv4 and IPv6 alike; End-of-RIB announces and withdraws nothing. */
export interface RecordedUpdate {
  /** Address of the neighbor that sent it. */
  from: string;
  announced: string[];
  withdrawn: string[];
  endOfRib: boolean;
  /** Length of the whole message, header included. */
  octets: number;
}

/**
 * Reads the UPDATEs out of an MRT file (RFC 6396) of BGP4MP messages. A record cut off at the end is left out: the
 * daemon may be writing it.
 */
export function readMrt(path: string): RecordedUpdate[] {
  const file = readFileSync(path);
  const updates: RecordedUpdate[] = [];
  let at = 0;
  while (at + 12 <= file.length) {
    const type = file.readUInt16BE(at + 4);
    const subtype = file.readUInt16BE(at + 6);
    const end = at + 12 + file.readUInt32BE(at + 8);
    if (end > file.length) break;
    // BGP4MP (16) with subtype MESSAGE (1) or MESSAGE_AS4 (4); the rest are changes of state.
    if (type === 16 && (subtype === 1 || subtype === 4)) {
      const update = readRecord(file.subarray(at + 12, end), subtype === 4 ? 8 : 4);
      if (update !== undefined) updates.push(update);
    }
    at = end;
  }
  return updates;
}

function readRecord(record: Buffer, asnOctets: number): RecordedUpdate | undefined {
  const isIpv4 = record.readUInt16BE(asnOctets + 2) === 1;
  const peer = asnOctets + 4;
  const length = isIpv4 ? 4 : 16;
  const message = record.subarray(peer + 2 * length);
  if (message.readUInt8(18) !== 2) return undefined;
  const from = formatAddress(record.subarray(peer, peer + length));
  return { from, ...readUpdate(message.subarray(19)), octets: message.length };
}

/** RFC 4271 section 4.3; MP_REACH_NLRI and MP_UNREACH_NLRI of RFC 4760. */
function readUpdate(body: Buffer): Pick<RecordedUpdate, 'announced' | 'withdrawn' | 'endOfRib'> {
  const attributes = 2 + body.readUInt16BE(0) + 2;
  const nlri = attributes + body.readUInt16BE(attributes - 2);
  const withdrawn = readPrefixes(body.subarray(2, attributes - 2), 4);
  const announced = readPrefixes(body.subarray(nlri), 4);
  let onlyEmptyUnreach = false;
  let at = attributes;
  while (at < nlri) {
    const extended = (body.readUInt8(at) & 0x10) !== 0;
    const type = body.readUInt8(at + 1);
    const length = extended ? body.readUInt16BE(at + 2) : body.readUInt8(at + 2);
    const start = at + (extended ? 4 : 3);
    const value = body.subarray(start, start + length);
    if (type === 14 || type === 15) {
      const octets = value.readUInt16BE(0) === 1 ? 4 : 16;
      const list = type === 14 ? value.subarray(5 + value.readUInt8(3)) : value.subarray(3);
      (type === 14 ? announced : withdrawn).push(...readPrefixes(list, octets));
      onlyEmptyUnreach = type === 15 && length === 3 && at === attributes && start + length === nlri;
    }
    at = start + length;
  }
  return { announced, withdrawn, endOfRib: body.length === 4 || onlyEmptyUnreach };
}

function readPrefixes(list: Buffer, octets: number): string[] {
  const prefixes: string[] = [];
  let at = 0;
  while (at < list.length) {
    const bits = list.readUInt8(at);
    const used = (bits + 7) >> 3;
    const address = Buffer.alloc(octets);
    list.copy(address, 0, at + 1, at + 1 + used);
    prefixes.push(`${formatAddress(address)}/${bits}`);
    at += 1 + used;
  }
  return prefixes;
}

function formatAddress(octets: Buffer): string {
  if (octets.length === 4) return octets.join('.');
  const groups = Array.from({ length: 8 }, (_, i) => octets.readUInt16BE(2 * i).toString(16));
  // URL writes IPv6 addresses in RFC 5952's form.
  return new URL(`http://[${groups.join(':')}]/`).hostname.slice(1, -1);
}
