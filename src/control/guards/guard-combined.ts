/** What modules break only together: pure checks of a revision, for threads and tests alike. */
import type { ProblemCode } from '../../api/problems/problem.ts';
import type { Finding } from '../../api/revisions/revisions.ts';
import { FAMILIES, type Family } from '../../core/address.ts';
import type { PrefixRows, PrefixTable } from '../../core/tables/prefix-table.ts';
import type { PrefixSet } from '../../core/sets/prefix-set.ts';
import { holdsRow } from '../../core/sets/within.ts';
import type { Contribution } from '../../core/tables/revision-table.ts';
import { unionOf } from './coverage.ts';
import { type Found, findTooMany, inspectCoverage, inspectRows } from './guard.ts';
import { OPEN_POLICY } from '../../policy/policy-guardrail.ts';
import { setsOf } from './guard-module.ts';
import type { Guardrails } from './guardrails.ts';

const TOO_SHORT = 'prefix_too_short' satisfies ProblemCode;

/** What one module adds. */
export interface ShareOfMany {
  readonly contributions: readonly Contribution[];
  /** The guardrails that it was let through for. */
  readonly released: readonly string[];
}

/**
 * The guardrails that the revision breaks although none of its modules does: prefixes of several that merge into one that is too short,
 * or cover too much together, and the number of all prefixes. What a module breaks by itself is reported for that module.
 */
export function inspectCombined(
  table: PrefixTable,
  shares: readonly ShareOfMany[],
  guardrails: Guardrails,
): Finding[] {
  return [
    ...FAMILIES.flatMap((family) => [
      ...coveredTogether(shares, family, guardrails),
      ...mergedTooShort(table, family, shares, guardrails),
    ]).map(({ finding }) => finding),
    ...findTooMany(table, guardrails),
  ];
}

function coveredTogether(shares: readonly ShareOfMany[], family: Family, guardrails: Guardrails): Found[] {
  const together = (counted: readonly ShareOfMany[]): Found[] =>
    inspectCoverage(
      family,
      counted.flatMap(({ contributions }) => setsOf(contributions, family)),
      guardrails,
    );
  const [found] = together(shares);
  if (found === undefined) return [];
  const { code } = found.finding;
  const counted = shares.filter(({ released }) => !released.includes(code));
  const isOfOne = counted.some((share) => together([share]).some(({ finding }) => finding.code === code));
  if (isOfOne) return [];
  if (counted.length === shares.length) return [found];
  return together(counted);
}

function mergedTooShort(
  table: PrefixTable,
  family: Family,
  shares: readonly ShareOfMany[],
  guardrails: Guardrails,
): Found[] {
  const rows = table[family];
  const short = inspectRows(table, family, {
    ...guardrails,
    bogons: 'allow',
    protected: [],
    policy: OPEN_POLICY,
  });
  if (short.length === 0) return [];
  const setsOfAll = (some: readonly ShareOfMany[]): PrefixSet[] =>
    some.flatMap(({ contributions }) => setsOf(contributions, family).map(({ set }) => set));
  // What was let through of each stays so where it merges.
  const letThrough = shares.filter(({ released }) => released.includes(TOO_SHORT));
  const sets = [...setsOfAll(shares), unionOf(family, setsOfAll(letThrough))];
  const isOfOne = (row: number): boolean => sets.some((set) => holdsRow(set, rows, row));
  const merged = shortRows(rows, guardrails).filter((row) => !isOfOne(row));
  if (merged.length === 0) return [];
  return inspectRows({ ...table, [family]: pick(rows, merged) }, family, {
    ...guardrails,
    bogons: 'allow',
    protected: [],
  });
}

function shortRows({ size, lengths, family }: PrefixRows, { minLength }: Guardrails): number[] {
  return Array.from({ length: size }, (_, row) => row).filter((row) => lengths[row]! < minLength[family]);
}

function pick({ family, words, lengths, labels }: PrefixRows, chosen: readonly number[]): PrefixRows {
  const width = family === 'ipv4' ? 1 : 4;
  return {
    family,
    size: chosen.length,
    words: Uint32Array.from(chosen.flatMap((row) => [...words.subarray(row * width, (row + 1) * width)])),
    lengths: Uint8Array.from(chosen, (row) => lengths[row]!),
    labels: Uint32Array.from(chosen, (row) => labels[row]!),
  };
}
