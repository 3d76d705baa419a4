/** The control plane as a node uses it: requests over HTTPS with limits of size and time. */
import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { ApplyStatus, ApplyStatusTaken, NodeEnroll, NodeEnrolled } from '../api/nodes/nodes.ts';
import { MAX_BUNDLE_BYTES } from '../bundle/bundle.ts';
import type { EndorsedKey } from '../bundle/signing-key.ts';
import { AgentFault } from './agent-fault.ts';
import { ANSWER_MILLISECONDS, ControlClient, json, type ControlClientOptions } from './control-client.ts';

/** Milliseconds: for a whole bundle over a slow line. */
const BUNDLE_MILLISECONDS = 600_000;

/** What the speaker should run, not verified yet. A later service may add members. */
const Latest = Type.Object({
  sequence: Type.Integer({ minimum: 1 }),
  revision_id: Type.String({ format: 'uuid' }),
  expires_at: Type.String(),
  bundle: Type.Object({ url: Type.String() }),
});
export type Latest = Readonly<Static<typeof Latest>>;
const isLatest = Compile(Latest);

export class ControlPlane {
  readonly #url: string;
  readonly #client: ControlClient;

  constructor(options: ControlClientOptions) {
    this.#url = options.url;
    this.#client = new ControlClient(options);
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  async enroll(token: string, machine: NodeEnroll): Promise<NodeEnrolled> {
    return json(
      await this.#client.call('/v1/nodes/enroll', { method: 'POST', secret: token, body: machine }),
    );
  }

  /**
   * What the speaker should run now.
   * @param wait seconds that the answer may be delayed while nothing is new
   * @returns null when it is still what `etag` names
   */
  async latest(
    secret: string,
    speakerId: string,
    { wait, etag, signal }: { wait: number; etag: string | null; signal: AbortSignal },
  ): Promise<{ readonly etag: string | null; readonly latest: Latest } | null> {
    const answer = await this.#client.call(`/v1/speakers/${speakerId}/revisions/latest?wait=${wait}`, {
      secret,
      headers: etag === null ? {} : { 'if-none-match': etag },
      milliseconds: wait * 1000 + ANSWER_MILLISECONDS,
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

  /** @param url as {@link latest} returned it */
  async bundle(secret: string, url: string, from: string | null, signal: AbortSignal): Promise<Buffer> {
    const base = this.#url;
    const path = url.startsWith(`${base}/`) ? url.slice(base.length) : url;
    // The key must not be sent anywhere else.
    if (!path.startsWith('/v1/'))
      throw new AgentFault(
        'control_refused',
        `The control plane names a bundle at ${url}, which is not its own.`,
      );
    const delta = from === null ? '' : `${path.includes('?') ? '&' : '?'}from=${from}`;
    const { bytes } = await this.#client.call(path + delta, {
      secret,
      milliseconds: BUNDLE_MILLISECONDS,
      maximumBytes: MAX_BUNDLE_BYTES,
      signal,
    });
    return bytes;
  }

  async signingKeys(secret: string, signal: AbortSignal): Promise<EndorsedKey[]> {
    const answer = await this.#client.call('/v1/bundles/signing-key', { secret, signal });
    return json<{ items: EndorsedKey[] }>(answer).items;
  }

  async report(
    secret: string,
    speakerId: string,
    body: ApplyStatus,
    signal: AbortSignal,
  ): Promise<ApplyStatusTaken> {
    const path = `/v1/speakers/${speakerId}/apply-status`;
    return json(await this.#client.call(path, { method: 'POST', secret, body, signal }));
  }
}
