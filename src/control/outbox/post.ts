/** One POST to a receiver, and what its answer means for what was sent. */
import type { Agent, Dispatcher } from 'undici';
import { maskSecrets } from '../../api/activity/audit-masking.ts';

export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface PostOptions {
  readonly agent: Agent;
  /** What errors call the receiver, such as `the portal`. */
  readonly receiver: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** What became of it. `status` is that of the answer, null without one; `error` is fit for the log. */
export type PostAnswer =
  | { readonly kind: 'taken'; readonly status: number }
  /** Never to be taken: sending it again would end the same way. */
  | { readonly kind: 'refused'; readonly status: number; readonly error: string }
  /** To be sent again, after `retryAfter` seconds at the earliest. */
  | {
      readonly kind: 'failed';
      readonly status: number | null;
      readonly error: string;
      readonly retryAfter: number;
    };

/** The most of an answer that is read. */
const SHOWN_BYTES = 1_000;
const LONGEST_PAUSE_SECONDS = 3_600;

/**
 * Faults that lie with the address or the secret and not with what was sent: once these are fixed, the delivery is wanted. 408 and 429 are the
 * receiver's own "not now" (RFC 9110, RFC 6585), and 410 says that nothing is taken any more.
 */
const FAULTS_OF_THE_ADDRESS: ReadonlySet<number> = new Set([401, 403, 404, 405, 408, 410, 429]);

/** Never rejects, but with the signal's reason when it aborts. Redirects are not followed. */
export async function post({ url, headers, body }: Post, options: PostOptions): Promise<PostAnswer> {
  const { agent, receiver, timeoutMs, signal } = options;
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    const { request } = await import('undici'); // not needed when the service starts
    const response = await request(url, {
      ...{ method: 'POST', dispatcher: agent, signal: AbortSignal.any([signal, deadline]), body },
      headers: { 'content-type': 'application/json', 'user-agent': 'prefixcast', ...headers },
    });
    const { statusCode: status, body: said } = response;
    if (status >= 200 && status < 300) {
      // It has been taken, whatever else the receiver says and however long it does.
      said.dump({ limit: SHOWN_BYTES }).catch(() => undefined);
      return { kind: 'taken', status };
    }
    const start = await readStart(said);
    signal.throwIfAborted();
    return judge(receiver, response, start);
  } catch (error) {
    signal.throwIfAborted();
    const late = deadline.aborted ? `no answer within ${timeoutMs} ms` : undefined;
    return { kind: 'failed', status: null, error: late ?? reasonOf(error), retryAfter: 0 };
  }
}

/** Of an answer other than good. */
function judge(receiver: string, answer: Dispatcher.ResponseData, said: string): PostAnswer {
  const { statusCode: status, headers } = answer;
  const error = `${receiver} answered ${status}${redirection(status)}${said === '' ? '' : `: ${said}`}`;
  const isRefusal = status >= 400 && status < 500 && !FAULTS_OF_THE_ADDRESS.has(status);
  if (isRefusal) return { kind: 'refused', status, error };
  return { kind: 'failed', status, error, retryAfter: readRetryAfter(headers['retry-after']) };
}

function redirection(status: number): string {
  return status >= 300 && status < 400
    ? ', a redirect, which is not followed (set the URL to where it leads)'
    : '';
}

/** Seconds (RFC 9110, section 10.2.3); a date or nonsense reads as none. */
function readRetryAfter(value: string | string[] | undefined): number {
  const seconds = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : 0;
  return Math.min(seconds, LONGEST_PAUSE_SECONDS);
}

/** The beginning of an answer as one printable line; the rest is left. An answer that breaks off is what came of it. */
async function readStart(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= SHOWN_BYTES) break;
    }
  } catch {
    // The status says what became of what was sent.
  }
  const text = Buffer.concat(chunks).subarray(0, SHOWN_BYTES).toString();
  return String(maskSecrets(text.replace(/[^\x20-\x7e]+/g, ' ').trim()));
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Happy eyeballs fail with all attempts at once, and say nothing themselves.
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined || error.message.includes(code) ? error.message : `${code} ${error.message}`;
}
