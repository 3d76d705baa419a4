/** Requests to the control plane over HTTPS; the size and time of each answer are limited. Nodes and firewall clients use it. */
import type { Readable } from 'node:stream';
import { Agent, request, type Dispatcher } from 'undici';
import { AgentFault } from './agent-fault.ts';
import type { ControlClock } from './control-clock.ts';

/** How long an answer may take that waits for nothing. */
export const ANSWER_MILLISECONDS = 30_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** Seconds: the longest pause that the control plane can ask for. A service that closed for a day may open sooner. */
const LONGEST_RETRY_AFTER = 60;

export interface ControlClientOptions {
  /** Without a trailing slash. */
  readonly url: string;
  /** Certificate authorities in PEM; null: those of the system. */
  readonly ca: string | null;
  readonly clock: ControlClock;
}

export interface Call {
  readonly method?: 'GET' | 'POST';
  readonly secret: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly milliseconds?: number;
  readonly maximumBytes?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData['headers'];
  readonly bytes: Buffer;
}

export class ControlClient {
  readonly #options: ControlClientOptions;
  readonly #dispatcher: Agent;

  constructor(options: ControlClientOptions) {
    this.#options = options;
    this.#dispatcher = new Agent({
      connect: { timeout: 10_000, ...(options.ca === null ? {} : { ca: options.ca }) },
      keepAliveTimeout: 60_000,
    });
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }

  /** @throws {AgentFault} unless the answer is a good one */
  async call(path: string, call: Call): Promise<Answer> {
    const { url, clock } = this.#options;
    const { milliseconds = ANSWER_MILLISECONDS, maximumBytes = MAX_ANSWER_BYTES } = call;
    const deadline = AbortSignal.timeout(milliseconds);
    let answer: Answer;
    try {
      const { statusCode, headers, body } = await request(url + path, {
        method: call.method ?? 'GET',
        headers: {
          authorization: `Bearer ${call.secret}`,
          ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...call.headers,
        },
        ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
        signal: call.signal === undefined ? deadline : AbortSignal.any([deadline, call.signal]),
        headersTimeout: milliseconds,
        dispatcher: this.#dispatcher,
      });
      // The present time: what follows may take minutes.
      clock.observe(headers.date?.toString());
      answer = { status: statusCode, headers, bytes: await readAll(body, maximumBytes) };
    } catch (error) {
      call.signal?.throwIfAborted();
      if (error instanceof AgentFault) throw error;
      const { message } = deadline.aborted ? { message: 'no answer in time' } : (error as Error);
      throw new AgentFault('control_unreachable', `${url} does not answer: ${message}.`, { cause: error });
    }
    if ((answer.status >= 200 && answer.status < 300) || answer.status === 304) return answer;
    throw refusalOf(url, answer);
  }
}

async function readAll(body: Readable, maximum: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maximum) {
      body.destroy();
      throw new AgentFault('control_refused', `The answer has more than ${maximum} bytes.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export function json<T>({ bytes }: Answer): T {
  try {
    return JSON.parse(bytes.toString()) as T;
  } catch (error) {
    throw new AgentFault('control_refused', 'The answer of the control plane is not JSON.', { cause: error });
  }
}

function refusalOf(url: string, { status, headers, bytes }: Answer): AgentFault {
  const passes = status === 429 || status >= 500;
  const code = status === 401 ? 'unauthorized' : passes ? 'control_unreachable' : 'control_refused';
  const seconds = Number(headers['retry-after']);
  const problem = readProblem(bytes);
  const words = problem === null ? '' : ` ${problem.code}: ${problem.detail}`.slice(0, 1_000);
  return new AgentFault(code, `${url} answers ${status}${words || '.'}`, {
    ...(seconds > 0 ? { retryAfter: Math.min(seconds, LONGEST_RETRY_AFTER) } : {}),
    ...(problem === null ? {} : { problem: problem.code }),
  });
}

/** A problem document (RFC 9457); null: it is not one of ours. */
function readProblem(bytes: Buffer): { readonly code: string; readonly detail: string } | null {
  try {
    const { code, detail } = JSON.parse(bytes.toString()) as { code?: unknown; detail?: unknown };
    return typeof code === 'string' && typeof detail === 'string' ? { code, detail } : null;
  } catch {
    return null;
  }
}
