import { Problem, type ProblemCode } from '../../api/problems/problem.ts';

/** What says that one credential is not good, and nothing about another. */
const OF_ONE: readonly ProblemCode[] = ['unauthenticated', 'session_ended', 'tenant_suspended'];

/**
 * The first credential that is good, and whom it lets in.
 * @throws the refusal of the last, or at once whatever is not about a credential: a database that does not answer signs nobody out
 */
export async function firstGood<C, P>(
  credentials: readonly C[],
  authenticate: (credential: C) => Promise<P>,
): Promise<{ readonly credential: C; readonly principal: P }> {
  let refusal: unknown;
  for (const credential of credentials) {
    try {
      return { credential, principal: await authenticate(credential) };
    } catch (error) {
      if (!(error instanceof Problem) || !OF_ONE.includes(error.code)) throw error;
      refusal = error;
    }
  }
  throw refusal;
}
