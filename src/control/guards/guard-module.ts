/** What a module breaks by itself, as if it were alone: pure checks, for threads and tests alike. */
import { WHO_LOOSENS } from '../../policy/limits.ts';
import type { Finding } from '../../api/revisions/revisions.ts';
import { FAMILIES, type Family } from '../../core/address.ts';
import { type PrefixSet, intersect, setOfRows } from '../../core/sets/prefix-set.ts';
import { formatPrefixAt } from '../../core/prefix.ts';
import { type Contribution, buildRevisionTable } from '../../core/tables/revision-table.ts';
import type { RowsOfLabel } from '../../core/tables/rows-by-label.ts';
import { coveredPercent } from './coverage.ts';
import { type Found, type LabelledSet, MAXIMUM_EXAMPLES, inspectCoverage, inspectRows } from './guard.ts';
import type { Guardrails } from './guardrails.ts';

/** What each entry of a module contributed. */
export type EntryParts = ReadonlyMap<string, RowsOfLabel>;

/** Entries that a finding of one guardrail names one by one. */
const MAXIMUM_ENTRIES = 10;

/** A module, and what it adds to a revision or cuts out of it. */
export interface ModuleToJudge {
  readonly id: string;
  readonly name: string;
  readonly purpose: 'announce' | 'exclude';
  /** Whether it is read from somewhere, and so may change without an operator. */
  readonly isCollected: boolean;
  readonly contributions: readonly Contribution[];
}

/**
 * The guardrails about routes that the module breaks by itself. How much it covers counts before exclusions: what cuts a hole into a
 * default route leaves one. All else counts behind them, since that is how an address is kept out of a list.
 * @param entries by which findings name entries; null: they name none
 */
export function judgeModule(
  module: ModuleToJudge,
  exclusions: readonly PrefixSet[],
  guardrails: Guardrails,
  entries: EntryParts | null = null,
): Finding[] {
  if (module.purpose === 'exclude')
    return judgeExclusion(module, guardrails).flatMap((one) =>
      nameEntries(inModule(one, module), entries, () => null),
    );
  const { contributions } = module;
  const { table } = buildRevisionTable({ contributions, exclusions });
  return FAMILIES.flatMap((family) => {
    const found = [
      ...inspectCoverage(family, setsOf(contributions, family), guardrails),
      ...inspectRows(table, family, guardrails),
    ];
    return found.flatMap((one) =>
      nameEntries(inModule(one, module), entries, (part) => {
        const own = inspectRows(table, family, guardrails, new Map(), part);
        const same = own.find(({ rule }) => rule === one.rule);
        return same === undefined ? null : inModule(same, module).finding;
      }),
    );
  });
}

/** A list that cuts out nearly everything takes every route away, as surely as one that vanishes. Operators may want that. */
function judgeExclusion({ isCollected, contributions }: ModuleToJudge, guardrails: Guardrails): Found[] {
  if (!isCollected) return [];
  return FAMILIES.flatMap((family) =>
    inspectCoverage(family, setsOf(contributions, family), { ...guardrails, allowDefaultRoute: false }),
  ).map(({ finding, ...rest }) => ({
    ...rest,
    finding: {
      ...finding,
      code: 'coverage_exceeded',
      limit: guardrails.maxCoveragePercent,
      detail: `It would take ${finding.measured} % of what is routed on the Internet out of every community, and guard_max_coverage_percent is ${guardrails.maxCoveragePercent}. Correct the entry, or have the setting raised ${WHO_LOOSENS}.`,
    },
  }));
}

export function setsOf(contributions: readonly Contribution[], family: Family): LabelledSet[] {
  return contributions.filter(({ set }) => set.family === family);
}

function inModule({ finding, ...rest }: Found, { id, name }: ModuleToJudge): Found {
  return { ...rest, finding: { ...finding, module_id: id, detail: `Module ${name}: ${finding.detail}` } };
}

/**
 * A finding for each entry that has part in it, with its own numbers; of a share of the address space, the entry with most of it.
 * @param findAmong what the guardrail says of the routes that these addresses are in; null: it looks at all of them together
 */
function nameEntries(
  { finding, family, routes }: Found,
  entries: EntryParts | null,
  findAmong: (part: PrefixSet) => Finding | null,
): Finding[] {
  if (entries === null) return [finding];
  const isShare = finding.code === 'default_route_forbidden' || finding.code === 'coverage_exceeded';
  const parts = [];
  for (const [entryId, lists] of entries) {
    const own = setOfRows(lists[family]);
    const part = intersect(own, routes);
    if (part.size > 0) parts.push({ entryId, part, own });
  }
  if (parts.length === 0) return [finding];
  if (isShare) {
    const percents = parts.map(({ entryId, own }) => ({ entryId, percent: coveredPercent(own) }));
    const [most] = percents.sort((a, b) => b.percent - a.percent);
    return [{ ...finding, entry_id: most!.entryId }];
  }
  if (parts.length === 1) return [{ ...finding, entry_id: parts[0]!.entryId }];
  return parts
    .sort((a, b) => b.part.size - a.part.size)
    .slice(0, MAXIMUM_ENTRIES)
    .map(({ entryId, part }) => {
      const own = findAmong(part) ?? finding;
      return { ...own, entry_id: entryId, examples: examplesOf(part) };
    });
}

function examplesOf(set: PrefixSet): string[] {
  return Array.from({ length: Math.min(set.size, MAXIMUM_EXAMPLES) }, (_, row) => formatPrefixAt(set, row));
}
