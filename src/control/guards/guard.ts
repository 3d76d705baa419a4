/** The guardrails that a table of routes must keep, whatever it was built from: pure checks, for threads and tests alike. */
import { counted } from '../../api/shapes/counted.ts';
import type { ProblemCode } from '../../api/problems/problem.ts';
import type { Finding } from '../../api/revisions/revisions.ts';
import { FAMILIES, type Family, bitsOf, widthOf } from '../../core/address.ts';
import {
  PrefixSetBuilder,
  type PrefixSet,
  coveredAddresses,
  setOfRows,
  subtract,
} from '../../core/sets/prefix-set.ts';
import type { PrefixRows, PrefixTable } from '../../core/tables/prefix-table.ts';
import { formatPrefixAt, parsePrefix, prefixAt } from '../../core/prefix.ts';
import { groupByLabel, listsByLabel } from '../../core/tables/rows-by-label.ts';
import { setOfTexts } from '../../core/sets/set-of-texts.ts';
import { specialPurpose, specialPurposeSet } from '../../core/sets/special-purpose.ts';
import { holdsRow, meets } from '../../core/sets/within.ts';
import { CUT_FROM } from '../../sources/bogons.ts';
import type { Bad, Find } from './bad-rows.ts';
import { DEFAULT_ROUTE_PERCENT, coveredPercent, unicastAddresses, unionOf } from './coverage.ts';
import { WHO_LOOSENS, allowedSets } from '../../policy/limits.ts';
import { findOutsidePolicy } from './guard-policy.ts';
import type { Guardrails, ProtectedPrefix } from './guardrails.ts';

/** Prefixes that a finding names. */
export const MAXIMUM_EXAMPLES = 10;

const FAMILY_NAMES: Readonly<Record<Family, string>> = { ipv4: 'IPv4', ipv6: 'IPv6' };

/** Addresses that somebody let through although they break the guardrail of this code. */
export type Exempt = ReadonlyMap<string, Readonly<Record<Family, PrefixSet>>>;

/** A finding with what it is about, so that a reader sees where that comes from. */
export interface Found {
  readonly finding: Finding;
  /** The same for the same check of other routes: several checks may have one code. */
  readonly rule: string;
  readonly family: Family;
  /** The addresses of the routes that break the guardrail. */
  readonly routes: PrefixSet;
}

/** Every guardrail about routes that the table breaks, once for each family. O(rows x log(protected)). */
export function inspectTable(
  table: PrefixTable,
  guardrails: Guardrails,
  exempt: Exempt = new Map(),
): Finding[] {
  return [
    ...FAMILIES.flatMap((family) => [
      ...inspectCoverage(family, labelledSets(table, family, guardrails), guardrails, exempt),
      ...inspectRows(table, family, guardrails, exempt),
    ]).map(({ finding }) => finding),
    ...findTooMany(table, guardrails),
  ];
}

/** The sets of the communities, and of routes without any; all in one, where they are far from any limit together. */
function labelledSets(table: PrefixTable, family: Family, guardrails: Guardrails): LabelledSet[] {
  const all = [{ community: null, set: setOfRows(table[family]) }];
  if (isFarFrom(family, all, guardrails)) return all;
  const lists = listsByLabel(groupByLabel(table));
  const sets = Array.from(lists, ([community, list]) => ({ community, set: setOfRows(list[family]) }));
  return [...sets, ...all];
}

/**
 * The guardrails that look at each route by itself.
 * @param within only routes that share an address with these; null: all
 */
