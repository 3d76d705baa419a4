import { isDeepStrictEqual } from 'node:util';
import { counted, duration, type OperatorEvent } from '../api/activity/operator-events.ts';
import { grouped } from '../api/shapes/grouped.ts';
import { BundleError } from '../bundle/bundle-error.ts';
import { partialReason } from '../speakers/verification/peer-results.ts';
import { ProvisionalApplyError } from '../speakers/verification/try-out.ts';
import { AgentFault, describeFault } from './agent-fault.ts';
import { failed, NO_ROUTES, NOTHING_YET, taken, type ApplyState } from './apply-state.ts';
import { Backoff } from '../concurrency/backoff.ts';
import { pause } from '../concurrency/pause.ts';
import { ControlContact } from './control-contact.ts';
import type { ControlPlane, Latest } from './control-plane.ts';
import type { Identity } from './identity.ts';
import type { Installed, Installer } from './installer.ts';
import type { AgentLog } from './agent-log.ts';
import type { TrustStore } from './trust.ts';

/** How long one request waits for something new. */
const WAIT_SECONDS = 50;
/** Milliseconds between requests whose answers were not delayed. */
const SOONEST = 1_000;

export interface FollowerOptions {
  readonly identity: Identity;
  readonly control: ControlPlane;
  readonly trust: TrustStore;
  readonly installer: Installer;
  readonly log: AgentLog;
  readonly emit: (event: OperatorEvent) => void;
  /** The secret for requests, which a new enrollment changes. */
  readonly secret: () => string;
  /** Looks for another secret. @returns whether there is one */
  readonly renewSecret: () => Promise<boolean>;
  /** Called when something that is to be reported has changed. */
  readonly onChange: () => void;
}

