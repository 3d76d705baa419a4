/** The addresses of one name, from one resolver or several whose answers are combined. */
import type { Family } from '../../core/address.ts';
import type { DnsAddress, Resolution } from './message.ts';
import { SourceError } from '../source-error.ts';

/** A resolver that a module uses. */
export interface Resolver {
  /** @throws SourceError; the signal's reason when it aborts */
  lookUp(name: string, family: Family, signal?: AbortSignal): Promise<Resolution>;
}

export interface ResolverStrategy {
  /**
   * `first_success`: the first resolver, in their order, that answers. `union`: the addresses of any answer. `quorum`: the addresses of at
   * least `quorum` answers.
   */
  readonly strategy: 'first_success' | 'union' | 'quorum';
  readonly quorum: number;
}

export type DomainAnswer =
  | {
      readonly kind: 'answered';
      /** Empty when the name has none of the family, or does not exist. */
      readonly addresses: readonly DnsAddress[];
      /** Whether all that answered say that there is no such name. */
      readonly isMissing: boolean;
      /** Why a resolver that might have known more did not answer: missing addresses may still exist. Null: all answered. */
      readonly failure: SourceError | null;
    }
  | { readonly kind: 'failed'; readonly error: SourceError };

/** Queries the addresses of one family. @throws the signal's reason when it aborts */
export async function resolveDomain(
  name: string,
  family: Family,
  resolvers: readonly Resolver[],
  { strategy, quorum }: ResolverStrategy,
  signal?: AbortSignal,
): Promise<DomainAnswer> {
  if (resolvers.length === 0) return { kind: 'failed', error: noResolver() };
  const ask = (resolver: Resolver): Promise<Said> => askOne(resolver, name, family, signal);
  if (strategy === 'first_success') return firstOf(resolvers, ask);
  const said = await Promise.all(resolvers.map(ask));
  return strategy === 'union' ? combine(said, 1, 1) : combine(said, quorum, quorum);
}

type Said = Resolution | SourceError;

async function askOne(
  resolver: Resolver,
  name: string,
  family: Family,
  signal: AbortSignal | undefined,
): Promise<Said> {
  try {
    return await resolver.lookUp(name, family, signal);
  } catch (error) {
    if (error instanceof SourceError) return error;
    throw error;
  }
}

async function firstOf(
  resolvers: readonly Resolver[],
  ask: (resolver: Resolver) => Promise<Said>,
): Promise<DomainAnswer> {
  let first: SourceError | null = null;
  for (const resolver of resolvers) {
    const said = await ask(resolver);
    if (!(said instanceof SourceError)) return { kind: 'answered', ...said, failure: null };
    first ??= said;
  }
  return { kind: 'failed', error: first! };
}

/** @param needed resolvers that must answer; @param votes how many of them must name an address */
function combine(said: readonly Said[], needed: number, votes: number): DomainAnswer {
  const answers = said.flatMap((one) => (one instanceof SourceError ? [] : [one]));
  const failure = said.find((one) => one instanceof SourceError);
  if (answers.length < needed) return { kind: 'failed', error: tooFew(answers.length, needed, failure) };
  const counted = new Map<string, { readonly votes: number; readonly ttl: number }>();
  for (const { address, ttl } of answers.flatMap(({ addresses: own }) => own)) {
    const known = counted.get(address);
    counted.set(address, { votes: (known?.votes ?? 0) + 1, ttl: Math.min(known?.ttl ?? ttl, ttl) });
  }
  const addresses = [...counted].flatMap(([address, { votes: given, ttl }]) =>
    given >= votes ? [{ address, ttl }] : [],
  );
  // An empty result counts only if every resolver that might have known more has answered.
  if (addresses.length === 0 && failure !== undefined) return { kind: 'failed', error: failure };
  const isMissing = answers.every((one) => one.isMissing);
  return { kind: 'answered', addresses, isMissing, failure: failure ?? null };
}

function tooFew(answered: number, needed: number, failure: SourceError | undefined): SourceError {
  if (needed === 1 && failure !== undefined) return failure;
  if (failure === undefined)
    return new SourceError(
      'source_no_resolver',
      `The quorum is ${needed}, and the module has ${answered} enabled resolvers. Add resolvers to doh_profile_ids, or lower quorum in doh_resolver_policy.`,
    );
  return new SourceError(
    failure.code,
    `${answered} resolvers answered, and ${needed} must agree. ${failure.message}`,
    { cause: failure },
  );
}

function noResolver(): SourceError {
  return new SourceError(
    'source_no_resolver',
    'The module has no enabled DoH profile. Enable one that it names (PATCH {"enabled": true} of a profile in its doh_profile_ids), or create one (POST /v1/doh-profiles) and name it there.',
  );
}
