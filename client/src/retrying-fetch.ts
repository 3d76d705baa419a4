/** Sends a request, and again where that is harmless and may help. */
import { ApiProblem, problemOf, retryAfterOf } from './problem.ts';
import { sleep } from './sleep.ts';

export interface RetryPolicy {
  /** Requests in all. */
  readonly attempts: number;
  /** A service that wants a longer pause than this is not waited for. */
  readonly longestPauseSeconds: number;
  /** In milliseconds since 1970: no pause goes beyond it, and what asks for a longer one fails at once. Without a limit else. */
  readonly until?: (() => number) | undefined;
  /** Called before each pause: why, and how long. */
  readonly onRetry?: ((problem: ApiProblem, pauseSeconds: number) => void) | undefined;
}

export const DEFAULT_RETRIES: RetryPolicy = { attempts: 5, longestPauseSeconds: 60 };

const FIRST_PAUSE_SECONDS = 0.25;
/** Nothing was done, or a request with the same key is being done; 502 and 504 are those of proxies. */
const TRY_AGAIN: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** Its settings say so, and no pause changes them. */
const SETTLED: ReadonlySet<string> = new Set(['runtime_logs_unavailable']);

/** Whether the service answers the same at another time, whatever the status says. */
export function isSettled({ code }: Pick<ApiProblem, 'code'>): boolean {
  return SETTLED.has(code);
}
const WRITES: ReadonlySet<string> = new Set(['POST', 'PATCH', 'DELETE', 'PUT']);

/**
 * Writes are sent with an Idempotency-Key, so that the service does each once, however often it arrives.
 * @throws {ApiProblem} where the service refuses, fails, or can't be reached
 */
export async function retryingFetch(
  send: (request: Request) => Promise<Response>,
  request: Request,
  policy: RetryPolicy,
): Promise<Response> {
  const { until = () => Infinity } = policy;
  if (WRITES.has(request.method) && !request.headers.has('idempotency-key'))
    request.headers.set('idempotency-key', crypto.randomUUID());
  for (let attempt = 1; ; attempt++) {
    const isLast = attempt >= policy.attempts;
    // A body is read once: the last attempt takes the request itself.
    const answer = await attemptOnce(send, isLast ? request : request.clone());
    if (answer instanceof Response && answer.ok) return answer;
    const asked = answer instanceof Response ? retryAfterOf(answer.headers) : null;
    const pause = asked ?? FIRST_PAUSE_SECONDS * 2 ** (attempt - 1) * (0.5 + Math.random());
    const isTooLong = pause > policy.longestPauseSeconds || Date.now() + pause * 1_000 > until();
    if (isLast || isTooLong || !(await mayHelp(answer)))
      throw answer instanceof Response ? await problemOf(answer) : answer;
    const problem = answer instanceof Response ? await problemOf(answer) : answer;
    policy.onRetry?.(problem, pause);
    await sleep(pause * 1_000, request.signal);
  }
}

async function attemptOnce(
  send: (request: Request) => Promise<Response>,
  request: Request,
): Promise<Response | ApiProblem> {
  try {
    return await send(request);
  } catch (error) {
    if (request.signal.aborted) throw error;
    const { origin } = new URL(request.url);
    const cause = (error as Error).cause;
    const reason = cause instanceof Error && cause.message !== '' ? cause.message : (error as Error).message;
    return new ApiProblem(
      {
        code: 'unreachable',
        title: 'The service cannot be reached',
        detail: `${origin} cannot be reached: ${reason}`,
      },
      { cause: error },
    );
  }
}

async function mayHelp(answer: Response | ApiProblem): Promise<boolean> {
  if (answer instanceof ApiProblem) return true;
  if (TRY_AGAIN.has(answer.status)) return !isSettled(await problemOf(answer.clone()));
  // The first request with this key is still at work: its answer comes to the next one.
  return answer.status === 409 && (await problemOf(answer.clone())).code === 'idempotency_in_progress';
}
