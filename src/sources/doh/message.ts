/** DNS messages (RFC 1035) as DoH carries them: encodes questions, decodes and checks answers. Pure. */
import { type Answer, type DecodedPacket, RECURSION_DESIRED, decode, encode } from 'dns-packet';
import type { Family } from '../../core/address.ts';
import { formatAddress, parseAddress } from '../../core/address.ts';
import type { Prefix } from '../../core/prefix.ts';
import { SourceError } from '../source-error.ts';

/** Aliases that are followed for one name, in one answer or several. */
export const MAX_ALIASES = 8;

export interface DnsQuestion {
  /** Lower-case A-labels without the final dot. */
  readonly name: string;
  readonly family: Family;
}

export interface DnsAddress {
  /** Canonical text. */
  readonly address: string;
  /** Seconds: the minimum of the record and of the aliases that lead to it. */
  readonly ttl: number;
}

/** What a resolver says of one name and family. */
export interface Resolution {
  readonly addresses: readonly DnsAddress[];
  /** There is no such name (NXDOMAIN), of any family. */
  readonly isMissing: boolean;
}

/** The content of an answer. Without addresses, the name has none of the family, or does not exist. */
export interface DnsReply {
  readonly addresses: readonly DnsAddress[];
  /** Aliases that were followed within this answer. */
  readonly aliases: number;
  /** The minimum time to live of these aliases. */
  readonly ttl: number;
  /** The name, or what its aliases lead to, does not exist (NXDOMAIN). */
  readonly isMissing: boolean;
  /** The name to which the aliases lead outside the answer, to be queried next; null: the answer is complete. */
  readonly next: string | null;
}

const TYPES = { ipv4: 'A', ipv6: 'AAAA' } as const;
const RCODES = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'];
const NXDOMAIN = 3;
const HEADER_BYTES = 12;
/** RFC 1035 section 4.1.1: is an answer, kind of query, was truncated. */
const QR = 0x8000;
const OPCODE = 0x7800;
const TC = 0x0200;

/**
 * The message that asks for the addresses. Its id is 0, so that HTTP caches recognise equal questions (RFC 8484 section 4.1).
 * @param clientSubnet sent with it, for the answer that clients there would get (RFC 7871); null: none
 */
export function encodeQuestion({ name, family }: DnsQuestion, clientSubnet: Prefix | null): Buffer {
  return encode({
    type: 'query',
    id: 0,
    flags: RECURSION_DESIRED,
    questions: [{ type: TYPES[family], class: 'IN', name }],
    ...(clientSubnet === null ? {} : { additionals: [subnetOption(clientSubnet)] }),
  });
}

function subnetOption({ length, ...address }: Prefix): Answer {
  return {
    ...{ type: 'OPT', name: '.', udpPayloadSize: 1_232, extendedRcode: 0, ednsVersion: 0 },
    ...{ flags: 0, flag_do: false },
    options: [{ code: 8, ip: formatAddress(address), sourcePrefixLength: length, scopePrefixLength: 0 }],
  };
}

/**
 * Reads the answer to `question` and follows the aliases in it, up to `aliasesLeft`.
 * @throws SourceError `source_dns_failure` for an RCODE other than success and "no such name", `source_unparseable` for an invalid message
 */
export function readReply(
  bytes: Buffer,
  question: DnsQuestion,
  clientSubnet: Prefix | null,
  aliasesLeft: number,
): DnsReply {
  const message = decodeWhole(bytes);
  const flags = bytes.readUInt16BE(2);
  if ((flags & QR) === 0 || (flags & OPCODE) !== 0) throw strange('is not an answer to a query');
  if (bytes.readUInt16BE(0) !== 0) throw strange('has another id than its question, which is 0');
  if ((flags & TC) !== 0) throw strange('is truncated, which nothing needs to be over HTTPS');
  checkQuestion(message, question);
  const rcode = (flags & 0xf) + (extendedRcode(message) << 4);
  if (rcode !== 0 && rcode !== NXDOMAIN) {
    const name = RCODES[rcode] ?? `RCODE ${rcode}`;
    throw new SourceError('source_dns_failure', `answered ${name} for ${question.name}.`);
  }
  if (clientSubnet !== null) checkSubnet(message, clientSubnet);
  return followAliases(message, question, rcode === NXDOMAIN, aliasesLeft);
}

