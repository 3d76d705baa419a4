import type { Schemas } from './schemas.ts';

type ProblemDocument = Schemas['ProblemDocument'];

/** Codes that the service answers with, and two of the client's own: nobody answered; the answer was not of this API. */
export type ProblemCode = ProblemDocument['code'] | 'unreachable' | 'unexpected_answer';

interface ProblemFacts extends Partial<Omit<ProblemDocument, 'code' | 'detail'>> {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly retryAfterSeconds?: number | null;
}

/** Whatever the API refuses or fails to do (RFC 9457), and an API that can't be reached. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly code: ProblemCode;
  /** What was wrong, where, and how to fix it. */
  readonly detail: string;
  /** The same for every problem of this code. */
  readonly title: string;
  /** The HTTP status; 0 where there was no answer. */
  readonly status: number;
  /** As in the logs of the service; null where there was no answer. */
  readonly requestId: string | null;
  /** Every fault of the body or query. */
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[];
  /** When the service wants to be asked again; null where it does not say. */
  readonly retryAfterSeconds: number | null;

  constructor(facts: ProblemFacts, options?: ErrorOptions) {
    super(facts.detail, options);
    this.code = facts.code;
    this.detail = facts.detail;
    this.title = facts.title ?? facts.detail;
    this.status = facts.status ?? 0;
    this.requestId = facts.request_id ?? null;
    this.errors = facts.errors ?? [];
    this.retryAfterSeconds = facts.retryAfterSeconds ?? null;
  }
}

/** Reads the problem that an answer holds; what is no problem document, a proxy for example answers. */
export async function problemOf(response: Response): Promise<ApiProblem> {
  const text = await response.text().catch(() => '');
  const retryAfterSeconds = retryAfterOf(response.headers);
  const document = documentOf(text);
  if (document !== null) return new ApiProblem({ ...document, retryAfterSeconds });
  return new ApiProblem({
    code: 'unexpected_answer',
    title: 'The answer is not one of the API',
    status: response.status,
    detail: `${response.url || 'The server'} answered ${response.status} without a problem document: is this the address of a Prefixcast service?`,
    retryAfterSeconds,
  });
}

function documentOf(text: string): ProblemDocument | null {
  try {
    const value = JSON.parse(text) as Partial<ProblemDocument> | null;
    return typeof value?.code === 'string' && typeof value.detail === 'string'
      ? (value as ProblemDocument)
      : null;
  } catch {
    return null;
  }
}

/** `Retry-After` (RFC 9110, 10.2.3) in seconds. */
export function retryAfterOf(headers: Headers): number | null {
  const text = headers.get('retry-after');
  if (text === null) return null;
  if (/^\d+$/.test(text)) return Number(text);
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, (date - Date.now()) / 1_000);
}

/** Whether the service refuses, so that asking again changes nothing: it is not away, has not failed, and wants no pause. */
export function isRefusal(error: unknown): error is ApiProblem {
  return error instanceof ApiProblem && error.status >= 400 && error.status < 500 && error.status !== 429;
}
