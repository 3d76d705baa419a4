import { isDeepStrictEqual } from 'node:util';
import { SerialQueue } from '../concurrency/serial-queue.ts';
import type { PeerApplyResult } from '../api/revisions/apply.ts';
import { packBundle } from '../bundle/bundle.ts';
import type { BundleManifest } from '../bundle/manifest.ts';
import { openBundle, type OpenedBundle } from '../bundle/open-bundle.ts';
import { limitRoutes } from '../policy/limit-routes.ts';
import { tryOut } from '../speakers/verification/try-out.ts';
import { fitRoutes } from '../core/fitting/fit-routes.ts';
import { fitPeers, type FitRules } from '../speakers/fit-peers.ts';
import { limitPeers } from '../speakers/limited-peers.ts';
import { RoutesVersion } from '../speakers/routes-version.ts';
import {
  EMPTY_ROUTES,
  asFinal,
  unreachable,
  type ApplyOutcome,
  type LimitedPeer,
  type RoutesModel,
  type SpeakerDriver,
  type SpeakerModel,
} from '../speakers/speaker.ts';
import { AgentFault } from './agent-fault.ts';
import { NO_ROUTES } from './apply-state.ts';
import { changedSettings } from './changed-settings.ts';
import type { ControlClock } from './control-clock.ts';
import type { DataDirectory } from './data-directory.ts';
import { HeldRoutes } from './held-routes.ts';
import type { Identity } from './identity.ts';
import type { TrustStore } from './trust.ts';

const BUNDLE_FILE = 'bundle.tar';

export interface InstallerOptions {
  readonly directory: DataDirectory;
  readonly identity: Identity;
  readonly trust: TrustStore;
  readonly clock: ControlClock;
  readonly driver: SpeakerDriver;
}

/** What the daemon runs. */
export interface Running extends Pick<
  OpenedBundle,
  'manifest' | 'speaker' | 'routes' | 'allowedRoutes' | 'fit'
> {
  /** {@link routes} without what the tenant's policy no longer allows, and with covers and what peers over their limit hold. */
  readonly announced: RoutesModel;
}

/** What an install did, and the outcome for the peers. */
export interface Installed extends ApplyOutcome {
  readonly peers: readonly PeerApplyResult[];
  /** What changed besides the routes, for a person. */
  readonly settings: readonly string[];
}

/** Brings bundles into the daemon, and keeps the last good one on disk. A bundle that fails in any way changes nothing. */
export class Installer {
  readonly #options: InstallerOptions;
  #running: Running | null = null;
  /** Null: it is unknown which model the daemon has, since giving it another one failed. */
  #configured: SpeakerModel | null = null;
  readonly #held: HeldRoutes;
  readonly #turns = new SerialQueue();

  constructor(options: InstallerOptions) {
    this.#options = options;
    this.#held = new HeldRoutes(options.directory);
  }

  /** Null: nothing yet, and so no session is open. */
  get running(): Running | null {
    return this.#running;
  }

  /**
   * Restores what ran before the agent stopped, without the control plane. The signature is verified again, but not the age: the bundle was
   * valid when it was accepted, and routers must not lose routes because nobody could sign them again.
   * @returns false when there is nothing to restore, or something newer runs already
   * @throws {BundleError} when the files are damaged.
   * @throws {SpeakerError} when the daemon cannot take it now
   */
  restore(signal: AbortSignal): Promise<boolean> {
    return this.#turns.run(() => this.#restore(signal));
  }

  async #restore(signal: AbortSignal): Promise<boolean> {
    const { directory, driver } = this.#options;
    if (this.#running !== null) return false;
    const bytes = await directory.read(BUNDLE_FILE);
    if (bytes === null) return false;
    const opened = this.#open(bytes, new Date(0), null);
    await this.#configure(opened.speaker);
    // Final: it was confirmed before.
    const announced = await this.#restored(opened);
    await driver.apply(asFinal(announced), signal);
    this.#running = runningOf(opened, announced);
    return true;
  }

  /**
   * Verifies a bundle, applies it and stores it.
   * @returns null when it is issued again and contains what runs already
   * @throws {BundleError}, {@link AgentFault}, {SpeakerError}: then the daemon runs what it ran before
   */
  install(bytes: Uint8Array, signal: AbortSignal): Promise<Installed | null> {
    return this.#turns.run(() => this.#install(bytes, signal));
  }

  async #install(bytes: Uint8Array, signal: AbortSignal): Promise<Installed | null> {
    const { directory, trust, clock } = this.#options;
    const opened = this.#open(bytes, clock.now(), trust.highestSequence);
    await trust.verified(opened.manifest);
    const isRenewal = this.#running !== null && isSameState(this.#running.manifest, opened.manifest);
    if (!isRenewal) this.#check(opened.speaker);
    // On disk before it is announced: what a restart would lose is not started.
    const kept = await directory.stage(BUNDLE_FILE, packBundle(opened.files));
    const announced = isRenewal ? this.#running!.announced : await this.#limited(opened);
    const settings = this.#running === null ? [] : changedSettings(this.#running, opened);
    let outcome: Installed = { ...NO_ROUTES, peers: [], settings };
    try {
      // It may be issued again for that: somebody has corrected a router, and does not want to wait for the next attempt.
      if (isRenewal) await this.#options.driver.hurry?.().catch(() => undefined);
      else outcome = { ...(await this.#apply(opened, announced, signal)), settings };
    } catch (error) {
      await kept.discard();
      throw error;
    }
    this.#running = runningOf(opened, announced);
    await kept.commit();
    return isRenewal ? null : outcome;
  }

  #open(bytes: Uint8Array, now: Date, highestSequence: number | null): OpenedBundle {
    const { identity, trust } = this.#options;
    const { manifest, routes } = this.#running ?? {};
    return openBundle(bytes, {
      trusted: trust.keys,
      tenantId: identity.tenant_id,
      speakerId: identity.speaker_id,
      highestSequence,
      now,
      base: manifest && routes && { contentHash: manifest.content_hash, table: routes.table },
    });
  }

