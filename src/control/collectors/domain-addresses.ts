/** What a domain entry holds after resolvers were asked. Pure: the time is given. */
import type { DomainAddress } from '../../api/entries/domain-entries.ts';
import { bitsOf, FAMILIES, parseAddress, type Family } from '../../core/address.ts';
import { PrefixBuffer } from '../../core/prefix-buffer.ts';
import type { RowsOfLabel } from '../../core/tables/rows-by-label.ts';
import { specialPurpose } from '../../core/sets/special-purpose.ts';
import type { DomainAnswer } from '../../sources/doh/domain.ts';

/** By family; one that is missing was not asked for. */
export type DomainAnswers = ReadonlyMap<Family, DomainAnswer>;

export interface AddressRules {
  /** When the answers came, RFC 3339. */
  readonly at: string;
  readonly retainSeconds: number;
  readonly maxAddresses: number;
  readonly bogons: 'drop' | 'allow';
}

export interface MergedAddresses {
  /** Those seen last come first. */
  readonly addresses: DomainAddress[];
  /** How many there were beyond the maximum. */
  readonly excess: number;
  /** Whether one of them stays only because somebody who might know of it did not answer. */
  readonly isStale: boolean;
}

/**
 * The addresses that were answered now, and those held that stay: because they were seen recently enough, or because nobody
 * who might know of them answered. A family that is not asked for any more keeps nothing.
 */
export function mergeAddresses(
  held: readonly DomainAddress[],
  answers: DomainAnswers,
  rules: AddressRules,
): MergedAddresses {
  const { at, retainSeconds, maxAddresses } = rules;
  const oldest = Date.parse(at) - retainSeconds * 1000;
  let isStale = false;
  const all = FAMILIES.flatMap((family) => {
    const answer = answers.get(family);
    const known = held.filter(({ address }) => familyOf(address) === family);
    if (answer === undefined) return [];
    if (answer.kind === 'failed') {
      isStale ||= known.length > 0;
      return known;
    }
    const { seen, rest } = split(known, answer, at);
    const kept = rest.filter(({ last_seen_at: last }) => Date.parse(last) >= oldest);
    if (answer.failure === null || kept.length === rest.length) return [...seen, ...kept];
    isStale = true;
    return [...seen, ...rest];
  });
  const addresses = all
    .map((one) => ({ ...one, dropped: rules.bogons === 'drop' ? reasonToDrop(one.address) : null }))
    .sort(
      (one, other) => compare(other.last_seen_at, one.last_seen_at) || compare(one.address, other.address),
    );
  const excess = Math.max(0, addresses.length - maxAddresses);
  return { addresses: addresses.slice(0, maxAddresses), excess, isStale };
}

/** What was answered at `at`, and what else is held. */
function split(
  held: readonly DomainAddress[],
  answer: DomainAnswer & { readonly kind: 'answered' },
  at: string,
): { readonly seen: DomainAddress[]; readonly rest: DomainAddress[] } {
  const firstSeen = new Map(held.map(({ address, first_seen_at: first }) => [address, first]));
  const seen = answer.addresses.map(({ address, ttl }) => ({
    ...{ address, ttl, dropped: null },
    first_seen_at: firstSeen.get(address) ?? at,
    last_seen_at: at,
  }));
  const answered = new Set(seen.map(({ address }) => address));
  return { seen, rest: held.filter(({ address }) => !answered.has(address)) };
}

/** The host prefixes of those that contribute. */
export function prefixesOf(addresses: readonly DomainAddress[]): RowsOfLabel {
  const rows = { ipv4: new PrefixBuffer('ipv4'), ipv6: new PrefixBuffer('ipv6') };
  for (const { address, dropped } of addresses) {
    const parsed = parseAddress(address);
    if (dropped !== null || !parsed.ok) continue;
    const { family, words } = parsed.value;
    rows[family].push(words, 0, bitsOf(family));
  }
  return { ipv4: rows.ipv4.toList(), ipv6: rows.ipv6.toList() };
}

function familyOf(address: string): Family {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}

function reasonToDrop(address: string): string | null {
  const parsed = parseAddress(address);
  if (!parsed.ok) return 'Not an address';
  const special = specialPurpose({ ...parsed.value, length: bitsOf(parsed.value.family) });
  return special === null ? null : `${special.name} (${special.prefix}, ${special.rfc})`;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
