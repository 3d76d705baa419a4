/** The portal that collects the audit logs of several services: one record a request. */
import { Agent, request, type Dispatcher } from 'undici';
import { MASK, maskSecrets } from '../../api/activity/audit-masking.ts';
import type { UnsentRecord } from '../../store/audit/audit-outbox.ts';

export interface PortalAddress {
  readonly url: string;
  /** What the portal knows this service by. */
  readonly secret: string;
}

/** What became of a record. `error` is fit for the log. */
export type PortalAnswer =
  | { readonly kind: 'taken' }
  /** Never to be taken: sending it again would end the same way. */
  | { readonly kind: 'refused'; readonly error: string }
  /** To be sent again, after this many seconds at the earliest. */
  | { readonly kind: 'failed'; readonly error: string; readonly retryAfter: number };

export interface Portal {
  /** Never rejects, but with the signal's reason when it aborts. */
  send(unsent: UnsentRecord, signal: AbortSignal): Promise<PortalAnswer>;
  close(): Promise<void>;
}

const PATH = '/api/v1/ingest/audit';
const SOURCE_APP = 'bgp';
const TIMEOUT_MS = 10_000;
/** The most of an answer that is read. */
const SHOWN_BYTES = 1_000;
const LONGEST_PAUSE_SECONDS = 3_600;

/**
 * Faults that lie with the address or the secret and not with the record: whoever mends them wants the records then. 408 and 429
 * are the portal's own "not now" (RFC 9110, RFC 6585).
 */
const FAULTS_OF_THE_ADDRESS: ReadonlySet<number> = new Set([401, 403, 404, 405, 408, 429]);

export function openPortal({ url, secret }: PortalAddress, timeoutMs = TIMEOUT_MS): Portal {
  const agent = new Agent({ connections: 4, connect: { timeout: timeoutMs } });
  const ask = async (unsent: UnsentRecord, signal: AbortSignal): Promise<PortalAnswer> => {
    const response = await request(url + PATH, {
      method: 'POST',
      dispatcher: agent,
      signal,
      headers: {
        authorization: `Bearer ${secret}`,
        'content-type': 'application/json',
        // What arrives twice counts once.
        'idempotency-key': unsent.record.id,
      },
      body: JSON.stringify({ source_app: SOURCE_APP, tenant: unsent.tenant, ...unsent.record }),
    });
    const said = await readStart(response.body);
    return judge(response, said.replaceAll(secret, MASK));
  };
  return {
    async send(unsent, signal) {
      const deadline = AbortSignal.timeout(timeoutMs);
      try {
        return await ask(unsent, AbortSignal.any([signal, deadline]));
      } catch (error) {
        signal.throwIfAborted();
        const late = deadline.aborted ? `no answer within ${timeoutMs} ms` : undefined;
        return { kind: 'failed', error: late ?? reasonOf(error), retryAfter: 0 };
      }
    },
    close: () => agent.destroy(),
  };
}

function judge({ statusCode, headers }: Dispatcher.ResponseData, said: string): PortalAnswer {
  if (statusCode >= 200 && statusCode < 300) return { kind: 'taken' };
  const error = `the portal answered ${statusCode}${said === '' ? '' : `: ${said}`}`;
  const isRefusal = statusCode >= 400 && statusCode < 500 && !FAULTS_OF_THE_ADDRESS.has(statusCode);
  if (isRefusal) return { kind: 'refused', error };
  return { kind: 'failed', error, retryAfter: readRetryAfter(headers['retry-after']) };
}

/** Seconds (RFC 9110, section 10.2.3); a date or nonsense reads as none. */
function readRetryAfter(value: string | string[] | undefined): number {
  const seconds = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : 0;
  return Math.min(seconds, LONGEST_PAUSE_SECONDS);
}

/** The beginning of an answer as one printable line; the rest is left. */
async function readStart(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= SHOWN_BYTES) break;
  }
  const text = Buffer.concat(chunks).subarray(0, SHOWN_BYTES).toString();
  return String(maskSecrets(text.replace(/[^\x20-\x7e]+/g, ' ').trim()));
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined || error.message.includes(code) ? error.message : `${code} ${error.message}`;
}
