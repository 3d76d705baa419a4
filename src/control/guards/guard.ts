/** The rails that a table of routes must keep, whatever it was built from: pure checks, for threads and tests alike. */
import type { ProblemCode } from '../../api/problem.ts';
import type { Finding } from '../../api/revisions.ts';
import { FAMILIES, type Family, bitsOf } from '../../core/address.ts';
import { PrefixSetBuilder, type PrefixSet, coveredAddresses } from '../../core/prefix-set.ts';
import type { PrefixRows, PrefixTable } from '../../core/tables/prefix-table.ts';
import { formatPrefixAt, parsePrefix, prefixAt } from '../../core/prefix.ts';
import { specialPurpose, specialPurposeSet } from '../../core/special-purpose.ts';
import { CUT_FROM, meets } from '../../sources/bogons.ts';
import { findOutsidePolicy } from './guard-policy.ts';
import type { Rails } from './rails.ts';

/** Prefixes that a finding names. */
export const MAXIMUM_EXAMPLES = 10;

const FAMILY_NAMES: Readonly<Record<Family, string>> = { ipv4: 'IPv4', ipv6: 'IPv6' };

/** Every rail about routes that the table breaks, once for each family. O(rows x log(protected)). */
export function inspectTable(table: PrefixTable, rails: Rails): Finding[] {
  return [
    ...FAMILIES.flatMap((family) => {
      const rows = table[family];
      const find = (code: ProblemCode, isBad: (row: number) => boolean): Found | null =>
        findRows(table, rows, code, isBad);
      return [
        rails.allowDefaultRoute ? null : findDefaultRoute(rows, find),
        findShort(rows, rails, find),
        rails.bogons === 'allow' ? null : findBogons(rows, find),
        findProtected(rows, rails, find),
        ...findOutsidePolicy(table, rows, rails.policy, find).map(({ found, detail }) =>
          tell(found, detail, { measured: found.count, limit: 0 }),
        ),
      ].filter((finding) => finding !== null);
    }),
    ...findTooMany(table, rails),
  ];
}

export function familyName(family: Family): string {
  return FAMILY_NAMES[family];
}

/** A finding in the making: which rows it is about. */
export type Found = Omit<Finding, 'detail' | 'measured' | 'limit'> & {
  readonly count: number;
  readonly first: number;
};
export type Find = (code: ProblemCode, isBad: (row: number) => boolean) => Found | null;

function findRows(
  { labelSets }: PrefixTable,
  rows: PrefixRows,
  code: ProblemCode,
  isBad: (row: number) => boolean,
): Found | null {
  let count = 0;
  let first = -1;
  const examples: string[] = [];
  const sets = new Set<number>();
  for (let row = 0; row < rows.size; row++) {
    if (!isBad(row)) continue;
    if (count++ === 0) first = row;
    if (examples.length < MAXIMUM_EXAMPLES) examples.push(formatPrefixAt(rows, row));
    sets.add(rows.labels[row]!);
  }
  if (count === 0) return null;
  const communities = new Set([...sets].flatMap((set) => labelSets[set]!));
  const community = communities.size === 1 ? [...communities][0]! : null;
  return { code, module_id: null, entry_id: null, community, examples, count, first };
}

function tell(
  { count: _, first: __, ...found }: Found,
  detail: string,
  numbers: { readonly measured: number; readonly limit: number | null },
): Finding {
  return { ...found, detail, ...numbers };
}

function findDefaultRoute(rows: PrefixRows, find: Find): Finding | null {
  const name = familyName(rows.family);
  const advice = 'Set guard_allow_default_route if that is meant.';
  const route = find('default_route_forbidden', (row) => rows.lengths[row] === 0);
  if (route !== null)
    return tell(route, `The revision holds the ${name} default route. ${advice}`, {
      measured: 0,
      limit: null,
    });
  if (!coversFamily(rows)) return null;
  return {
    ...{ code: 'default_route_forbidden', module_id: null, entry_id: null, community: null },
    detail: `The ${name} prefixes of the revision cover the whole family together, which is a default route by other means. ${advice}`,
    examples: Array.from({ length: Math.min(rows.size, MAXIMUM_EXAMPLES) }, (_, row) =>
      formatPrefixAt(rows, row),
    ),
    ...{ measured: 0, limit: null },
  };
}

