/**
 * The firewall client: brings the control plane's rules into the packet filter of this host.
 *
 *     client.ts       the whole: restores what was in force, then follows and reports
 *     enforcer.ts     verified ruleset -> kernel -> confirmed -> disk, or back
 *     kernel.ts       our table, by transactions of nft (nftables/ has the scripts)      nft.ts   the program
 *     host.ts         who must not be locked out         firewall-plane.ts    the control plane
 *     identity.ts, last-good.ts, status-file.ts          files that survive a crash
 *
 * Whatever fails, what is in force stays. Only a verified ruleset changes it, after the kernel has accepted it and the control plane was
 * reached with it in force.
 */
import { counted } from '../api/shapes/counted.ts';
import { hostname } from 'node:os';
import { AgentFault, describeFault } from '../agent/agent-fault.ts';
import type { AgentLog } from '../agent/agent-log.ts';
import type { ControlClock } from '../agent/control-clock.ts';
import { ControlContact } from '../agent/control-contact.ts';
import type { DataDirectory } from '../agent/data-directory.ts';
import { TrustStore } from '../agent/trust.ts';
import type { FirewallApplyStatus } from '../api/firewall/firewall-clients.ts';
import type { FirewallRuleset } from '../api/firewall/firewall-rulesets.ts';
import { BundleError } from '../bundle/bundle-error.ts';
import { openRuleset, type OpenedRuleset } from '../bundle/ruleset.ts';
import { Backoff } from '../concurrency/backoff.ts';
import { endsWithin, pause } from '../concurrency/pause.ts';
import type { RuleCounter } from '../nftables/listing.ts';
import { Enforcer } from './enforcer.ts';
import type { FirewallPlane } from './firewall-plane.ts';
import type { Host } from './host.ts';
import { CLIENT_REMEDY, readFirewallIdentity, type FirewallIdentity } from './identity.ts';
import type { Kernel } from './kernel.ts';
import { writeFirewallStatus } from './status-file.ts';

/** How long one request waits for something new. The service takes a client that is silent for 35 s for one that is out of reach. */
const WAIT_SECONDS = 20;
/** Milliseconds between reports of a client whose kernel is at work for long, in which it asks for nothing new. */
const REPORT_MILLISECONDS = 15_000;
/** Milliseconds between requests whose answers were not delayed. */
const SOONEST = 1_000;

export interface FirewallClientOptions {
  readonly directory: DataDirectory;
  readonly identity: FirewallIdentity;
  readonly plane: FirewallPlane;
  readonly clock: ControlClock;
  readonly kernel: Kernel;
  readonly host: Host;
  readonly confirmSeconds: number;
  readonly version: string;
  readonly log: AgentLog;
  /** Seconds between checks of the kernel, each of which is reported. */
  readonly lookSeconds: number;
}

type Outcome = Pick<FirewallApplyStatus, 'status' | 'error'>;

export class FirewallClient {
  readonly #options: FirewallClientOptions;
  readonly #trust: TrustStore;
  readonly #enforcer: Enforcer;
  readonly #stopping = new AbortController();
  readonly #contact: ControlContact;
  readonly #untaken = new Backoff(2_000, 300_000);
  #secret: string;
  #etag: string | null = null;
  #outcome: Outcome = { status: 'applied', error: null };
  #counters: readonly RuleCounter[] = [];
  /** Why the kernel could not be checked, or not be repaired; null: the last check was successful. */
  #lookFault: string | null = null;
  #running: Promise<unknown> = Promise.resolve();

