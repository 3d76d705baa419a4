/** Prefixes as what the programs read that take a feed. Pure. */
import type { FeedFormat } from '../../api/feeds/feeds.ts';
import type { Family } from '../../core/address.ts';
import { linesOf } from '../../core/prefix-format.ts';
import type { PrefixSet } from '../../core/sets/prefix-set.ts';

export interface FeedText {
  readonly name: string;
  /** Of the revision. */
  readonly number: number;
  readonly format: FeedFormat;
  /** Of the families of the feed, IPv4 first. */
  readonly sets: readonly PrefixSet[];
}

const encoder = new TextEncoder();

export function writeFeed(feed: FeedText): Uint8Array<ArrayBuffer> {
  if (feed.format === 'text' || feed.format === 'edl') return joined(feed.sets.flatMap(partsOf));
  return encoder.encode(WRITERS[feed.format](feed));
}

/** The parts are lent, and written over by the next. */
function partsOf(set: PrefixSet): Uint8Array[] {
  return Array.from(linesOf(set), (part) => part.slice());
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** The lines of its text. */
export function prefixesOf(set: PrefixSet): string[] {
  const text = Buffer.from(joined(partsOf(set))).toString('latin1');
  return text === '' ? [] : text.slice(0, -1).split('\n');
}

type Writer = (feed: FeedText) => string;

const WRITERS: Readonly<Record<Exclude<FeedFormat, 'text' | 'edl'>, Writer>> = {
  csv: ({ sets }) =>
    [
      'prefix,family\r\n',
      ...sets.flatMap((set) => prefixesOf(set).map((prefix) => `${prefix},${set.family}\r\n`)),
    ].join(''),
  json: ({ name, number, sets }) =>
    `${JSON.stringify({ feed: name, revision: number, prefixes: sets.flatMap(prefixesOf) })}\n`,
  nft,
  ipset,
  routeros,
  ios: (feed) => prefixLists(feed, '', 'seq'),
  eos: (feed) => prefixLists(feed, '!\n', 'seq'),
  junos,
  bird,
};

/** Where a name has no hyphens. */
export function plain(name: string, family: Family): string {
  return `${name.replaceAll('-', '_')}_${family}`;
}

/** Of a list or set that has its family in its name. */
export function listName(name: string, family: Family): string {
  return `${name}-${family === 'ipv4' ? '4' : '6'}`;
}

/** Elements of one command: nft takes any number, and reads them into memory at once. */
const ELEMENTS = 10_000;

function nft({ name, number, sets }: FeedText): string {
  const out = [`# ${name}, revision ${number}\nadd table inet prefixcast_feeds\n`];
  for (const set of sets) {
    const of = `inet prefixcast_feeds ${plain(name, set.family)}`;
    out.push(`add set ${of} { type ${set.family}_addr; flags interval; }\nflush set ${of}\n`);
    const prefixes = prefixesOf(set);
    for (let at = 0; at < prefixes.length; at += ELEMENTS)
      out.push(`add element ${of} { ${prefixes.slice(at, at + ELEMENTS).join(', ')} }\n`);
  }
  return out.join('');
}

/**
 * The most that an ipset holds. It is the same whatever the feed has: `create -exist` refuses a set that exists with another one. As many as
 * a feed may have, and only a limit: ipset takes no memory for it.
 */
const MAXELEM = 16_777_216;

/** A set beside the one in use, which takes its place at once. */
function ipset({ name, sets }: FeedText): string {
  const out: string[] = [];
  for (const set of sets) {
    const own = listName(name, set.family);
    const kind = `hash:net family ${set.family === 'ipv4' ? 'inet' : 'inet6'} maxelem ${MAXELEM}`;
    out.push(`create ${own} ${kind} -exist\ncreate ${own}-n ${kind} -exist\nflush ${own}-n\n`);
    for (const prefix of prefixesOf(set)) out.push(`add ${own}-n ${prefix}\n`);
    out.push(`swap ${own}-n ${own}\ndestroy ${own}-n\n`);
  }
  return out.join('');
}

function routeros({ name, sets }: FeedText): string {
  const out: string[] = [];
  for (const set of sets) {
    out.push(
      `/${set.family === 'ipv4' ? 'ip' : 'ipv6'} firewall address-list\nremove [find list="${name}"]\n`,
    );
    for (const prefix of prefixesOf(set)) out.push(`add list="${name}" address=${prefix}\n`);
  }
  return out.join('');
}

function prefixLists({ name, sets }: FeedText, end: string, seq: string): string {
  const out: string[] = [];
  for (const set of sets) {
    const list = `${set.family === 'ipv4' ? 'ip' : 'ipv6'} prefix-list ${listName(name, set.family)}`;
    out.push(`no ${list}\n`);
    for (const [index, prefix] of prefixesOf(set).entries())
      out.push(`${list} ${seq} ${index + 1} permit ${prefix}\n`);
    // A list that does not exist permits everything.
    if (set.size === 0)
      out.push(`${list} ${seq} 1 deny ${set.family === 'ipv4' ? '0.0.0.0/0 le 32' : '::/0 le 128'}\n`);
  }
  return out.join('') + end;
}

function junos({ name, sets }: FeedText): string {
  const out: string[] = [];
  for (const set of sets) {
    const list = `policy-options prefix-list ${listName(name, set.family)}`;
    out.push(`delete ${list}\nset ${list}\n`);
    for (const prefix of prefixesOf(set)) out.push(`set ${list} ${prefix}\n`);
  }
  return out.join('');
}

/** In place of an empty set, which BIRD has no words for: nothing is routed there. */
const NOWHERE = { ipv4: '255.255.255.255/32', ipv6: 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128' } as const;

function bird({ name, number, sets }: FeedText): string {
  const out = [`# ${name}, revision ${number}\n`];
  for (const set of sets) {
    const prefixes = set.size === 0 ? [NOWHERE[set.family]] : prefixesOf(set);
    out.push(`define ${plain(name, set.family)} = [\n  ${prefixes.join(',\n  ')}\n];\n`);
  }
  return out.join('');
}