/** Whether nothing that is routed on the Internet is left out; special-purpose space may be, as it never belongs to a source. */
function coversFamily(rows: PrefixRows): boolean {
  const special = specialPurposeSet(rows.family);
  const whole = 1n << BigInt(bitsOf(rows.family));
  // Rows of several communities overlap, so this is no less than what they cover, and nearly always tells at once.
  if (coveredAddresses(rows) + coveredAddresses(special) < whole) return false;
  const all = new PrefixSetBuilder(rows.family);
  all.addSet(rows);
  all.addSet(special);
  const { size, lengths } = all.build();
  return size === 1 && lengths[0] === 0;
}

/** The default route has a rail of its own. */
function findShort(rows: PrefixRows, { minLength }: Rails, find: Find): Finding | null {
  const limit = minLength[rows.family];
  const found = find('prefix_too_short', (row) => rows.lengths[row]! < limit && rows.lengths[row] !== 0);
  if (found === null) return null;
  const detail = `${found.count} ${familyName(rows.family)} prefixes are shorter than /${limit}, such as ${found.examples[0]}. Correct the entry they come from, or lower guard_min_prefix_length_${rows.family}.`;
  return tell(found, detail, { measured: rows.lengths[found.first]!, limit });
}

/** What sources say was cleaned when it was read; this meets ranges and contents of a time when they were allowed. */
function findBogons(rows: PrefixRows, find: Find): Finding | null {
  const special = specialPurposeSet(rows.family);
  const from = CUT_FROM[rows.family];
  const found = find('bogon_prefix', (row) => rows.lengths[row]! >= from && meets(rows, row, special));
  if (found === null) return null;
  const within = specialPurpose(prefixAt(rows, found.first));
  const what = within === null ? '' : ` (${within.name}, ${within.rfc})`;
  const detail = `${found.count} ${familyName(rows.family)} prefixes hold special-purpose addresses, such as ${found.examples[0]}${what}. Remove them, or set guard_bogons to allow.`;
  return tell(found, detail, { measured: found.count, limit: 0 });
}

/** The default route holds every address: whoever allows it means that. */
function findProtected(rows: PrefixRows, rails: Rails, find: Find): Finding | null {
  const set = protectedSet(rails, rows.family);
  if (set.size === 0) return null;
  const found = find('protected_prefix', (row) => rows.lengths[row] !== 0 && meets(rows, row, set));
  if (found === null) return null;
  const met = rails.protected.find(({ prefix }) => {
    const one = protectedSet({ protected: [{ prefix, of: '' }] }, rows.family);
    return one.size > 0 && meets(rows, found.first, one);
  });
  const detail = `${found.count} ${familyName(rows.family)} prefixes hold protected addresses, such as ${found.examples[0]}, which holds ${met?.prefix} (${met?.of}). Exclude them with a module of purpose exclude.`;
  return tell(found, detail, { measured: found.count, limit: 0 });
}

function protectedSet(rails: Pick<Rails, 'protected'>, family: Family): PrefixSet {
  const builder = new PrefixSetBuilder(family);
  for (const { prefix } of rails.protected) {
    const parsed = parsePrefix(prefix);
    if (parsed.ok && parsed.value.family === family) builder.add(parsed.value.words, parsed.value.length);
  }
  return builder.build();
}

function findTooMany({ ipv4, ipv6 }: PrefixTable, { maxPrefixes: limit }: Rails): Finding[] {
  const measured = ipv4.size + ipv6.size;
  if (measured <= limit) return [];
  return [
    {
      ...{ code: 'max_prefixes_exceeded', module_id: null, entry_id: null, community: null, examples: [] },
      detail: `The revision has ${measured} prefixes, and guard_max_prefixes allows ${limit}. Disable what is not needed, or raise the setting.`,
      ...{ measured, limit },
    },
  ];
}
