import type { DohTest } from '../../api/lists/doh-profiles.ts';
import { fieldProblem } from '../../api/problems/problem.ts';
import { FAMILIES, type Family } from '../../core/address.ts';
import { parseFqdn } from '../../core/fqdn.ts';
import type { Reach } from '../../core/reach.ts';
import { SourceError } from '../../sources/source-error.ts';
import type { ProfileToAsk } from '../../store/modules/doh-profiles.ts';
import { type ProfileResolver, resolverOf } from './doh-profiles.ts';
import { TenantPlaces } from '../tenant-places.ts';

/** Reserved for examples (RFC 2606), and resolved by everybody. */
const USUAL_DOMAIN = 'example.com';

/** For both families together, aliases and all, in milliseconds. */
const TEST_WITHIN_MS = 40_000;

/** Each may hold a connection to somebody who does not answer. */
const places = new TenantPlaces({ inAll: 64, ofTenant: 8, what: 'resolvers are being tried', retryAfter: 2 });

/** The name in canonical form, or the usual one. @throws {Problem} `validation_failed` */
export function domainToTest(text: string | undefined): string {
  const parsed = parseFqdn((text ?? USUAL_DOMAIN).trim());
  if (!parsed.ok) throw fieldProblem('/domain', `${parsed.reason}.`);
  return parsed.value;
}

/**
 * Asks the resolver once for each family, as a refresh would. A failure is part of the answer.
 * @throws {Problem} `rate_limited` when too many run
 */
export function testDohProfile(
  tenantId: string,
  profile: ProfileToAsk,
  domain: string,
  reach: Reach,
): Promise<DohTest> {
  return places.take(tenantId, () => askResolver(profile, domain, reach));
}

async function askResolver(profile: ProfileToAsk, domain: string, reach: Reach): Promise<DohTest> {
  const resolver = resolverOf(profile, reach, { attempts: 1, firstMs: 0, longestMs: 0 });
  const signal = AbortSignal.timeout(TEST_WITHIN_MS);
  try {
    const answers = FAMILIES.map((family) => ask(resolver, domain, family, signal));
    return { domain, answers: await Promise.all(answers) };
  } finally {
    resolver.close();
  }
}

async function ask(
  resolver: ProfileResolver,
  domain: string,
  family: Family,
  signal: AbortSignal,
): Promise<DohTest['answers'][number]> {
  const begin = performance.now();
  const elapsed = (): number => Math.round((performance.now() - begin) * 10) / 10;
  try {
    const { addresses, isMissing } = await resolver.lookUp(domain, family, signal);
    const answer = { addresses: [...addresses], is_missing: isMissing };
    return { family, ...answer, error: null, milliseconds: elapsed() };
  } catch (error) {
    const none = { addresses: [], is_missing: false };
    return { family, ...none, error: explain(error, signal), milliseconds: elapsed() };
  }
}

function explain(error: unknown, signal: AbortSignal): string {
  if (error instanceof SourceError) return `${error.code}: ${error.message}`;
  if (!signal.aborted) throw error;
  return `source_timeout: the resolver took more than ${TEST_WITHIN_MS / 1000} s for all its answers.`;
}