function decodeWhole(bytes: Buffer): DecodedPacket {
  if (bytes.length < HEADER_BYTES) throw strange(`has ${bytes.length} bytes, less than a header`);
  let message: DecodedPacket;
  try {
    message = decode(bytes);
  } catch (error) {
    throw strange(`cannot be read: ${(error as Error).message}`, error);
  }
  if (decode.bytes !== bytes.length) throw strange('is not as long as its records');
  return message;
}

function checkQuestion({ questions = [] }: DecodedPacket, { name, family }: DnsQuestion): void {
  const [asked, ...others] = questions;
  if (asked === undefined || others.length > 0)
    throw strange(`repeats ${questions.length} questions, not one`);
  if (canonical(asked.name) !== name || asked.type !== TYPES[family] || (asked.class ?? 'IN') !== 'IN')
    throw strange(`is about another question: ${shown(asked.name)} ${asked.type}`);
}

function extendedRcode({ additionals = [] }: DecodedPacket): number {
  const option = additionals.find((record) => record.type === 'OPT');
  return option?.type === 'OPT' ? option.extendedRcode : 0;
}

/** An answer for another network than the requested one must be dropped (RFC 7871 section 7.3). */
function checkSubnet({ additionals = [] }: DecodedPacket, { length, ...address }: Prefix): void {
  for (const record of additionals) {
    if (record.type !== 'OPT') continue;
    for (const option of record.options) {
      if (option.code !== 8) continue;
      const given = parseAddress(option.ip ?? '');
      const isSame = given.ok && formatAddress(given.value) === formatAddress(address);
      if (!isSame || option.sourcePrefixLength !== length)
        throw strange('is for another client subnet than the one in its question');
    }
  }
}

function followAliases(
  { answers = [], authorities = [] }: DecodedPacket,
  { name: asked, family }: DnsQuestion,
  isMissing: boolean,
  aliasesLeft: number,
): DnsReply {
  const targets = new Map<string, { readonly target: string; readonly ttl: number }>();
  for (const record of answers) {
    if (record.type === 'CNAME')
      targets.set(canonical(record.name), { target: canonical(record.data), ttl: record.ttl ?? 0 });
  }
  let name = asked;
  let aliases = 0;
  let ttl = Infinity;
  for (let alias = targets.get(name); alias !== undefined; alias = targets.get(name)) {
    if (aliases === aliasesLeft) throw tooManyAliases();
    aliases++;
    ttl = Math.min(ttl, alias.ttl);
    name = alias.target;
  }
  const addresses = addressesOf(answers, name, family, ttl);
  // A resolver proves with an SOA that there are no records (RFC 2308 section 2.2).
  const isProven = isMissing || authorities.some((record) => record.type === 'SOA');
  const next = addresses.length === 0 && aliases > 0 && !isProven ? name : null;
  if (next !== null && aliases === aliasesLeft) throw tooManyAliases();
  if (next !== null && !isAskable(next)) throw strange(`has ${shown(next)} as the target of an alias`);
  return { addresses, aliases, ttl, isMissing, next };
}

function addressesOf(
  answers: readonly Answer[],
  name: string,
  family: Family,
  longest: number,
): DnsAddress[] {
  const found = new Map<string, DnsAddress>();
  for (const record of answers) {
    if (record.type !== TYPES[family] || canonical(record.name) !== name) continue;
    const parsed = parseAddress(record.data);
    // IPv4-mapped addresses are rejected here.
    if (!parsed.ok || parsed.value.family !== family)
      throw strange(`has ${shown(record.data)} as an ${TYPES[family]} record`);
    const address = formatAddress(parsed.value);
    found.set(address, { address, ttl: Math.min(record.ttl ?? 0, longest) });
  }
  return [...found.values()];
}

/** Whether the name can be queried: an answer may contain any bytes. */
function isAskable(name: string): boolean {
  return (
    name.length <= 253 &&
    /^[!-~]+$/.test(name) &&
    name.split('.').every(({ length }) => length > 0 && length < 64)
  );
}

function canonical(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}

function tooManyAliases(): SourceError {
  return new SourceError(
    'source_unparseable',
    `has more than ${MAX_ALIASES} aliases (CNAME) one after the other.`,
  );
}

function strange(what: string, cause?: unknown): SourceError {
  return new SourceError('source_unparseable', `sent a DNS message that ${what}.`, { cause });
}