  private constructor(options: FirewallClientOptions, trust: TrustStore) {
    const { identity } = options;
    this.#options = options;
    this.#trust = trust;
    this.#secret = identity.api_key.secret;
    this.#contact = new ControlContact({
      ...{ log: options.log, stays: 'What is in force stays as it is.' },
      renewSecret: () => this.#renewSecret(),
      onChange: () => this.#writeStatus(),
    });
    this.#enforcer = new Enforcer({
      ...options,
      reader: () => ({
        trusted: trust.keys,
        tenantId: identity.tenant_id,
        clientId: identity.client_id,
      }),
    });
  }

  /** @throws {AgentFault} `state_unreadable` */
  static async open(options: FirewallClientOptions): Promise<FirewallClient> {
    const { directory } = options;
    return new FirewallClient(options, await TrustStore.open(directory, CLIENT_REMEDY));
  }

  /** Restores what was in force before. @returns why it could not; null: it is in force, or there was nothing */
  async restore(): Promise<{ readonly fault: string | null }> {
    const { log } = this.#options;
    try {
      const isRestored = await this.#enforcer.restore();
      if (isRestored) log.info({ ruleset_hash: this.#hash }, 'What was in force before is in force again');
      return { fault: null };
    } catch (error) {
      this.#outcome = { status: 'failed', error: describeFault(error).slice(0, 4_000) };
      log.error(
        { err: error },
        `What was in force before could not be brought back: ${describeFault(error)}`,
      );
      return { fault: describeFault(error) };
    } finally {
      await this.#writeStatus();
    }
  }

  start(): void {
    const { signal } = this.#stopping;
    this.#running = Promise.all([this.#follow(signal), this.#watch(signal)]);
  }

  /** Stops following; what is in force stays. */
  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  get #hash(): string | null {
    return this.#enforcer.running?.hash ?? null;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let found: FirewallRuleset | null;
      try {
        found = await this.#ask(signal);
        this.#contact.reached();
      } catch (error) {
        if (!signal.aborted) await this.#contact.pauseAfter(error, signal);
        continue;
      }
      if (found === null) continue;
      try {
        await this.#take(found, signal);
        this.#untaken.reset();
      } catch (error) {
        if (signal.aborted) return;
        // It is read again before a retry: the announcement may have been as wrong as the ruleset.
        this.#etag = null;
        await this.#fail(error, signal);
      }
    }
  }

  async #ask(signal: AbortSignal): Promise<FirewallRuleset | null> {
    const { plane, identity } = this.#options;
    const asked = performance.now();
    const from = this.#etag === null ? null : (this.#enforcer.running?.manifest.revision_id ?? null);
    const question = { wait: this.#etag === null ? 0 : WAIT_SECONDS, etag: this.#etag, from, signal };
    const answer = await plane.ruleset(this.#secret, identity.client_id, question);
    if (answer === null) {
      // A proxy does not wait, or changes entity tags: the client must not poll in a tight loop.
      if (performance.now() - asked < SOONEST) await pause(SOONEST, signal);
      return null;
    }
    this.#etag = answer.etag;
    return answer.ruleset;
  }

  async #take(found: FirewallRuleset, signal: AbortSignal): Promise<void> {
    const { log } = this.#options;
    const { opened, signed } = await this.#verified(found, signal);
    await this.#trust.verified(opened.manifest);
    if (opened.hash === this.#hash) {
      await this.#enforcer.renew(opened, signed);
      await this.#sendReport({ status: 'applied', error: null }, signal);
      return;
    }
    const begun = performance.now();
    await this.#enforcer.install(opened, signed, () => this.#reaches(opened, signal), signal);
    const { sequence, revision_id } = opened.manifest;
    const seconds = Math.round(performance.now() - begun) / 1_000;
    const prefixes = [...opened.sets.values()].reduce((sum, { size }) => sum + size, 0);
    log.info(
      { sequence, revision_id, ruleset_hash: opened.hash, seconds, prefixes },
      `${counted(opened.manifest.rules.length, 'rule')} with ${counted(prefixes, 'prefix')} in force after ${seconds} s`,
    );
    this.#outcome = { status: 'applied', error: null };
    this.#lookFault = null;
    await this.#writeStatus();
  }

  /** Reads an answer that may contain differences, and asks for the whole if those are not enough. @throws {BundleError}, {AgentFault} */
  async #verified(
    found: FirewallRuleset,
    signal: AbortSignal,
  ): Promise<{ readonly opened: OpenedRuleset; readonly signed: FirewallRuleset }> {
    const { plane, identity } = this.#options;
    try {
      return { opened: this.#open(found), signed: found };
    } catch (error) {
      if (!(error instanceof BundleError)) throw error;
      if (error.code === 'key_unknown') {
        // It was offline while a new key was announced.
        const published = await plane.signingKeys(this.#secret, signal);
        if (!(await this.#trust.endorsed(identity, published))) throw error;
      } else if (error.code !== 'base_missing') throw error;
      const question = { wait: 0, etag: null, from: null, signal };
      const whole = await plane.ruleset(this.#secret, identity.client_id, question);
      if (whole === null) throw error;
      this.#etag = whole.etag;
      return { opened: this.#open(whole.ruleset), signed: whole.ruleset };
    }
  }

  #open(found: FirewallRuleset): OpenedRuleset {
    const { identity, clock } = this.#options;
    return openRuleset(found, {
      trusted: this.#trust.keys,
      tenantId: identity.tenant_id,
      clientId: identity.client_id,
      highestSequence: this.#trust.highestSequence,
      now: clock.now(),
      known: this.#enforcer.running?.sets ?? new Map(),
    });
  }

  #reaches({ hash }: OpenedRuleset, signal: AbortSignal): Promise<boolean> {
    const { plane, identity } = this.#options;
    const body = { ...this.#report({ status: 'applied', error: null }), ruleset_hash: hash };
    return plane.reaches(this.#secret, identity.client_id, body, signal);
  }

  async #fail(error: unknown, signal: AbortSignal): Promise<void> {
    const { log } = this.#options;
    const isReverted = error instanceof AgentFault && error.code === 'not_confirmed';
    const length = this.#untaken.next();
    log.error(
      { err: error, again_in_seconds: Math.round(length / 1_000) },
      `The ruleset is not in force, and what was before stays: ${describeFault(error)}`,
    );
    const words = describeFault(error).slice(0, 4_000);
    await this.#sendReport({ status: isReverted ? 'reverted' : 'failed', error: words }, signal);
    await pause(length, signal);
  }

  /** Checks the kernel periodically, and reports what it finds. */
  async #watch(signal: AbortSignal): Promise<void> {
    const { lookSeconds } = this.#options;
    for (;;) {
      await pause(lookSeconds * 1_000, signal);
      if (signal.aborted) return;
      const looked = this.#look();
      // It waits for a ruleset that is being put in force, and a million prefixes take the kernel a minute.
      while (!signal.aborted && !(await endsWithin(looked, REPORT_MILLISECONDS)))
        await this.#sendReport(this.#outcome, signal);
      await looked;
      await this.#sendReport(this.#outcome, signal);
    }
  }

  async #look(): Promise<void> {
    const { log } = this.#options;
    try {
      this.#counters = await this.#enforcer.look();
      this.#lookFault = null;
    } catch (error) {
      log.error({ err: error }, `The kernel could not be looked at: ${describeFault(error)}`);
      this.#lookFault = describeFault(error).slice(0, 4_000);
    }
  }

  /** A lost report is replaced by the next one. */
  async #sendReport(outcome: Outcome, signal: AbortSignal): Promise<void> {
    const { plane, identity } = this.#options;
    this.#outcome = outcome;
    await this.#writeStatus();
    await plane
      .report(this.#secret, identity.client_id, this.#report(outcome), signal)
      .catch(() => undefined);
  }

  #report(outcome: Outcome): FirewallApplyStatus {
    return {
      ...outcome,
      ...(this.#lookFault === null ? {} : { status: 'failed', error: this.#lookFault }),
      ruleset_hash: this.#hash,
      highest_sequence: this.#trust.highestSequence,
      hostname: hostname(),
      version: this.#options.version,
      counters: [...this.#counters],
    };
  }

  /** The client may have been enrolled again meanwhile. */
  async #renewSecret(): Promise<boolean> {
    const { directory, identity } = this.#options;
    const now = await readFirewallIdentity(directory);
    if (now === null || now.api_key.secret === this.#secret || now.client_id !== identity.client_id)
      return false;
    await this.#trust.reload();
    this.#etag = null;
    this.#secret = now.api_key.secret;
    return true;
  }

  async #writeStatus(): Promise<void> {
    const { directory, identity } = this.#options;
    const { hostname: _, ...report } = this.#report(this.#outcome);
    const running = this.#enforcer.running;
    await writeFirewallStatus(directory, {
      ...report,
      pid: process.pid,
      updated_at: new Date().toISOString(),
      client: { id: identity.client_id, name: identity.client_name },
      control: { url: identity.control_url, error: this.#contact.fault },
      ruleset: running && {
        sequence: running.manifest.sequence,
        policy: running.manifest.policy,
        rules: running.manifest.rules.length,
        prefixes: [...running.sets.values()].reduce((sum, { size }) => sum + size, 0),
        names: Object.fromEntries(running.manifest.rules.map(({ id, name }) => [id, name])),
      },
    });
  }
}
