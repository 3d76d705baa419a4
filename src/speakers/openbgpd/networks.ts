/** The networks that OpenBGPD announces for us, by their mark, and the changes from one set of them to another. */
import { FAMILIES, widthOf, type Family } from '../../core/address.ts';
import type { Community } from '../../core/community.ts';
import { diffTables } from '../../core/tables/diff.ts';
import { formatLines } from '../../core/prefix-format.ts';
import type { PrefixRows, PrefixTable } from '../../core/tables/prefix-table.ts';
import type { PrefixList } from '../../core/prefix.ts';
import { communitiesOf } from '../export-policy.ts';
import type { RoutesModel } from '../speaker.ts';
import { markOf } from './marks.ts';

/** Routes with equal communities. */
export interface MarkedGroup {
  readonly mark: string;
  readonly communities: readonly Community[];
  readonly size: Readonly<Record<Family, number>>;
}

/** Networks that one command announces or withdraws. */
export interface NetworkList {
  readonly mark: string;
  readonly lists: readonly PrefixList[];
}

export interface NetworkChanges {
  readonly add: readonly NetworkList[];
  readonly remove: readonly PrefixList[];
}

/** Groups in the order of label sets, without empty ones. O(rows). */
export function groupRoutes(routes: RoutesModel): MarkedGroup[] {
  const groups = new Map<string, { communities: readonly Community[]; size: Record<Family, number> }>();
  const groupOf = routes.table.labelSets.map((labels) => {
    const communities = communitiesOf(labels, routes);
    const mark = markOf(communities);
    const group = groups.get(mark) ?? { communities, size: { ipv4: 0, ipv6: 0 } };
    groups.set(mark, group);
    return group;
  });
  for (const family of FAMILIES) for (const set of routes.table[family].labels) groupOf[set]!.size[family]++;
  return [...groups]
    .map(([mark, group]) => ({ mark, ...group }))
    .filter(({ size }) => size.ipv4 + size.ipv6 > 0);
}

/** The changes for an OpenBGPD that announces `before`. A network that is announced with another mark replaces the old one. O(rows). */
export function changesBetween(before: PrefixTable, after: RoutesModel): NetworkChanges {
  const diff = diffTables(before, after.table);
  const marks = after.table.labelSets.map((labels) => markOf(communitiesOf(labels, after)));
  const add = new Map<string, PrefixList[]>();
  for (const family of FAMILIES) {
    const rows = after.table[family];
    const { announced, changed } = diff[family];
    const wanted = changed.filter((_row, place) => place % 2 === 1);
    for (const [mark, of] of rowsByMark(rows, marks, announced, wanted))
      add.set(mark, [...(add.get(mark) ?? []), pick(rows, of)]);
  }
  return {
    add: [...add].map(([mark, lists]) => ({ mark, lists })),
    remove: FAMILIES.map((family) => pick(before[family], diff[family].withdrawn)).filter(
      ({ size }) => size > 0,
    ),
  };
}

function rowsByMark(
  { labels }: PrefixRows,
  marks: readonly string[],
  ...parts: readonly Uint32Array[]
): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const part of parts)
    for (const row of part) {
      const mark = marks[labels[row]!]!;
      const rows = found.get(mark);
      if (rows === undefined) found.set(mark, [row]);
      else rows.push(row);
    }
  return found;
}

function pick({ family, words, lengths }: PrefixRows, rows: ArrayLike<number>): PrefixList {
  const width = widthOf(family);
  const size = rows.length;
  const list = { family, size, words: new Uint32Array(size * width), lengths: new Uint8Array(size) };
  for (let to = 0; to < size; to++) {
    const row = rows[to]!;
    for (let w = 0; w < width; w++) list.words[to * width + w] = words[row * width + w]!;
    list.lengths[to] = lengths[row]!;
  }
  return list;
}

/** Prefixes formatted in one piece: a few milliseconds. */
const PIECE = 1 << 14;

/** The text of the lists, a prefix a line, as `bgpctl network bulk` reads it. */
export function* linesOf(lists: readonly PrefixList[]): Generator<Uint8Array, void> {
  for (const list of lists)
    for (let from = 0; from < list.size; from += PIECE)
      yield formatLines(list, from, Math.min(from + PIECE, list.size));
}
