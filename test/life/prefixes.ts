/** The part of the oracle that is about prefixes: read, and covered by the fewest, both worked out plainly. */
import { hash } from 'node:crypto';
import type { Family } from '../../src/core/address.ts';
import { AddressRanges } from '../oracle/address-ranges.ts';
import { parsePlainPrefix, plainText } from '../oracle/aggregate.ts';
import type { BigPrefix } from '../oracle/big-prefix.ts';

export const FAMILIES: readonly Family[] = ['ipv4', 'ipv6'];

const NOTHING = new AddressRanges([]);

const known = new Map<string, BigPrefix>();

export function parsed(text: string): BigPrefix {
  let prefix = known.get(text);
  if (prefix === undefined) known.set(text, (prefix = parsePlainPrefix(text)));
  return prefix;
}

/** Large lists come back again and again, and covers of them take long. */
const covers = new Map<string, string[]>();

export function coverOf(
  family: Family,
  prefixes: readonly BigPrefix[],
  excluded: readonly BigPrefix[],
): string[] {
  const textOf = (some: readonly BigPrefix[]): string =>
    some.map(({ first, length }) => `${first}/${length}`).join();
  const key = hash('sha256', `${family} ${textOf(prefixes)} - ${textOf(excluded)}`);
  let cover = covers.get(key);
  if (cover === undefined) covers.set(key, (cover = makeCover(family, prefixes, excluded)));
  return cover;
}

function makeCover(family: Family, prefixes: readonly BigPrefix[], excluded: readonly BigPrefix[]): string[] {
  const of = (some: readonly BigPrefix[]): AddressRanges =>
    some.length === 0 ? NOTHING : AddressRanges.of(some.filter((prefix) => prefix.family === family));
  const left = of(prefixes).subtract(of(excluded));
  return left.ranges.length === 0 ? [] : left.minimalCover(family).map(plainText);
}
