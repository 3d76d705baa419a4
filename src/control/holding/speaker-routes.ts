import type { RevertedPeer } from '../../api/speakers/reverted-peer.ts';
import { RoutesVersion } from '../../speakers/routes-version.ts';
import type { ReferenceClock } from '../../speakers/reference-times.ts';
import { limitPeers } from '../../speakers/limited-peers.ts';
import {
  SpeakerError,
  type LimitedPeer,
  type PeerModel,
  type RoutesModel,
  type SpeakerDriver,
  type SpeakerModel,
  type SpeakerStatus,
} from '../../speakers/speaker.ts';
import { type ApplyEnd, hasQueuedApply } from '../../store/rollout/applies.ts';
import type { Database } from '../../store/database/database.ts';
import { holdsLease } from '../../store/holding/leases.ts';
import type { LimitedPeerRow } from '../../store/rollout/limited-peers.ts';
import {
  addRevertedPeers,
  listRevertedPeers,
  noteReturns,
  replaceRevertedPeers,
  type KnownReverted,
} from '../../store/rollout/reverted-peers.ts';
import { getSetting, getSettings } from '../../store/tenants/settings.ts';
import { fitPeers } from '../../speakers/fit-peers.ts';
import { readFitRules } from '../peer-routes/fit-rules.ts';
import { limitedRows } from '../peer-routes/limited-routes.ts';
import {
  chooseForApply,
  chooseReturned,
  isSoon,
  NONE_REVERTED,
  type RevertedChoice,
} from './reverted-choice.ts';
import { partialReason } from '../../speakers/verification/peer-results.ts';
import { heldBy, keeping, narrowReverted } from '../peer-routes/reverted-routes.ts';
import { tryOut } from '../../speakers/verification/try-out.ts';
import { expectationsOf, settledSessions } from '../../speakers/verification/verify-speaker.ts';
import { follow, type Refusal } from './follow-unproven.ts';
import { beforeLast, putBack, unprovenAfter, type UnprovenPeers, watchedOf } from './unproven-peers.ts';
import { readApplied } from './restored-routes.ts';

/** Seconds until the daemon reverts such a try by itself. */
const RETRY_CONFIRM_SECONDS = 60;

export interface SpeakerRoutesOptions {
  readonly db: Database;
  readonly tenantId: string;
  readonly holder: string;
  readonly speakerId: string;
  readonly driver: SpeakerDriver;
  readonly clock: ReferenceClock;
  /** How long all has to be well before an apply stays, in milliseconds; default the setting `deploy_calm_milliseconds`. */
  readonly calm?: number;
}

/** How a try ended well, with the peers that hold other routes now. */
export type TryEnd = ApplyEnd & {
  readonly reverted: readonly RevertedPeer[];
  readonly limited: readonly LimitedPeerRow[];
};

/** The confirmed routes of a speaker, and the way from there to others. */
export class SpeakerRoutes {
  readonly #options: SpeakerRoutesOptions;
  readonly #look: () => Promise<SpeakerStatus>;
  readonly #signal: AbortSignal;
  /** Null: nothing was brought back yet. */
  #now: RoutesVersion | null = null;
  /** That {@link #now} was brought to. */
  #peers: readonly PeerModel[] = [];
  /** What reverted peers of {@link #now} were reverted to, before later revisions took some of it away. */
  #held: ReadonlyMap<string, RoutesModel> = new Map();
  /** Healthy peers that have yet to show that they bear what they were sent last. */
  #unproven: UnprovenPeers = new Map();
  /** How long all had to be well before the last apply stayed, in milliseconds. */
  #calm = 0;
  /** Peers over their limit, whatever they were brought to. */
  #limited: readonly LimitedPeer[] = [];
  /** What {@link #now} was brought back under. */
  #policy = '';

  constructor(options: SpeakerRoutesOptions, look: () => Promise<SpeakerStatus>, signal: AbortSignal) {
    this.#options = options;
    this.#look = look;
    this.#signal = signal;
  }