export function inspectRows(
  table: PrefixTable,
  family: Family,
  guardrails: Guardrails,
  exempt: Exempt = new Map(),
  within: PrefixSet | null = null,
): Found[] {
  const rows = table[family];
  const find: Find = (code, isBad) => {
    const isAsked = within === null ? isBad : (row: number) => isBad(row) && meets(rows, row, within);
    return findRows(table, rows, code, isAsked, exempt.get(code)?.[family]);
  };
  return [
    findShort(rows, guardrails, find),
    guardrails.bogons === 'allow' ? null : findBogons(rows, find),
    findProtected(rows, guardrails, exempt, find),
    ...findOutsidePolicy(
      table,
      rows,
      guardrails.policy,
      allowedByPolicy(family, guardrails, exempt),
      find,
    ).map(({ bad, rule, detail }) => ({
      ...toFinding(bad, detail, { measured: bad.count, limit: 0 }),
      rule,
    })),
  ].filter((found) => found !== null);
}

/** A set whose routes carry this community. */
export interface LabelledSet {
  readonly community: string | null;
  readonly set: PrefixSet;
}

/** The guardrails about how much of the family these sets of it cover together. */
export function inspectCoverage(
  family: Family,
  sets: readonly LabelledSet[],
  guardrails: Guardrails,
  exempt: Exempt = new Map(),
): Found[] {
  if (guardrails.allowDefaultRoute || isFarFrom(family, sets, guardrails)) return [];
  const routes = unionOf(
    family,
    sets.map(({ set }) => set),
  );
  for (const limit of coverageLimits(guardrails)) {
    const released = exempt.get(limit.code)?.[family];
    const measured = coveredPercent(released === undefined ? routes : subtract(routes, released));
    // What is as good as a default route need not be called too much as well.
    if (limit.isOver(measured)) return [excessCoverage(limit, measured, sets, routes)];
  }
  return [];
}

/** A limit of how much of a family may be covered, in percent. */
interface CoverageLimit {
  readonly code: ProblemCode;
  readonly limit: number;
  readonly isOver: (percent: number) => boolean;
  /** What it means to be over it, behind a comma. */
  readonly meaning: string;
  readonly advice: string;
}

/** The one that says more comes first. */
function coverageLimits({ maxCoveragePercent: most }: Guardrails): readonly CoverageLimit[] {
  return [
    {
      code: 'default_route_forbidden',
      limit: DEFAULT_ROUTE_PERCENT,
      isOver: (percent) => percent >= DEFAULT_ROUTE_PERCENT,
      meaning: 'which is a default route by other means',
      advice:
        'Correct the entry they come from. If it is meant, a super role sets guard_allow_default_route.',
    },
    {
      code: 'coverage_exceeded',
      limit: most,
      isOver: (percent) => percent > most,
      meaning: `and guard_max_coverage_percent is ${most}`,
      advice: `Correct the entry they come from, or have the setting raised ${WHO_LOOSENS}.`,
    },
  ];
}

/** @param routes all that the sets cover together, of which this is the share */
function excessCoverage(
  { code, limit, isOver, meaning, advice }: CoverageLimit,
  measured: number,
  sets: readonly LabelledSet[],
  routes: PrefixSet,
): Found {
  const alone = sets.filter(({ community, set }) => community !== null && isOver(coveredPercent(set)));
  const community = alone.length === 1 ? alone[0]!.community : null;
  const name = familyName(routes.family);
  const what =
    routes.lengths[0] === 0
      ? `The ${name} default route is among the prefixes.`
      : `The ${name} prefixes cover ${measured} % of what is routed on the Internet, ${meaning}.`;
  const about = { module_id: null, entry_id: null, community };
  return {
    finding: { code, detail: `${what} ${advice}`, ...about, examples: shortestOf(routes), measured, limit },
    rule: code,
    family: routes.family,
    routes,
  };
}

/** Whether the sets are below every limit even if no two of them overlap: usually true, and decided without a walk over them. */
function isFarFrom(
  family: Family,
  sets: readonly LabelledSet[],
  { maxCoveragePercent }: Guardrails,
): boolean {
  const most = sets.reduce((sum, { set }) => sum + coveredAddresses(set), 0n);
  const limit = BigInt(Math.min(maxCoveragePercent, DEFAULT_ROUTE_PERCENT));
  return most * 100n < limit * unicastAddresses(family) || most === 0n;
}

