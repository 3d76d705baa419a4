/** The part of the oracle that is about guardrails: what lists and revisions break, and what stays although it breaks one. */
import type { Family } from '../../src/core/address.ts';
import { AddressRanges } from '../oracle/address-ranges.ts';
import type { BigPrefix } from '../oracle/big-prefix.ts';
import type { Input, RevisionModel, Routes, GuardrailsModel } from './model.ts';
import type { Life } from './life.ts';
import { LOOSE } from './universe.ts';
import { isSame, rowsThatCount, type Contribution } from './snapshots.ts';
import { coverOf, FAMILIES, parsed } from './prefixes.ts';

/** About how many addresses the Internet routes, which `guard_max_coverage_percent` is of. Nothing of a walk is near a limit. */
const ROUTED: Readonly<Record<Family, bigint>> = { ipv4: 3_702_258_432n, ipv6: 1n << 125n };

/** Codes of the guardrails that a list breaks which brings these, in ascending order. How much it covers counts before exclusions. */
export function brokenByList(
  { guardrails }: Pick<Life, 'guardrails'>,
  contributions: readonly Contribution[],
  excluded: readonly BigPrefix[],
): string[] {
  const { shortest, coverage, protected: kept } = guardrails;
  const all = contributions.flatMap(({ prefixes }) => prefixes);
  const some = (isBad: (family: Family) => boolean): boolean => FAMILIES.some(isBad);
  const isProtected = (family: Family): boolean =>
    !isEmpty(
      rangesOf(family, all)
        .subtract(rangesOf(family, excluded))
        .intersect(rangesOf(family, kept.map(parsed))),
    );
  const isShort = (family: Family): boolean =>
    shortest !== LOOSE.shortest &&
    [...byCommunity(contributions).values()].some((prefixes) =>
      coverOf(family, prefixes, excluded).some((prefix) => parsed(prefix).length < shortest[family]),
    );
  return [
    ...(some((family) => isTooWide(family, rangesOf(family, all), coverage)) ? ['coverage_exceeded'] : []),
    ...(some(isShort) ? ['prefix_too_short'] : []),
    ...(some(isProtected) ? ['protected_prefix'] : []),
  ];
}

/** What a module adds to a revision. */
export interface ListOfMany extends Pick<Input, 'released'> {
  readonly contributions: readonly Contribution[];
}

/** The same of a revision as a whole: prefixes of several lists that merge into one that is too short, unless all of it was let through. */
export function isMergedTooShort(
  { guardrails: { shortest } }: Pick<Life, 'guardrails'>,
  routes: Routes,
  lists: readonly ListOfMany[],
): boolean {
  if (shortest === LOOSE.shortest) return false;
  const released = lists.filter((list) => list.released.has('prefix_too_short'));
  const sets = [
    ...lists.flatMap(({ contributions }) => [...byCommunity(contributions).values()]),
    released.flatMap(({ contributions }) => contributions.flatMap(({ prefixes }) => prefixes)),
  ];
  return [...routes.keys()].map(parsed).some((route) => {
    const { family, length } = route;
    if (length >= shortest[family]) return false;
    return !sets.some((prefixes) => isWithin(route, rangesOf(family, prefixes)));
  });
}

/** Codes of the guardrails that the revision breaks now, in ascending order, but for what somebody let through. */
export function brokenBy({ guardrails, maxPrefixes }: Life, revision: RevisionModel): string[] {
  const { routes, findings } = revision;
  const { shortest, coverage, protected: kept } = guardrails;
  const rows = [...routes.keys()].map(parsed);
  const released = (code: string, family: Family): AddressRanges => releasedIn(revision, code, family);
  const isShort = rows.some(
    (row) => row.length < shortest[row.family] && !isWithin(row, released('prefix_too_short', row.family)),
  );
  const isProtected = kept.map(parsed).some((prefix) => {
    const met = rows.filter((row) => row.family === prefix.family && isMet(row, prefix));
    if (met.length === 0) return false;
    const addresses = AddressRanges.of(met).intersect(AddressRanges.of([prefix]));
    return !isEmpty(addresses.subtract(released('protected_prefix', prefix.family)));
  });
  const isWide = FAMILIES.some((family) =>
    isTooWide(family, rangesOf(family, rows).subtract(released('coverage_exceeded', family)), coverage),
  );
  // How much was covered before exclusions cannot be measured again: what was found stands as long as the limit does.
  const isStillWide = findings.includes('coverage_exceeded') && coverage < TIGHT_COVERAGE;
  return [
    ...(isWide || isStillWide ? ['coverage_exceeded'] : []),
    ...(routes.size > maxPrefixes ? ['max_prefixes_exceeded'] : []),
    ...(isShort ? ['prefix_too_short'] : []),
    ...(isProtected ? ['protected_prefix'] : []),
  ];
}

