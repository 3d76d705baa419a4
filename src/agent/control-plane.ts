/** The control plane, as a node asks it: over HTTPS, each answer bounded in size and time. */
import type { Readable } from 'node:stream';
import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { Agent, request, type Dispatcher } from 'undici';
import type { ApplyStatus, ApplyStatusTaken, NodeEnroll, NodeEnrolled } from '../api/nodes.ts';
import { MAX_BUNDLE_BYTES } from '../bundle/bundle.ts';
import type { EndorsedKey } from '../bundle/signing-key.ts';
import { AgentFault } from './agent-fault.ts';
import type { ControlClock } from './control-clock.ts';

const SHORT_MILLISECONDS = 30_000;
/** For a whole bundle, over whatever line a node has. */
const BUNDLE_MILLISECONDS = 600_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** Nobody has the node wait longer, in seconds: whoever keeps a service closed for a day may open it sooner. */
const LONGEST_RETRY_AFTER = 60;

export interface ControlPlaneOptions {
  /** Without a slash at its end. */
  readonly url: string;
  /** Authorities in PEM that certificates are held against; null: those of the system. */
  readonly ca: string | null;
  readonly clock: ControlClock;
}

/** What the speaker shall run, as far as nobody has verified it. There may be more in it that a later service tells. */
const Latest = Type.Object({
  sequence: Type.Integer({ minimum: 1 }),
  revision_id: Type.String({ format: 'uuid' }),
  expires_at: Type.String(),
  bundle: Type.Object({ url: Type.String() }),
});
export type Latest = Readonly<Static<typeof Latest>>;
const isLatest = Compile(Latest);

interface Call {
  readonly method?: 'GET' | 'POST';
  readonly secret: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly milliseconds?: number;
  readonly maximumBytes?: number;
  readonly signal?: AbortSignal | undefined;
}

interface Answer {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData['headers'];
  readonly bytes: Buffer;
}

export class ControlPlane {
  readonly #options: ControlPlaneOptions;
  readonly #dispatcher: Agent;

  constructor(options: ControlPlaneOptions) {
    this.#options = options;
    this.#dispatcher = new Agent({
      connect: { timeout: 10_000, ...(options.ca === null ? {} : { ca: options.ca }) },
      keepAliveTimeout: 60_000,
    });
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }

  async enroll(token: string, machine: NodeEnroll): Promise<NodeEnrolled> {
    return json(await this.#call('/v1/nodes/enroll', { method: 'POST', secret: token, body: machine }));
  }

  /**
   * What the speaker shall run now.
   * @param wait seconds that the answer may be held back while nothing is new
   * @returns null when it is what `etag` names still
   */
  async latest(
    secret: string,
    speakerId: string,
    { wait, etag, signal }: { wait: number; etag: string | null; signal: AbortSignal },
  ): Promise<{ readonly etag: string | null; readonly latest: Latest } | null> {
    const answer = await this.#call(`/v1/speakers/${speakerId}/revisions/latest?wait=${wait}`, {
      secret,
      headers: etag === null ? {} : { 'if-none-match': etag },
      milliseconds: wait * 1000 + SHORT_MILLISECONDS,
      signal,
    });
    if (answer.status === 304) return null;
    const latest = json<unknown>(answer);
    if (!isLatest.Check(latest))
      throw new AgentFault(
        'control_refused',
        'The answer of the control plane does not say what is the latest.',
      );
    return { etag: answer.headers.etag?.toString() ?? null, latest };
  }

  /** @param url as {@link latest} told it */
  async bundle(secret: string, url: string, from: string | null, signal: AbortSignal): Promise<Buffer> {
    const { url: base } = this.#options;
    const path = url.startsWith(`${base}/`) ? url.slice(base.length) : url;
    // The key goes nowhere else.
    if (!path.startsWith('/v1/'))
      throw new AgentFault(
        'control_refused',
        `The control plane names a bundle at ${url}, which is not its own.`,
      );
    const delta = from === null ? '' : `${path.includes('?') ? '&' : '?'}from=${from}`;
    const { bytes } = await this.#call(path + delta, {
      secret,
      milliseconds: BUNDLE_MILLISECONDS,
      maximumBytes: MAX_BUNDLE_BYTES,
      signal,
    });
    return bytes;
  }

  async signingKeys(secret: string, signal: AbortSignal): Promise<EndorsedKey[]> {
    const answer = await this.#call('/v1/bundles/signing-key', { secret, signal });
    return json<{ items: EndorsedKey[] }>(answer).items;
  }

  async report(
    secret: string,
    speakerId: string,
    body: ApplyStatus,
    signal: AbortSignal,
  ): Promise<ApplyStatusTaken> {
    const path = `/v1/speakers/${speakerId}/apply-status`;
    return json(await this.#call(path, { method: 'POST', secret, body, signal }));
  }

  /** @throws {AgentFault} unless the answer is a good one */
  async #call(path: string, call: Call): Promise<Answer> {
    const { url, clock } = this.#options;
    const { milliseconds = SHORT_MILLISECONDS, maximumBytes = MAX_ANSWER_BYTES } = call;
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
      // The time of now: what follows may take minutes.
      clock.heard(headers.date?.toString());
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

function json<T>({ bytes }: Answer): T {
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

/** A problem document (RFC 9457); null: it is none of ours. */
function readProblem(bytes: Buffer): { readonly code: string; readonly detail: string } | null {
  try {
    const { code, detail } = JSON.parse(bytes.toString()) as { code?: unknown; detail?: unknown };
    return typeof code === 'string' && typeof detail === 'string' ? { code, detail } : null;
  } catch {
    return null;
  }
}