/** Follows the control plane: asks for the latest state, and pulls, verifies and installs it. */
export class Follower {
  readonly #options: FollowerOptions;
  readonly #contact: ControlContact;
  readonly #untaken = new Backoff(2_000, 300_000);
  #etag: string | null = null;
  #latest: Latest | null = null;
  /** The latest state that needs nothing more: it is not pulled again, however often it is announced. */
  #settled: Latest | null = null;
  /** When a failed bundle is retried, on the steady clock. */
  #retryAt: number | null = null;
  /** Null: no attempt yet. */
  #apply: ApplyState | null = null;
  /** While a bundle is taken, what was so before: it runs a moment before anybody knows what it changed, and a report of that moment would say nothing did. */
  #before: ApplyState | null = null;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#contact = new ControlContact({
      ...options,
      stays: 'What is announced stays as it is.',
      // Nothing changes until somebody acts.
      refusals: new Backoff(30_000, 300_000),
    });
  }

  /** How the last attempt at a bundle ended. What was restored from disk counts, so that the control plane learns the node's state. */
  get apply(): ApplyState {
    const { running } = this.#options.installer;
    return (
      this.#apply ?? this.#before ?? (running === null ? NOTHING_YET : taken(running.manifest, NO_ROUTES))
    );
  }

  /** Why the control plane cannot be followed now; null: it can. */
  get fault(): string | null {
    return this.#contact.fault;
  }

  /** Runs until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#ask(signal);
      } catch (error) {
        if (!hasNothingYet(error)) {
          if (!signal.aborted) await this.#contact.pauseAfter(error, signal);
          continue;
        }
        this.#etag = this.#latest = this.#retryAt = null;
        await pause(SOONEST, signal);
      }
      if (this.#isDue()) await this.#follow(signal);
      else this.#contact.reached();
    }
  }

  async #ask(signal: AbortSignal): Promise<void> {
    const { control, identity, secret } = this.#options;
    const rest =
      this.#retryAt === null ? WAIT_SECONDS : Math.ceil((this.#retryAt - performance.now()) / 1000);
    const isRetry = rest <= 0;
    const wait = isRetry || this.#isDue() ? 0 : Math.min(WAIT_SECONDS, rest);
    // It is read again before a retry: the announcement may have been as wrong as the bundle.
    const question = { wait, etag: isRetry ? null : this.#etag, signal };
    const asked = performance.now();
    const answer = await control.latest(secret(), identity.speaker_id, question);
    if (answer !== null) this.#etag = answer.etag;
    if (answer !== null && !isDeepStrictEqual(answer.latest, this.#latest)) {
      this.#latest = answer.latest;
      this.#retryAt = null;
      // This is not what failed: it is tried at once.
      this.#untaken.reset();
    } else if (isRetry) this.#retryAt = null;
    // A proxy does not wait, or changes entity tags: the agent must not poll in a tight loop.
    else if (performance.now() - asked < SOONEST) await pause(SOONEST, signal);
  }

  /** Whether there is something to pull now. */
  #isDue(): boolean {
    if (this.#latest === null || this.#latest === this.#settled || this.#retryAt !== null) return false;
    // Even if it runs: then storing it failed.
    if (this.#apply?.status === 'failed') return true;
    const manifest = this.#options.installer.running?.manifest;
    // The same bundle may be issued again, for a longer time or with other keys.
    return manifest?.sequence !== this.#latest.sequence || manifest.expires_at !== this.#latest.expires_at;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { installer, onChange } = this.#options;
    const latest = this.#latest!;
    const begun = performance.now();
    const before = this.#options.installer.running?.manifest.revision_id ?? null;
    this.#emitStart(latest, before);
    this.#before = this.apply;
    try {
      const outcome = await this.#pull(latest, signal);
      const { sequence, revision_id } = installer.running!.manifest;
      this.#settled = latest;
      this.#retryAt = null;
      this.#untaken.reset();
      if (outcome === null && this.#apply?.status !== 'failed') return;
      this.#apply = taken({ sequence, revision_id }, outcome ?? NO_ROUTES, outcome?.peers);
      this.#emitEnd(outcome ?? { ...NO_ROUTES, peers: [], settings: [] }, before, begun);
    } catch (error) {
      if (signal.aborted) return;
      if (isReplaced(error)) await this.#askAgain(signal);
      else if (isOnTheWay(error)) await this.#contact.pauseAfter(error, signal);
      else this.#noteFailure(latest, error, begun);
    } finally {
      this.#before = null;
      onChange();
    }
  }

  async #askAgain(signal: AbortSignal): Promise<void> {
    this.#etag = this.#latest = null;
    await this.#contact.pause(signal);
  }

  /** Silent when the same revision is issued again, for a longer time or with other keys. */
  #emitStart({ sequence, revision_id }: Latest, before: string | null): void {
    if (revision_id === before) return;
    const { speaker_id, speaker_name: speaker } = this.#options.identity;
    this.#options.emit({
      event: 'apply_begun',
      text: `The speaker ${speaker} begins with the bundle ${sequence}`,
      fields: { speaker_id, speaker, sequence, revision_id },
    });
  }

  #emitEnd(
    { announced, withdrawn, changed, peers, settings }: Installed,
    before: string | null,
    begun: number,
  ): void {
    const { speaker_id, speaker_name: speaker } = this.#options.identity;
    const { sequence, revision_id, revision_number: revision } = this.#options.installer.running!.manifest;
    // Only peers changed, or the bundle was not stored before.
    if (revision_id === before && announced + withdrawn + changed === 0 && partialReason(peers) === null)
      return this.#options.log.info(
        { sequence, revision_id, revision, settings },
        settings.length === 0
          ? 'The daemon runs what the control plane asks for'
          : `The speaker ${speaker} runs revision ${revision} as before, with other settings: ${settings.join('; ')}`,
      );
    const seconds = Math.round(performance.now() - begun) / 1_000;
    const partial = partialReason(peers);
    const counts = `${counted(announced, 'route')} announced, ${grouped(withdrawn)} withdrawn, ${grouped(changed)} changed`;
    this.#options.emit({
      event: 'apply_ended',
      text: `The speaker ${speaker} runs revision ${revision} after ${duration(seconds)}: ${counts}${settings.length === 0 ? '' : `. Other settings: ${settings.join('; ')}`}${partial === null ? '' : `. ${partial}`}`,
      fields: {
        ...{ speaker_id, speaker, sequence, revision_id, revision, seconds, announced, withdrawn, changed },
        outcome: partial === null ? 'applied' : 'partial',
      },
      ...(partial === null ? {} : { level: 'warn' }),
    });
  }

  #noteFailure(latest: Latest, error: unknown, begun: number): void {
    const pause = this.#untaken.next();
    this.#retryAt = performance.now() + pause;
    const { sequence, revision_id } = latest;
    // A control plane that was restored from a backup learns which sequence it must exceed.
    const known = Math.max(sequence, this.#options.trust.highestSequence ?? 0);
    const peers = error instanceof ProvisionalApplyError ? error.peers : [];
    this.#apply = failed({ sequence: known, revision_id }, describeFault(error), peers);
    const { speaker_id, speaker_name: speaker } = this.#options.identity;
    const seconds = Math.round(performance.now() - begun) / 1_000;
    this.#options.emit({
      event: 'apply_failed',
      text: `The bundle was not taken, and what was announced before stays: ${describeFault(error)}`,
      fields: {
        ...{ speaker_id, speaker, sequence, revision_id, seconds, outcome: 'failed', err: error },
        again_in_seconds: Math.round(pause / 1000),
      },
    });
  }

  /** Asks for the changes since what runs, and for the whole if those are not enough. */
  async #pull(latest: Latest, signal: AbortSignal): Promise<ReturnType<Installer['install']>> {
    const { control, installer, secret, trust, identity } = this.#options;
    const from = installer.running?.manifest.revision_id ?? null;
    const fetchAndInstall = async (base: string | null): ReturnType<Installer['install']> => {
      const bytes = await control.bundle(secret(), latest.bundle.url, base, signal);
      // Not before: a line that carries requests but no bundles does not work.
      this.#contact.reached();
      return installer.install(bytes, signal);
    };
    try {
      return await fetchAndInstall(from);
    } catch (error) {
      if (!(error instanceof BundleError)) throw error;
      if (error.code === 'key_unknown') {
        // It was offline while a new key was announced.
        const published = await control.signingKeys(secret(), signal);
        if (!(await trust.endorsed(identity, published))) throw error;
      } else if (from === null || (error.code !== 'base_missing' && error.code !== 'bundle_corrupt'))
        throw error;
      return fetchAndInstall(null);
    }
  }
}

/** Another bundle has replaced the requested one. */
function isReplaced(error: unknown): boolean {
  return error instanceof AgentFault && error.problem === 'not_found';
}

/** The bundle did not arrive, which says nothing about the bundle itself. */
function isOnTheWay(error: unknown): boolean {
  return (
    error instanceof AgentFault &&
    ['control_unreachable', 'control_refused', 'unauthorized'].includes(error.code)
  );
}

/** Nothing was ever applied to the speaker: nothing is wrong, and there is nothing to do. */
function hasNothingYet(error: unknown): boolean {
  return error instanceof AgentFault && error.problem === 'revision_not_ready';
}
