/**
 * The oracle: what the routes of a tenant are to be, worked out plainly. It shares no code with the service: addresses are BigInts, sets
 * are lists of ranges (test/oracle/), and every step recalculates everything.
 */
import { isIPv4 } from 'node:net';
import type { Family } from '../../src/core/address.ts';
import { AddressRanges } from '../oracle/address-ranges.ts';
import { parsePlainPrefix, plainText } from '../oracle/aggregate.ts';
import type { BigPrefix } from '../oracle/big-prefix.ts';
import type { Answer, Life, ModuleModel, PeerModel, Routes, SourceModel, SpeakerModel } from './model.ts';

const FAMILIES: readonly Family[] = ['ipv4', 'ipv6'];
const NOTHING = new AddressRanges([]);

/** What an enabled entry contributes, with the community that it carries. */
interface Contribution {
  readonly community: string | null;
  readonly prefixes: readonly BigPrefix[];
}

/** The routes of a revision that is built now. */
export function routesOf(life: Life): Routes {
  const enabled = life.modules.filter((module) => module.enabled);
  const excluded = enabled
    .filter(({ purpose }) => purpose === 'exclude')
    .flatMap((module) => contributionsOf(life, module).flatMap(({ prefixes }) => prefixes));
  const byCommunity = new Map<string | null, BigPrefix[]>();
  for (const module of enabled.filter(({ purpose }) => purpose === 'announce'))
    for (const { community, prefixes } of contributionsOf(life, module)) {
      const known = byCommunity.get(community) ?? [];
      byCommunity.set(community, known);
      for (const prefix of prefixes) known.push(prefix);
    }
  const routes = new Map<string, string[]>();
  for (const [community, prefixes] of byCommunity)
    for (const family of FAMILIES)
      for (const prefix of coverOf(family, prefixes, excluded)) {
        const communities = routes.get(prefix) ?? [];
        routes.set(prefix, communities);
        if (community !== null) communities.push(community);
      }
  for (const communities of routes.values()) communities.sort();
  return routes;
}

function contributionsOf({ defaultCommunity }: Life, module: ModuleModel): Contribution[] {
  const of = (own: { value: string } | null, texts: readonly string[]): Contribution => ({
    community: (own ?? module.community ?? defaultCommunity)?.value ?? null,
    prefixes: texts.map(parsed).filter(({ family }) => module.families.includes(family)),
  });
  return [
    ...module.ranges.filter(({ enabled }) => enabled).map(({ community, cidr }) => of(community, [cidr])),
    ...module.sources
      .filter(({ enabled }) => enabled)
      .map(({ community, held }) => of(community, held ?? [])),
  ];
}

const known = new Map<string, BigPrefix>();

function parsed(text: string): BigPrefix {
  let prefix = known.get(text);
  if (prefix === undefined) known.set(text, (prefix = parsePlainPrefix(text)));
  return prefix;
}

function coverOf(family: Family, prefixes: readonly BigPrefix[], excluded: readonly BigPrefix[]): string[] {
  const of = (some: readonly BigPrefix[]): AddressRanges =>
    some.length === 0 ? NOTHING : AddressRanges.of(some.filter((prefix) => prefix.family === family));
  const left = of(prefixes).subtract(of(excluded));
  return left.ranges.length === 0 ? [] : left.minimalCover(family).map(plainText);
}

/** What became of a source when it was asked. */
export type Collected = 'good' | 'failed';

/** The module's enabled sources are asked, and those that are disabled are forgotten. */
export function collect(life: Life, module: ModuleModel): Collected[] {
  const asked = module.sources.map((source): Collected | null => {
    if (source.enabled) return collectSource(life, module, source);
    source.held = null;
    return null;
  });
  return asked.filter((outcome) => outcome !== null);
}

/** Whether every source of the module that would be asked fails. */
export function isHopeless(life: Life, module: ModuleModel): boolean {
  const asked = module.sources.filter(({ enabled }) => enabled);
  return asked.length > 0 && asked.every((source) => collectSource(life, module, { ...source }) === 'failed');
}

function collectSource(life: Life, { canBeEmpty }: ModuleModel, source: SourceModel): Collected {
  const answer: Answer = life.answers.get(source.path) ?? { kind: 'failure', status: 404 };
  if (answer.kind === 'list') source.held = answer.rows;
  else if (answer.kind === 'nothing' && canBeEmpty) source.held = null;
  else return 'failed';
  return 'good';
}

/** Whether the speaker is to hold a session with the peer. */
export function isServed(peer: PeerModel, speaker: SpeakerModel): boolean {
  return (
    peer.enabled &&
    speaker.enabled &&
    (peer.speakers.length === 0 || peer.speakers.some(({ id }) => id === speaker.id))
  );
}

const NO_EXPORT = '65535:65281';

/** What the peer is to hold from the speaker: prefix to communities, as a router shows them. */
export function heardBy(peer: PeerModel, speaker: SpeakerModel): Routes {
  const heard = new Map<string, readonly string[]>();
  if (!isServed(peer, speaker) || speaker.applied === null) return heard;
  const wanted = peer.communities.map(({ value }) => value);
  for (const [prefix, communities] of speaker.applied.routes) {
    const family = prefix.includes(':') ? 'ipv6' : 'ipv4';
    const carried = wanted.length === 0 ? communities : communities.filter((one) => wanted.includes(one));
    if (!peer.families.includes(family) || (wanted.length > 0 && carried.length === 0)) continue;
    if (family === 'ipv6' && !peer.hasNextHop6) continue;
    heard.set(prefix, [...carried, NO_EXPORT].sort());
  }
  return heard;
}

/** The routes that hold the address, the shortest prefix first. */
export function routesAround(routes: Routes, address: string): string[] {
  const { family, first } = parsed(address);
  return [...routes.keys()]
    .filter((prefix) => parsed(prefix).family === family && parsed(prefix).contains(first))
    .sort((a, b) => parsed(a).length - parsed(b).length);
}

/** Prefix and communities as one line each, sorted: equal routes are equal lines. */
export function linesOf(routes: Routes): string[] {
  return Array.from(routes, ([prefix, communities]) => `${prefix} ${communities.join(' ')}`.trim()).sort();
}

/** What the first lacks of the second, and the other way round, in a few lines; null: they are equal. */
export function differenceOf(found: Routes, wanted: Routes): string | null {
  const [has, needs] = [linesOf(found), linesOf(wanted)].map((lines) => new Set(lines)) as [
    Set<string>,
    Set<string>,
  ];
  const missing = [...needs].filter((line) => !has.has(line));
  const extra = [...has].filter((line) => !needs.has(line));
  if (missing.length + extra.length === 0) return null;
  const some = (lines: string[]): string =>
    lines.length === 0
      ? 'none'
      : `${lines.slice(0, 8).join(', ')}${lines.length > 8 ? ` … (${lines.length})` : ''}`;
  return `missing: ${some(missing)}; too much: ${some(extra)}`;
}

/** Announced, withdrawn and changed from one to the other. */
export function changesBetween(
  before: Routes,
  after: Routes,
): Record<'announced' | 'withdrawn' | 'changed', number> {
  const keys = [...after.keys()];
  return {
    announced: keys.filter((prefix) => !before.has(prefix)).length,
    withdrawn: [...before.keys()].filter((prefix) => !after.has(prefix)).length,
    changed: keys.filter(
      (prefix) =>
        before.get(prefix) !== undefined && before.get(prefix)!.join() !== after.get(prefix)!.join(),
    ).length,
  };
}

export function familyOf(address: string): Family {
  return isIPv4(address.split('/')[0]!) ? 'ipv4' : 'ipv6';
}