/** A limit from this on is far from all that lists of walks cover. */
const TIGHT_COVERAGE = 1;

/** Whether every speaker runs all that the module would bring, so that a guardrail of today protects nobody by holding other lists. */
export function isAsRunning(life: Life, share: Input, excluding: readonly Input[]): boolean {
  const running = runningInputs(life);
  return (
    running.length > 0 &&
    running.every((inputs) => {
      const before = inputs.get(share.module.id);
      const cutOut = [...inputs.values()].filter(({ purpose }) => purpose === 'exclude');
      return (
        before?.purpose === 'announce' &&
        share.purpose === 'announce' &&
        holdsAll(life, before, share) &&
        cutOut.every((then) =>
          excluding.some((now) => now.module === then.module && holdsAll(life, now, then)),
        )
      );
    })
  );
}

/** Whether the first counts whatever the second does, of the same snapshot. */
function holdsAll({ left }: Life, one: Input, other: Input): boolean {
  const counts = rowsThatCount(other).filter((id) => !left.has(id));
  return (
    isSame(one.snapshot, other.snapshot) &&
    other.families.every((family) => one.families.includes(family)) &&
    counts.every((id) => one.counted.has(id))
  );
}

/** What enabled speakers run, each as the newest ready revision of that content has it. */
function runningInputs({ speakers, revisions, standing }: Life): RevisionModel['inputs'][] {
  const applied = speakers.flatMap(({ enabled, applied: one }) => (enabled && one !== null ? [one] : []));
  return applied.map((one) => {
    const to = standing?.number ?? one.number;
    const newest = revisions.findLast(
      ({ contentHash, state, number }) =>
        contentHash === one.contentHash && state === 'ready' && one.number <= number && number <= to,
    );
    return (newest ?? one).inputs;
  });
}

/** The addresses of lists that somebody let through although they break this guardrail. */
function releasedIn({ inputs }: RevisionModel, code: string, family: Family): AddressRanges {
  const some = [...inputs.values()].filter(({ released }) => released.has(code));
  return rangesOf(
    family,
    some.flatMap(({ snapshot }) => [...snapshot.values()].flat().map(parsed)),
  );
}

function byCommunity(contributions: readonly Contribution[]): Map<string | null, BigPrefix[]> {
  const lists = new Map<string | null, BigPrefix[]>();
  for (const { communities, prefixes } of contributions)
    for (const community of communities.length === 0 ? [null] : communities)
      lists.set(community, [...(lists.get(community) ?? []), ...prefixes]);
  return lists;
}

/** Percent have two digits behind the point, rounded down. */
function isTooWide(family: Family, { size }: AddressRanges, limit: number): boolean {
  return Number((size * 10_000n) / ROUTED[family]) / 100 > limit;
}

function rangesOf(family: Family, prefixes: readonly BigPrefix[]): AddressRanges {
  return AddressRanges.of(prefixes.filter((prefix) => prefix.family === family));
}

function isMet(one: BigPrefix, other: BigPrefix): boolean {
  return one.first <= other.last && one.last >= other.first;
}

function isWithin(prefix: BigPrefix, ranges: AddressRanges): boolean {
  return isEmpty(AddressRanges.of([prefix]).subtract(ranges));
}

function isEmpty({ ranges }: AddressRanges): boolean {
  return ranges.length === 0;
}

/** The settings that guardrails about routes are. */
export function settingsOf({ protected: kept, shortest, coverage }: GuardrailsModel): object {
  return {
    guard_protected_prefixes: kept,
    guard_min_prefix_length_ipv4: shortest.ipv4,
    guard_min_prefix_length_ipv6: shortest.ipv6,
    guard_max_coverage_percent: coverage,
  };
}
