/**
 * Groups routes by what they carry: one group for each distinct set of communities and family. A group is one static protocol, whose import
 * filter adds the communities; BIRD reads that several times faster than communities on every route.
 */
import { createHash } from 'node:crypto';
import { FAMILIES, widthOf, type Family } from '../../../core/address.ts';
import { formatLines } from '../../../core/prefix-format.ts';
import type { PrefixList } from '../../../core/prefix.ts';
import type { RoutesModel } from '../../speaker.ts';
import { communitySetOf, type CommunitySet } from './communities.ts';
import { groupName } from './names.ts';

export interface RouteGroup {
  readonly name: string;
  readonly family: Family;
  readonly communities: CommunitySet;
  readonly prefixes: PrefixList;
  /** SHA-256 of the content of the group's file: equal files have equal names. */
  readonly hash: string;
}

/** The number of routes that carry the same communities, where the routes themselves are not needed. */
export interface GroupSize {
  readonly name: string;
  readonly family: Family;
  readonly communities: CommunitySet;
  readonly size: number;
}

/** Groups in the order of families and label sets. O(rows). */
export function groupRoutes(tag: string, routes: RoutesModel): RouteGroup[] {
  return FAMILIES.flatMap((family) => groupFamily(tag, routes, family));
}

/** Sizes of the groups of {@link groupRoutes}, including empty ones. O(rows), without a copy of the routes. */
export function countGroups(tag: string, routes: RoutesModel): GroupSize[] {
  return FAMILIES.flatMap((family) => sizesOf(tag, routes, family).groups);
}

function sizesOf(
  tag: string,
  routes: RoutesModel,
  family: Family,
): { readonly groups: readonly GroupSize[]; readonly groupOf: Uint32Array } {
  const { labelSets, [family]: rows } = routes.table;
  const groups: { name: string; family: Family; communities: CommunitySet; size: number }[] = [];
  const indexOf = new Map<string, number>();
  // Labels without a meaning on the wire make different label sets equal.
  const groupOf = Uint32Array.from(labelSets, (labels) => {
    const communities = communitySetOf(labels, routes);
    const name = groupName(tag, family, [...communities.standard, ...communities.large].join(' '));
    const index = indexOf.get(name) ?? groups.push({ name, family, communities, size: 0 }) - 1;
    indexOf.set(name, index);
    return index;
  });
  for (let row = 0; row < rows.size; row++) groups[groupOf[rows.labels[row]!]!]!.size++;
  return { groups, groupOf };
}

function groupFamily(tag: string, routes: RoutesModel, family: Family): RouteGroup[] {
  const rows = routes.table[family];
  const width = widthOf(family);
  const { groups, groupOf } = sizesOf(tag, routes, family);
  const next = new Uint32Array(groups.length);
  const lists = groups.map(({ size }) => ({
    ...{ family, size },
    words: new Uint32Array(size * width),
    lengths: new Uint8Array(size),
  }));
  for (let row = 0; row < rows.size; row++) {
    const index = groupOf[rows.labels[row]!]!;
    const list = lists[index]!;
    const to = next[index]!++;
    for (let w = 0; w < width; w++) list.words[to * width + w] = rows.words[row * width + w]!;
    list.lengths[to] = rows.lengths[row]!;
  }
  return groups.flatMap(({ name, communities }, index) => {
    const prefixes = lists[index]!;
    return prefixes.size === 0 ? [] : [{ name, family, communities, prefixes, hash: hashOf(prefixes) }];
  });
}

/** Hashes the numbers, which are a quarter of the text. */
function hashOf({ family, words, lengths }: PrefixList): string {
  const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
  return createHash('sha256').update(`routes 1 ${family}\n`).update(bytes).update(lengths).digest('hex');
}

const LF = 0x0a;
const BEFORE = Buffer.from('route ');
const BEHIND = Buffer.from(' blackhole;\n');

/**
 * Lines of the group's file, from one prefix to another (not included): routes that are announced but forward nowhere. This is a hot path,
 * so no string is made.
 */
export function renderRoutes({ prefixes }: RouteGroup, from = 0, to = prefixes.size): Uint8Array {
  const lines = formatLines(prefixes, from, to);
  const bytes = new Uint8Array(lines.length + (to - from) * (BEFORE.length + BEHIND.length - 1));
  let at = 0;
  for (let i = 0; i < lines.length; i++) {
    bytes.set(BEFORE, at);
    at += BEFORE.length;
    for (; lines[i] !== LF; i++) bytes[at++] = lines[i]!;
    bytes.set(BEHIND, at);
    at += BEHIND.length;
  }
  return bytes;
}
