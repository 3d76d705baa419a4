import { LRUCache } from 'lru-cache';
import type { Holders, HoldersRequest } from '../../api/lookup/holders.ts';
import { formatPrefix, parsePrefix } from '../../core/prefix.ts';
import type { Origin } from '../../sources/asn/origins.ts';
import type { AsnSource } from '../../sources/asn/source.ts';
import { SourceError } from '../../sources/source-error.ts';
import { refuseFaults } from '../body-faults.ts';
import { explainSource } from '../source-problem.ts';
import { TenantPlaces } from '../tenant-places.ts';

/** A table is read as a whole for each question. */
const places = new TenantPlaces({
  inAll: 4,
  ofTenant: 1,
  what: 'holders are being asked for',
  retryAfter: 2,
});

/** Addresses change hands seldom, and a plan is looked at again and again. */
const known = new LRUCache<string, readonly Origin[]>({ max: 10_000, ttl: 3_600_000 });

/**
 * Which ASes hold the addresses of prefixes, such as those that a cover would add. The answer is an hour old at most.
 * @throws {Problem} `validation_failed`; `rate_limited` while the tenant asks already; what the source did wrong, by its own code
 */
export async function findHolders(
  tenantId: string,
  { prefixes: texts }: HoldersRequest,
  source: AsnSource,
): Promise<Holders> {
  const prefixes = readPrefixes(texts);
  const nameOf = (prefix: string): string => `${source.name} ${prefix}`;
  const missing = [...new Set(prefixes)].filter((prefix) => !known.has(nameOf(prefix)));
  const found = new Map(prefixes.map((prefix) => [prefix, known.get(nameOf(prefix)) ?? []]));
  if (missing.length > 0) {
    const origins = await places.take(tenantId, () => ask(source, missing));
    for (const [index, prefix] of missing.entries()) {
      const of = origins[index] ?? [];
      found.set(prefix, of);
      known.set(nameOf(prefix), of);
    }
  }
  return {
    source: source.name,
    items: prefixes.map((prefix) => ({ prefix, origins: [...found.get(prefix)!] })),
  };
}

function readPrefixes(texts: readonly string[]): string[] {
  const parsed = texts.map((text) => parsePrefix(text.trim()));
  const faults = parsed.flatMap((one, place) =>
    one.ok ? [] : [{ pointer: `/prefixes/${place}`, detail: one.reason }],
  );
  if (faults.length > 0) refuseFaults(faults);
  return parsed.flatMap((one) => (one.ok ? [formatPrefix(one.value)] : []));
}

async function ask(source: AsnSource, prefixes: readonly string[]): Promise<(readonly Origin[])[]> {
  try {
    return await source.originsOf(prefixes, AbortSignal.timeout(WITHIN_MS));
  } catch (error) {
    throw error instanceof SourceError ? explainSource(error) : error;
  }
}

/** Somebody waits for the answer. */
const WITHIN_MS = 30_000;
