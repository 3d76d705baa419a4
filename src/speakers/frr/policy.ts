/**
 * What a peer is sent, as a route map with the lists that it refers to. A route passes the entries in order: one checks whether the peer
 * receives it at all, the next ones remove communities that the peer does not receive, set the next hop, and replace marks by well-known
 * communities.
 */
import type { Family } from '../../core/address.ts';
import { formatCommunity, type Community } from '../../core/community.ts';
import { BARS } from '../bars.ts';
import type { ExportPolicy } from '../export-policy.ts';
import { MARKS, NO_EXPORT, setOf, type CommunitySet } from './communities.ts';
import { contentName, marksName } from './names.ts';
import type { Statement } from './statements.ts';

export interface RouteMap {
  readonly name: string;
  /** The lists first. */
  readonly statements: readonly Statement[];
}

interface Entry {
  readonly permits: boolean;
  readonly lines: readonly string[];
  /** Where a matching route continues: at the next entry, or at that section; null: it is done. */
  readonly then: 'next' | Section | null;
}

type Section = 'narrow' | 'next hop' | 'marks';

type List = 'community' | 'large-community';

/**
 * Null when the peer receives nothing.
 * @param hasBars whether routes may carry bars, which are expensive to match
 */
export function routeMap(tag: string, policy: ExportPolicy, hasBars = false): RouteMap | null {
  const exported = policy.exported === null ? null : setOf(policy.exported);
  if (exported !== null && exported.standard.length + exported.large.length === 0) return null;
  const lists = new Lists(tag);
  const entries: (Entry | Section)[] = [
    ...(policy.bar === null ? [] : [barEntry(policy.bar, lists)]),
    ...(exported === null ? [] : exportedEntries(exported, lists)),
    'narrow',
    ...(exported === null ? unbarringEntries(hasBars, lists) : narrowingEntries(exported, lists)),
    'next hop',
    ...nextHopEntries(policy, lists),
    'marks',
    {
      permits: true,
      lines: [lists.match('large-community', ALL_MARKS), `call ${marksName(tag)}`],
      then: 'next',
    },
    { permits: true, lines: policy.noExport ? [`set community ${NO_EXPORT} additive`] : [], then: null },
  ];
  const numbered = number(entries);
  const content = numbered.map((lines) => lines.join('\n')).join('\n');
  const name = contentName(tag, 'out', content);
  return { name, statements: [...lists.statements, ...statementsOf(name, numbered)] };
}

/** Replaces marks by the well-known communities. Every other route map calls it. */
export function marksRouteMap(tag: string): readonly Statement[] {
  const lists = new Lists(tag);
  const restoring = MARKS.map(({ mark, community }): Entry => ({
    permits: true,
    lines: [lists.match('large-community', [mark]), `set community ${community} additive`],
    then: 'next',
  }));
  const all = lists.any('large-community', ALL_MARKS);
  const numbered = number([
    ...restoring,
    { permits: true, lines: [`set large-comm-list ${all} delete`], then: null },
  ]);
  return [...lists.statements, ...statementsOf(marksName(tag), numbered)];
}

function statementsOf(name: string, numbered: readonly (readonly string[])[]): Statement[] {
  return numbered.flatMap(([head, ...lines]): Statement[] => {
    const heading = `route-map ${name} ${head}`;
    return [[heading], ...lines.map((line): Statement => [heading, line])];
  });
}

const ALL_MARKS = MARKS.map(({ mark }) => mark);

function barEntry(bar: Community, lists: Lists): Entry {
  return { permits: false, lines: [lists.match('large-community', [formatCommunity(bar)])], then: null };
}

/** Bars must not leave FRR. */
function unbarringEntries(hasBars: boolean, lists: Lists): Entry[] {
  return hasBars
    ? [{ permits: true, lines: [`set large-comm-list ${lists.bars()} delete`], then: 'next' }]
    : [];
}

function exportedEntries({ standard, large }: CommunitySet, lists: Lists): Entry[] {
  const entry = (kind: List, texts: readonly string[]): Entry[] =>
    texts.length === 0 ? [] : [{ permits: true, lines: [lists.match(kind, texts)], then: 'narrow' }];
  return [
    ...entry('community', standard),
    ...entry('large-community', large),
    { permits: false, lines: [], then: null },
  ];
}

/** Removes the communities that the peer is not configured to receive. */
function narrowingEntries({ standard, large }: CommunitySet, lists: Lists): Entry[] {
  const lines = [
    `set comm-list ${lists.allBut('community', standard)} delete`,
    `set large-comm-list ${lists.allBut('large-community', large)} delete`,
  ];
  return lines.map((line): Entry => ({ permits: true, lines: [line], then: 'next' }));
}

function nextHopEntries({ family, nextHops, otherwise }: ExportPolicy, lists: Lists): Entry[] {
  const entries = nextHops.map(({ of, address }): Entry => {
    const { standard, large } = setOf([of]);
    const match =
      large.length === 0 ? lists.match('community', standard) : lists.match('large-community', large);
    return { permits: true, lines: [match, setNextHop(family, address)], then: 'marks' };
  });
  if (otherwise === 'none') return [...entries, { permits: false, lines: [], then: null }];
  if (otherwise === 'self') return entries;
  return [...entries, { permits: true, lines: [setNextHop(family, otherwise)], then: 'next' }];
}

function setNextHop(family: Family, address: string): string {
  return family === 'ipv4' ? `set ip next-hop ${address}` : `set ipv6 next-hop global ${address}`;
}

/** Action and number of each entry, then its lines. The step is one, since FRR's numbers end at 65,535. */
function number(steps: readonly (Entry | Section)[]): string[][] {
  const starts = new Map<Section, number>();
  const entries: Entry[] = [];
  for (const step of steps) {
    if (typeof step === 'string') starts.set(step, entries.length + 1);
    else entries.push(step);
  }
  return entries.map(({ permits, lines, then }, i) => {
    const target = then === null || then === 'next' ? then : `goto ${starts.get(then)!}`;
    const head = `${permits ? 'permit' : 'deny'} ${i + 1}`;
    return [head, ...(target === null ? [] : [`on-match ${target}`]), ...lines];
  });
}

/** Lists of communities, without duplicates. */
class Lists {
  readonly #tag: string;
  readonly #byName = new Map<string, readonly Statement[]>();

  constructor(tag: string) {
    this.#tag = tag;
  }

  get statements(): Statement[] {
    return [...this.#byName.values()].flat();
  }

  /** A condition that matches routes with any of them. */
  match(kind: List, texts: readonly string[]): string {
    return `match ${kind} ${this.any(kind, texts)}`;
  }

  any(kind: List, texts: readonly string[]): string {
    return this.#add(
      'any',
      `bgp ${kind}-list standard`,
      texts.map((text) => `permit ${text}`),
    );
  }

  /** Matches every community except these. */
  allBut(kind: List, texts: readonly string[]): string {
    return this.#add('all_but', `bgp ${kind}-list expanded`, [
      ...texts.map((text) => `deny ^${text}$`),
      'permit .*',
    ]);
  }

  /** Matches every bar. */
  bars(): string {
    return this.#add('bars', 'bgp large-community-list expanded', [`permit ^${BARS.asn}:${BARS.data1}:.*$`]);
  }

  #add(form: 'any' | 'all_but' | 'bars', head: string, rules: readonly string[]): string {
    const name = contentName(this.#tag, form, `${head}\n${rules.join('\n')}`);
    this.#byName.set(
      name,
      rules.map((rule, i): Statement => [`${head} ${name} seq ${(i + 1) * 5} ${rule}`]),
    );
    return name;
  }
}