  /** A peer that the daemon does not support is reported with its session, and does not affect the others. */
  #check(model: SpeakerModel): void {
    const faults = this.#options.driver.check({ ...model, peers: [] });
    if (faults.length > 0) throw new AgentFault('refused_by_daemon', faults.join('; '));
  }

  /** The routes, with a cover or what they hold for peers over their limit. */
  async #limited(opened: OpenedBundle): Promise<RoutesModel> {
    const { speaker: model } = opened;
    const before =
      this.#running === null
        ? // A peer without a stored entry holds nothing.
          { routes: { ...EMPTY_ROUTES, limited: await this.#held.read() }, peers: [] }
        : { routes: this.#running.announced, peers: this.#running.speaker.peers };
    const fitted = await fitPeers(model, allowedOf(opened), fitRulesOf(opened), before.routes);
    return limitPeers(model, fitted, before);
  }

  /** The same of what was confirmed before the agent stopped. */
  async #restored(opened: OpenedBundle): Promise<RoutesModel> {
    const { speaker: model } = opened;
    const rules = fitRulesOf(opened);
    // What a cover costs was allowed when it was sent first.
    const allowed = rules === null ? null : { ...rules, maxAddedPercent: Infinity };
    const routes = { ...allowedOf(opened), limited: await this.#held.read() };
    const fitted = await fitPeers(model, routes, allowed);
    return limitPeers(model, fitted, { routes: EMPTY_ROUTES, peers: [] });
  }

  /**
   * Peers are judged one by one, as where the service itself drives the daemon; but none is reverted alone: what it held is not stored on
   * disk, and a restart would send it the new routes.
   */
  async #apply(
    { speaker, verdict }: OpenedBundle,
    routes: RoutesModel,
    signal: AbortSignal,
  ): Promise<Omit<Installed, 'settings'>> {
    const { driver } = this.#options;
    const before = this.#running?.speaker;
    const limitedBefore = this.#running?.announced.limited ?? (await this.#held.read());
    const limited = routes.limited ?? [];
    try {
      // Whatever is in force when the machine stops, what its peers hold is on disk.
      await this.#keepHeld(limitedBefore, [...limited, ...without(limitedBefore, limited)]);
      await this.#configure(speaker);
      const { announced, withdrawn, changed, peers } = await tryOut({
        driver: {
          apply: (wanted, until) => driver.apply(wanted, until),
          confirm: () => driver.confirm(),
          undo: () => driver.undo(),
        },
        status: () => driver.status().catch(unreachable),
        model: speaker,
        before: new RoutesVersion(asFinal(this.#running?.announced ?? EMPTY_ROUTES)),
        routes: new RoutesVersion(routes),
        ...verdict,
        onRevert: () => Promise.resolve(),
        isAwaited: () => Promise.resolve(false),
        signal,
      });
      await this.#keepHeld(limitedBefore, limited);
      return { announced, withdrawn, changed, peers };
    } catch (error) {
      await this.#keepHeld(limited, limitedBefore).catch(() => undefined);
      // A daemon that cannot undo now does so by itself, when the apply is not confirmed.
      await driver.undo().catch(() => undefined);
      if (before !== undefined) await this.#configure(before).catch(() => undefined);
      throw error;
    }
  }

  /** Does nothing if nothing changed, which is almost always the case. */
  async #keepHeld(before: readonly LimitedPeer[], now: readonly LimitedPeer[]): Promise<void> {
    if (before.length + now.length > 0) await this.#held.write(now);
  }

  async #configure(model: SpeakerModel): Promise<void> {
    if (isDeepStrictEqual(model, this.#configured)) return;
    this.#configured = null;
    await this.#options.driver.configure(model);
    this.#configured = model;
  }
}

/** A restored database may have given the same number to something else. */
function isSameState(a: BundleManifest, b: BundleManifest): boolean {
  return a.sequence === b.sequence && isDeepStrictEqual(a.parts, b.parts);
}

function without(peers: readonly LimitedPeer[], others: readonly LimitedPeer[]): LimitedPeer[] {
  return peers.filter(({ peerId }) => !others.some((other) => other.peerId === peerId));
}

/** What covers may be; null: no peer is sent one. They are made on this thread: sessions of the daemon do not wait for it. */
function fitRulesOf({ fit }: OpenedBundle): FitRules | null {
  if (fit === null) return null;
  const { maxAddedPercent, shortest, forbidden } = fit;
  return {
    ...{ maxAddedPercent, shortest },
    forbidden: { protected: forbidden, excluded: [], avoidsBogons: false },
    fit: (routes) => Promise.resolve(fitRoutes(routes)),
  };
}

/** Without the files, which are as large as the routes. */
function runningOf(
  { manifest, speaker, routes, allowedRoutes, fit }: OpenedBundle,
  announced: RoutesModel,
): Running {
  return { manifest, speaker, routes, allowedRoutes, fit, announced };
}

/** The routes that are allowed. The bundle's table stays complete beside them: deltas start from it. */
function allowedOf({ routes, allowedRoutes: allowed }: OpenedBundle): RoutesModel {
  return allowed === null ? routes : { ...routes, table: limitRoutes(routes.table, allowed) };
}
