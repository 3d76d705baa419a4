import { AgentFault } from '../agent/agent-fault.ts';
import { ControlClient, json, type ControlClientOptions } from '../agent/control-client.ts';
import type {
  FirewallApplyStatus,
  FirewallApplyStatusTaken,
  FirewallEnroll,
  FirewallEnrolled,
} from '../api/firewall/firewall-clients.ts';
import type { FirewallRuleset } from '../api/firewall/firewall-rulesets.ts';
import type { EndorsedKey } from '../bundle/signing-key.ts';

/** Octets of a ruleset with some millions of prefixes. */
const MAX_RULESET_BYTES = 256 * 1024 * 1024;
const RULESET_MILLISECONDS = 600_000;
/** Short, because another report follows soon. */
const REPORT_MILLISECONDS = 10_000;
/** Milliseconds for one attempt to confirm. */
const CONFIRM_MILLISECONDS = 5_000;

/** The control plane as a firewall client uses it. */
export class FirewallPlane {
  readonly #options: ControlClientOptions;
  readonly #client: ControlClient;

  constructor(options: ControlClientOptions) {
    this.#options = options;
    this.#client = new ControlClient(options);
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  async enroll(token: string, machine: FirewallEnroll): Promise<FirewallEnrolled> {
    return json(
      await this.#client.call('/v1/firewall/clients/enroll', {
        method: 'POST',
        secret: token,
        body: machine,
      }),
    );
  }

  /**
   * What the client should apply now, not verified yet.
   * @param from a revision whose sets the client has; null: it has none
   * @returns null when it is still what `etag` names
   */
  async ruleset(
    secret: string,
    clientId: string,
    {
      wait,
      etag,
      from,
      signal,
    }: { wait: number; etag: string | null; from: string | null; signal: AbortSignal },
  ): Promise<{ readonly etag: string | null; readonly ruleset: FirewallRuleset } | null> {
    const base = from === null ? '' : `&from=${from}`;
    const answer = await this.#client.call(`/v1/firewall/clients/${clientId}/ruleset?wait=${wait}${base}`, {
      secret,
      headers: etag === null ? {} : { 'if-none-match': etag },
      milliseconds: RULESET_MILLISECONDS,
      maximumBytes: MAX_RULESET_BYTES,
      signal,
    });
    if (answer.status === 304) return null;
    const ruleset = json<FirewallRuleset>(answer);
    if (
      typeof ruleset.manifest !== 'string' ||
      typeof ruleset.signature !== 'string' ||
      !Array.isArray(ruleset.sets)
    )
      throw new AgentFault('control_refused', 'The answer of the control plane is not a ruleset.');
    return { etag: answer.headers.etag?.toString() ?? null, ruleset };
  }

  async signingKeys(secret: string, signal: AbortSignal): Promise<EndorsedKey[]> {
    const answer = await this.#client.call('/v1/bundles/signing-key', { secret, signal });
    return json<{ items: EndorsedKey[] }>(answer).items;
  }

  async report(
    secret: string,
    clientId: string,
    body: FirewallApplyStatus,
    signal: AbortSignal,
  ): Promise<FirewallApplyStatusTaken> {
    const path = `/v1/firewall/clients/${clientId}/apply-status`;
    return json(
      await this.#client.call(path, {
        method: 'POST',
        secret,
        body,
        signal,
        milliseconds: REPORT_MILLISECONDS,
      }),
    );
  }

  /**
   * Reports over a new connection: connections that are already open pass whatever the rules say.
   * @returns whether the control plane has answered; one that refuses the key has been reached as well
   */
  async reaches(
    secret: string,
    clientId: string,
    body: FirewallApplyStatus,
    signal: AbortSignal,
  ): Promise<boolean> {
    const client = new ControlClient(this.#options);
    const path = `/v1/firewall/clients/${clientId}/apply-status`;
    try {
      await client.call(path, { method: 'POST', secret, body, signal, milliseconds: CONFIRM_MILLISECONDS });
      return true;
    } catch (error) {
      signal.throwIfAborted();
      return error instanceof AgentFault && error.code !== 'control_unreachable';
    } finally {
      await client.close();
    }
  }
}