export function familyName(family: Family): string {
  return FAMILY_NAMES[family];
}

/** The widest prefixes of the set. */
function shortestOf(set: PrefixSet): string[] {
  const order = Array.from({ length: set.size }, (_, row) => row).sort(
    (a, b) => set.lengths[a]! - set.lengths[b]! || a - b,
  );
  return order.slice(0, MAXIMUM_EXAMPLES).map((row) => formatPrefixAt(set, row));
}

function findRows(
  { labelSets }: PrefixTable,
  rows: PrefixRows,
  code: ProblemCode,
  isBad: (row: number) => boolean,
  released: PrefixSet | undefined,
): Bad | null {
  const width = widthOf(rows.family);
  let count = 0;
  let first = -1;
  const examples: string[] = [];
  const sets = new Set<number>();
  const routes = new PrefixSetBuilder(rows.family);
  for (let row = 0; row < rows.size; row++) {
    if (!isBad(row) || (released !== undefined && holdsRow(released, rows, row))) continue;
    if (count++ === 0) first = row;
    if (examples.length < MAXIMUM_EXAMPLES) examples.push(formatPrefixAt(rows, row));
    routes.add(rows.words.subarray(row * width, (row + 1) * width), rows.lengths[row]!);
    sets.add(rows.labels[row]!);
  }
  if (count === 0) return null;
  const communities = new Set([...sets].flatMap((set) => labelSets[set]!));
  const community = communities.size === 1 ? [...communities][0]! : null;
  return { code, community, examples, count, first, routes: routes.build() };
}

function toFinding(
  { code, community, examples, routes }: Bad,
  detail: string,
  numbers: { readonly measured: number; readonly limit: number | null },
): Found {
  const about = { module_id: null, entry_id: null, community };
  const finding = { code, detail, ...about, examples, ...numbers };
  return { finding, rule: code, family: routes.family, routes };
}

/** The default route has a guardrail of its own. */
function findShort(rows: PrefixRows, { minLength }: Guardrails, find: Find): Found | null {
  const limit = minLength[rows.family];
  const found = find('prefix_too_short', (row) => rows.lengths[row]! < limit && rows.lengths[row] !== 0);
  if (found === null) return null;
  const detail = `${countedPrefixes(found.count, rows.family, 'is', 'are')} shorter than /${limit}, such as ${found.examples[0]}. Correct the entry they come from, or have guard_min_prefix_length_${rows.family} lowered ${WHO_LOOSENS}.`;
  return toFinding(found, detail, { measured: rows.lengths[found.first]!, limit });
}

/** What sources say was cleaned when it was read; this meets ranges and contents of a time when they were allowed. */
function findBogons(rows: PrefixRows, find: Find): Found | null {
  const special = specialPurposeSet(rows.family);
  const from = CUT_FROM[rows.family];
  const found = find('bogon_prefix', (row) => rows.lengths[row]! >= from && meets(rows, row, special));
  if (found === null) return null;
  const within = specialPurpose(prefixAt(rows, found.first));
  const what = within === null ? '' : ` (${within.name}, ${within.rfc})`;
  const detail = `${countedPrefixes(found.count, rows.family, 'holds', 'hold')} special-purpose addresses, such as ${found.examples[0]}${what}. Remove them, or have guard_bogons set to allow ${WHO_LOOSENS}.`;
  return toFinding(found, detail, { measured: found.count, limit: 0 });
}

/**
 * The default route holds every address: whoever allows it means that. Tenants that do not run the service are not named its addresses, nor does
 * what the policy holds anyway say that it has one: a wide range would else be a question for where they are.
 */