  /** What single peers hold instead of what the speaker runs. */
  get heldRevisions(): string[] {
    const now = this.#now;
    if (now === null) return [];
    const steps = Array.from(this.#unproven.values(), (peer) =>
      peer.steps.map(({ routes }) => routes),
    ).flat();
    const kept = [...this.#limited, ...this.#unproven.values()].map(({ held }) => held).concat(steps);
    return [...now.revertedPeers.map((id) => now.forPeer(id).model), ...kept]
      .map(({ revisionId }) => revisionId)
      .filter(Boolean);
  }

  /**
   * Brings back what was applied last, unless that was done under this policy: one that was tightened takes routes away without an apply.
   * @param policy what it says of routes
   */
  async restore(policy: string, model: SpeakerModel): Promise<void> {
    if (this.#now !== null && this.#policy === policy) return;
    const { db, tenantId, speakerId, driver } = this.#options;
    const { whole, known, before, rules, unproven, calm } = await db.inTenant(tenantId, (tx) =>
      readApplied(tx, model, {
        speakerId,
        canRevert: driver.canRevertPeers === true,
        calm: this.#options.calm,
      }),
    );
    // What a cover costs was allowed when it was sent first; a peer that was sent nothing yet waits for its apply.
    const allowed = rules === null ? null : { ...rules, maxAddedPercent: Infinity };
    const fitted = await fitPeers({ ...model, peers: before.peers }, whole, allowed);
    const narrowed = await narrowReverted(model, fitted, known, allowed);
    const routes = limitPeers(model, narrowed, rules === null ? before : { ...before, routes: fitted });
    await driver.apply(routes, this.#signal);
    this.#now = new RoutesVersion(routes);
    this.#held = heldBy(fitted);
    this.#limited = routes.limited ?? [];
    this.#unproven = unproven;
    this.#calm = calm;
    this.#peers = model.peers;
    this.#policy = policy;
  }

  /** Which reverted peers are tried by an apply, as {@link chooseForApply} says. */
  async choose(
    model: SpeakerModel,
    known: readonly KnownReverted[],
    next: RoutesModel | null,
    isRetry: boolean,
  ): Promise<RevertedChoice> {
    if (known.length === 0) return NONE_REVERTED;
    const settled = settledSessions(expectationsOf(model, this.#now!), await this.#look());
    return chooseForApply(model, known, next, { current: this.#now!.model, settled, isRetry });
  }

  /**
   * @param isPatient whether healthy peers that read slowly are waited for although another apply waits
   * @throws {SpeakerError} when the speaker runs what it ran before, or is on its way back there
   */
  async tryOut(
    model: SpeakerModel,
    routes: RoutesModel,
    { kept, tried }: RevertedChoice = NONE_REVERTED,
    isPatient = false,
  ): Promise<TryEnd> {
    const { driver, db, tenantId, speakerId, holder, calm } = this.#options;
    const { settings, rules } = await db.inTenant(tenantId, async (tx) => ({
      settings: await getSettings(tx, ['deploy_max_failed_peers_percent', 'deploy_calm_milliseconds']),
      rules: await readFitRules(tx, [model], routes.revisionId || null),
    }));
    const now = this.#now!;
    const before = { routes: { ...now.model, limited: this.#limited }, peers: this.#peers };
    const fitted = await fitPeers(model, keeping(routes, this.#held, kept), rules, before.routes);
    const limited = limitPeers(model, await narrowReverted(model, fitted, kept, rules), before);
    const unproven = this.#unproven;
    const { slow, proving } = watchedOf(unproven);
    const fallbacks = async (lost: ReadonlySet<string>): Promise<ReadonlyMap<string, RoutesModel>> => {
      const earlier = [...unproven].filter(([id]) => lost.has(id) || slow.has(id));
      const again = [
        ...tried.filter(({ narrowed }) => narrowed),
        ...earlier.map(([id]) => ({ peer_id: id, narrowed: true })),
      ];
      const held = new Map([...earlier.map(([id, one]) => [id, beforeLast(one)] as const), ...this.#held]);
      return heldBy(await narrowReverted(model, keeping(routes, held, again), again, rules));
    };
    this.#calm = calm ?? settings.deploy_calm_milliseconds;
    const end = await tryOut({
      ...{ isPatient, fallbacks, behind: slow, unproven: proving },
      ...{ driver, model, before: now, status: this.#look, signal: this.#signal },
      calm: this.#calm,
      // A database that does not answer costs no routes: the apply continues as if no other waited.
      isAwaited: () => db.inTenant(tenantId, (tx) => hasQueuedApply(tx, speakerId)).catch(() => false),
      routes: new RoutesVersion(limited),
      soon: new Set(kept.filter(isSoon).map(({ peer_id: id }) => id)),
      maxFailedPercent: settings.deploy_max_failed_peers_percent,
      onRevert: (peers) =>
        db.inTenant(tenantId, async (tx) => {
          if (await holdsLease(tx, speakerId, holder)) await addRevertedPeers(tx, speakerId, peers);
        }),
    });
    const { routes: reached } = end;
    const settled = limitPeers(model, reached.model, before);
    this.#limited = settled.limited ?? [];
    // One that failed now for the first time holds all of what it was reverted to.
    const { revertedPeers: sick } = reached;
    this.#held = new Map(sick.map((id) => [id, this.#held.get(id) ?? reached.forPeer(id).model]));
    this.#unproven = unprovenAfter(end, this.#unproven, now, performance.now());
    this.#now = reached;
    this.#peers = model.peers;
    const { announced, withdrawn, changed, sessions, peers } = end;
    return {
      ...{ announced, withdrawn, changed, sessions, peers, partial: partialReason(peers) },
      reverted: [...kept.filter(({ peer_id: id }) => reached.forPeer(id) !== reached), ...end.reverted],
      limited: limitedRows(settled),
    };
  }

  /**
   * Follows the peers that applies did not wait for: one that refuses the routes in the end is put back to what it held.
   * @returns whether there are any left
   */
  async followUnproven(model: SpeakerModel): Promise<boolean> {
    if (this.#now === null || this.#unproven.size === 0) return false;
    const { followed, refused } = follow(this.#unproven, {
      expectations: expectationsOf(model, this.#now),
      status: await this.#look(),
      reverted: new Set(this.#now.revertedPeers),
      ...{ now: performance.now(), calm: this.#calm },
    });
    this.#unproven = followed;
    if (refused.length === 0) return followed.size > 0;
    const { db, tenantId, speakerId } = this.#options;
    const known = await db.inTenant(tenantId, (tx) => listRevertedPeers(tx, speakerId));
    const kept = await this.#putBackFurther(known, refused);
    await this.#tryAgain(model, { kept, tried: [] }, () => {
      this.#unproven = new Map();
      return kept;
    });
    return this.#unproven.size > 0;
  }

  /** Peers that refuse what they were put back to go back further. @returns what is known of all that are put back */
  async #putBackFurther(
    known: readonly RevertedPeer[],
    refused: readonly Refusal[],
  ): Promise<readonly RevertedPeer[]> {
    const { db, tenantId, speakerId, holder } = this.#options;
    const unproven = new Map(this.#unproven);
    const held = new Map(this.#held);
    const changed = known.flatMap((peer): RevertedPeer[] => {
      const refusal = refused.find(({ fault }) => fault.peerId === peer.peer_id);
      const one = unproven.get(peer.peer_id);
      if (refusal === undefined || one === undefined) return [];
      const { fault, routes } = refusal;
      const routesBefore = beforeLast(one);
      held.set(peer.peer_id, routesBefore);
      const left = putBack(one, 1, fault.times);
      if (left === null) unproven.delete(peer.peer_id);
      else unproven.set(peer.peer_id, left);
      return [
        {
          ...{ peer_id: peer.peer_id, revision_id: routesBefore.revisionId || null },
          tried_revision_id: one.steps.at(-1)!.routes.revisionId || null,
          ...{ error: fault.text, notification: fault.notification, tried_routes: routes },
          ...{ retry: false, requested: false, narrowed: true },
        },
      ];
    });
    if (changed.length > 0)
      await db.inTenant(tenantId, async (tx) => {
        if (await holdsLease(tx, speakerId, holder)) await addRevertedPeers(tx, speakerId, changed);
      });
    this.#unproven = unproven;
    this.#held = held;
    return known.map((peer) => changed.find(({ peer_id: id }) => id === peer.peer_id) ?? peer);
  }

  /**
   * Peers that were down when they were to be tried again, and are up by now: as an apply of what the speaker runs would.
   * @returns whether there were any that hold something else than the speaker runs: they are looked at again soon
   */
  async tryReverted(model: SpeakerModel): Promise<boolean> {
    if (this.#now === null || this.#now.revertedPeers.length === 0) return false;
    const { db, tenantId, speakerId, clock } = this.#options;
    const { known, isFrozen } = await db.inTenant(tenantId, async (tx) => ({
      known: await listRevertedPeers(tx, speakerId),
      isFrozen: await getSetting(tx, 'deploy_freeze'),
    }));
    const settled = settledSessions(expectationsOf(model, this.#now), await this.#look());
    const returns = known.flatMap(({ peer_id: id, is_back: isBack }) =>
      isBack || !settled.has(id) ? [] : [{ peer_id: id, since: settled.get(id)! }],
    );
    if (returns.length > 0) await db.inTenant(tenantId, (tx) => noteReturns(tx, speakerId, returns));
    if (isFrozen || !known.some(({ retry }) => retry)) return true;
    const now = clock.toReference(performance.now()) ?? Date.now();
    const { kept, tried } = chooseReturned(model, known, { current: this.#now.model, settled, now });
    if (tried.length === 0) return true;
    await this.#tryAgain(model, { kept, tried }, ({ message }) =>
      known.map((peer) =>
        tried.includes(peer) ? { ...peer, error: message, retry: false, requested: false } : peer,
      ),
    );
    return true;
  }

  /** Tries what the speaker runs. @param failed what reverted peers are left with if that fails */
  async #tryAgain(
    model: SpeakerModel,
    peers: RevertedChoice,
    failed: (error: SpeakerError) => readonly RevertedPeer[],
  ): Promise<void> {
    const { db, tenantId, speakerId, holder } = this.#options;
    const { reverted: _, ...routes } = this.#now!.model;
    const next = { ...routes, confirmSeconds: RETRY_CONFIRM_SECONDS };
    const reverted = await this.tryOut(model, next, peers).then(
      (end) => end.reverted,
      (error: unknown) => {
        if (!(error instanceof SpeakerError)) throw error;
        return failed(error);
      },
    );
    await db.inTenant(tenantId, async (tx) => {
      if (await holdsLease(tx, speakerId, holder)) await replaceRevertedPeers(tx, speakerId, reverted);
    });
  }
}
