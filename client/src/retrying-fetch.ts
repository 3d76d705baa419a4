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
  /**
   * A service that is away, as while it restarts, or is still at work on the first request with the same key, is asked again for so long, however
   * many attempts that takes. Asked when a request fails; without it, `attempts` counts alone.
   */
  readonly outageSeconds?: (() => number) | undefined;
  /** Called before each pause: why, and how long. */
  readonly onRetry?: ((problem: ApiProblem, pauseSeconds: number) => void) | undefined;
}

export const DEFAULT_RETRIES: RetryPolicy = { attempts: 5, longestPauseSeconds: 60 };

const FIRST_PAUSE_SECONDS = 0.25;
/** A service that is back is noticed within it. */
const LONGEST_GROWN_PAUSE_SECONDS = 4;
/** Nothing was done, or a request with the same key is being done; 502 and 504 are those of proxies. */
const TRY_AGAIN: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** Of a service that stops or starts, or of a proxy before one that is away. */
const AWAY: ReadonlySet<number> = new Set([502, 503, 504]);
/** Nothing was sent. */
const NOT_CONNECTED: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'],
]);
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
  const { until = () => Infinity, outageSeconds = () => 0 } = policy;
  const isWrite = WRITES.has(request.method);
  if (isWrite && !request.headers.has('idempotency-key'))
    request.headers.set('idempotency-key', crypto.randomUUID());
  /** When it began to be away; null: its last answer was another one. */
  let awaySince: number | null = null;
  let isUncertain = false;
  for (let attempt = 1; ; attempt++) {
    // A body is read once, and nobody knows yet which attempt is the last one.
    const answer = await attemptOnce(send, request.clone());
    if (answer instanceof Response && answer.ok) return answer;
    isUncertain ||= isWrite && mayBeDone(answer);
    const now = Date.now();
    // A first request whose process was killed keeps its key for as long as a restart may take.
    const isPending = await isAtWork(answer);
    awaySince = isAway(answer) || isPending ? (awaySince ?? now) : null;
    const isOutage = awaySince !== null && now - awaySince < outageSeconds() * 1_000;
    const asked = answer instanceof Response ? retryAfterOf(answer.headers) : null;
    const grown = Math.min(FIRST_PAUSE_SECONDS * 2 ** (attempt - 1), LONGEST_GROWN_PAUSE_SECONDS);
    const pause = asked ?? grown * (0.5 + Math.random());
    const isLast = attempt >= policy.attempts && !isOutage;
    const isTooLong = pause > policy.longestPauseSeconds || now + pause * 1_000 > until();
    if (isLast || isTooLong || !(isPending || (await mayHelp(answer)))) {
      const problem = answer instanceof Response ? await problemOf(answer) : answer;
      throw isWrite && (isAway(answer) || isPending)
        ? withOutcome(problem, isUncertain || isPending)
        : problem;
    }
    const problem = answer instanceof Response ? await problemOf(answer) : answer;
    policy.onRetry?.(problem, pause);
    await sleep(pause * 1_000, request.signal);
  }
}

function isAway(answer: Response | ApiProblem): boolean {
  return answer instanceof ApiProblem || AWAY.has(answer.status);
}

/** Whether the service may have carried the write out, although nobody heard so. */
function mayBeDone(answer: Response | ApiProblem): boolean {
  // A proxy does not say whether it has sent it. The service itself says 503, and then it has done nothing.
  if (answer instanceof Response) return answer.status === 502 || answer.status === 504;
  const { cause } = answer.cause as Error;
  const code = (cause as { readonly code?: string } | undefined)?.code ?? '';
  return !NOT_CONNECTED.has(code) && !(answer.cause as Error).message.startsWith('no connection within');
}

/** Whoever gives a write up is to know whether it was done. */
function withOutcome(problem: ApiProblem, isUncertain: boolean): ApiProblem {
  if (!isUncertain && problem.code !== 'unreachable') return problem;
  const outcome = isUncertain
    ? 'A request that got no answer may have been carried out all the same: look before you send it again.'
    : 'Nothing was changed.';
  const { code, title, status, errors, requestId, retryAfterSeconds } = problem;
  const detail = `${problem.detail.replace(/[.]?$/, '.')} ${outcome}`;
  const facts = { code, title, detail, status, errors: [...errors], retryAfterSeconds };
  return new ApiProblem(requestId === null ? facts : { ...facts, request_id: requestId }, {
    cause: problem.cause,
  });
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
  return TRY_AGAIN.has(answer.status) && !isSettled(await problemOf(answer.clone()));
}

/** The first request with this key is still at work: its answer comes to the next one. */
async function isAtWork(answer: Response | ApiProblem): Promise<boolean> {
  if (answer instanceof ApiProblem || answer.status !== 409) return false;
  return (await problemOf(answer.clone())).code === 'idempotency_in_progress';
}