function findProtected(rows: PrefixRows, guardrails: Guardrails, exempt: Exempt, find: Find): Found | null {
  const { protected: all, namesService } = guardrails;
  const named = all.filter(({ isOfService }) => isOfService !== true || namesService);
  const hidden = all.filter((one) => !named.includes(one));
  // A route may hold more than what was let through: a neighbour that it merged with.
  const released = exempt.get('protected_prefix')?.[rows.family];
  const [namedSet, hiddenSet] = [named, hidden].map((some) => {
    const set = protectedSet(some, rows.family);
    return released === undefined ? set : subtract(set, released);
  }) as [PrefixSet, PrefixSet];
  if (namedSet.size + hiddenSet.size === 0) return null;
  const isHeld = heldByPolicy(rows, guardrails, exempt);
  const isHidden = (row: number): boolean => meets(rows, row, hiddenSet) && !isHeld(row);
  const isBad = (row: number): boolean => meets(rows, row, namedSet) || isHidden(row);
  const found = find('protected_prefix', (row) => rows.lengths[row] !== 0 && isBad(row));
  if (found === null) return null;
  const met = named.find((one) => {
    const set = protectedSet([one], rows.family);
    return set.size > 0 && meets(rows, found.first, set);
  });
  const isOne = found.count === 1;
  const counted = countedPrefixes(found.count, rows.family, 'holds', 'hold');
  const first = `${counted} protected addresses${isOne ? ': ' : ', such as '}${found.examples[0]}`;
  const detail =
    met === undefined
      ? `${first}${isOne ? '' : ', which'} holds an address of the service or its database. Ask its operator which to exclude.`
      : `${first}${metText(rows, found.first, met, isOne)}. Remove the ${isOne ? 'entry that it comes' : 'entries that they come'} from, or exclude ${met.prefix} with a module of purpose exclude.`;
  return toFinding(found, detail, { measured: found.count, limit: 0 });
}

/** How the row meets what is protected, and whose that is; where it is the same, it is named once. */
function metText(rows: PrefixRows, row: number, { prefix, of }: ProtectedPrefix, isOne: boolean): string {
  const parsed = parsePrefix(prefix);
  const length = parsed.ok ? parsed.value.length : bitsOf(rows.family);
  if (rows.lengths[row] === length) return ` (${of})`;
  return `${isOne ? '' : ', which'} ${rows.lengths[row]! > length ? 'lies in' : 'holds'} ${prefix} (${of})`;
}

function countedPrefixes(count: number, family: Family, holds: string, hold: string): string {
  return `${counted(count, `${familyName(family)} prefix`)} ${count === 1 ? holds : hold}`;
}

/** Whether the finding `tenant_policy` names the row for its addresses. */
function heldByPolicy(rows: PrefixRows, guardrails: Guardrails, exempt: Exempt): (row: number) => boolean {
  const allowed = allowedByPolicy(rows.family, guardrails, exempt);
  return (row) => allowed !== undefined && !holdsRow(allowed, rows, row);
}

/** The addresses that the policy allows, and those that somebody let through, which may be neighbours; undefined: any. */
function allowedByPolicy(family: Family, { policy }: Guardrails, exempt: Exempt): PrefixSet | undefined {
  const allowed = allowedSets(policy.prefixes)?.[family];
  const released = exempt.get('tenant_policy')?.[family];
  return allowed === undefined || released === undefined ? allowed : unionOf(family, [allowed, released]);
}

function protectedSet(some: readonly ProtectedPrefix[], family: Family): PrefixSet {
  return setOfTexts(
    family,
    some.map(({ prefix }) => prefix),
  );
}

/** The one guardrail that no module breaks by itself. */
export function findTooMany(
  { ipv4, ipv6 }: Pick<PrefixTable, Family>,
  { maxPrefixes: limit }: Guardrails,
): Finding[] {
  const measured = ipv4.size + ipv6.size;
  if (measured <= limit) return [];
  return [
    {
      ...{ code: 'max_prefixes_exceeded', module_id: null, entry_id: null, community: null, examples: [] },
      detail: `The revision has ${counted(measured, 'prefix')}, and guard_max_prefixes allows ${limit}. Disable what is not needed, or have the setting raised ${WHO_LOOSENS}.`,
      ...{ measured, limit },
    },
  ];
}
