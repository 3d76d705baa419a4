/** The portal that collects the audit logs of several services: one record a request. */
import { Agent } from 'undici';
import { MASK } from '../../api/activity/audit-masking.ts';
import type { UnsentRecord } from '../../store/audit/audit-outbox.ts';
import { post, type PostAnswer } from '../outbox/post.ts';

export interface PortalAddress {
  readonly url: string;
  /** What the portal knows this service by. */
  readonly secret: string;
}

export interface Portal {
  /** Never rejects, but with the signal's reason when it aborts. */
  send(unsent: UnsentRecord, signal: AbortSignal): Promise<PostAnswer>;
  close(): Promise<void>;
}

const PATH = '/api/v1/ingest/audit';
const SOURCE_APP = 'bgp';
const TIMEOUT_MS = 10_000;

export function openPortal({ url, secret }: PortalAddress, timeoutMs = TIMEOUT_MS): Portal {
  const agent = new Agent({ connections: 4, connect: { timeout: timeoutMs } });
  return {
    async send({ tenant, record }, signal) {
      const request = {
        url: url + PATH,
        headers: {
          authorization: `Bearer ${secret}`,
          // What arrives twice counts once.
          'idempotency-key': record.id,
        },
        body: JSON.stringify({ source_app: SOURCE_APP, tenant, ...record }),
      };
      const answer = await post(request, { agent, receiver: 'the portal', timeoutMs, signal });
      return answer.kind === 'taken' ? answer : { ...answer, error: answer.error.replaceAll(secret, MASK) };
    },
    close: () => agent.destroy(),
  };
}
