/** Communities as GoBGP's policies write them: only numbers between colons. */
import { formatCommunity, parseCommunity, type Community } from '../../core/community.ts';
import { relabelTable, type PrefixTable } from '../../core/tables/prefix-table.ts';
import type { RoutesModel } from '../speaker.ts';

/** Texts such as `65000:100` and `65000:1:100`, each once. */
export interface CommunitySet {
  readonly standard: readonly string[];
  readonly large: readonly string[];
}

export const NO_EXPORT = '65535:65281';

export function setOf(communities: readonly Community[]): CommunitySet {
  const standard: string[] = [];
  const large: string[] = [];
  for (const community of communities) {
    if (community.kind === 'well-known')
      standard.push(`${community.value >>> 16}:${community.value & 0xffff}`);
    else (community.kind === 'large' ? large : standard).push(formatCommunity(community));
  }
  return { standard, large };
}

/** The communities of `all` that are not in `some`. */
export function without(all: CommunitySet, some: CommunitySet): CommunitySet {
  return {
    standard: all.standard.filter((text) => !some.standard.includes(text)),
    large: all.large.filter((text) => !some.large.includes(text)),
  };
}

/** One expression for all of them: GoBGP tries expressions one after the other, for each community of each route. */
export function expressionOf(texts: readonly string[]): string {
  return `^(${texts.join('|')})$`;
}

/** The table with the communities on the wire as labels, so that equal labels are equal routes in GoBGP. */
export function wireTable({ table, labels }: RoutesModel): PrefixTable {
  const textOf = (label: string): string | null => {
    const parsed = parseCommunity(labels[label]?.community ?? label);
    return parsed.ok ? formatCommunity(parsed.value) : null;
  };
  if (table.labelSets.every((set) => set.every((label) => textOf(label) === label))) return table;
  return relabelTable(table, textOf);
}
