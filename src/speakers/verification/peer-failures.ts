import type { PeerApplyResult } from '../../api/revisions/apply.ts';
import { RoutesVersion } from '../routes-version.ts';
import {
  asFinal,
  ofAllPeers,
  SpeakerError,
  type RevertedRoutes,
  type RoutesModel,
  type SpeakerStatus,
} from '../speaker.ts';
import type { RevertedPeer } from '../../api/speakers/reverted-peer.ts';
import { presentPeers } from './peer-results.ts';
import type { ProvisionalApply, ProvisionalApplyEnd } from './provisional-apply.ts';
import {
  expectationsOf,
  sessionsById,
  sessionsNow,
  type PeerFault,
  type WatchedSessions,
} from './verify-speaker.ts';

/** An apply that has looked at the sessions, and is about to send its routes. */
type BegunApply = ProvisionalApply & Pick<ProvisionalApplyEnd, 'lost'>;

/** The peers that failed during a provisional apply, and their reversion. */
export class PeerFailures {
  readonly #apply: BegunApply;
  readonly #watched: WatchedSessions;
  /** Peers that were healthy: those that ran what their speaker ran, or were being sent it. A peer that was reverted earlier was not. */
  readonly #wasUp: ReadonlySet<string>;
  /** Those whose failure counts. What a slow peer fails on may be what it was sent before. */
  readonly #counted: ReadonlySet<string>;
  #known: ReadonlyMap<string, RoutesModel> | null = null;
  readonly #faults = new Map<string, PeerFault>();
  readonly #reverted = new Map<string, RevertedPeer>();
  /** What the speaker is being sent, with the peers that were reverted. */
  #routes: RoutesVersion;

  constructor(apply: BegunApply, watched: WatchedSessions) {
    this.#apply = apply;
    this.#watched = watched;
    const sick = apply.before.revertedPeers;
    this.#wasUp = new Set([...watched.keys()].filter((id) => !sick.includes(id)));
    this.#counted = new Set([...this.#wasUp].filter((id) => apply.behind?.has(id) !== true));
    this.#routes = apply.routes;
  }

  has(peerId: string): boolean {
    return this.#faults.has(peerId);
  }

  /** Whether the apply stays if these have failed, too. */
  bears(faults: readonly PeerFault[]): boolean {
    return !this.#share(faults).isTooMuch;
  }

  /**
   * Notes these faults, and reverts the peers that lost their session, if the driver supports that.
   * @throws {SpeakerError} `verification_failed` when too many have failed
   */
  async add(faults: readonly PeerFault[]): Promise<void> {
    for (const fault of faults) this.#faults.set(fault.peerId, fault);
    const { maxFailedPercent, driver, onRevert, routes, signal, before, lost: lostBefore } = this.#apply;
    const { failed, counted, isTooMuch } = this.#share([]);
    if (isTooMuch)
      throw new SpeakerError(
        'verification_failed',
        `${[...this.#faults.values()].map(({ text }) => text).join('; ')}. That is ${failed} of ${counted} peers that were well, more than deploy_max_failed_peers_percent (${maxFailedPercent})`,
      );
    if (driver.canRevertPeers !== true) return;
    const lost = faults.filter(({ isUp }) => !isUp);
    if (lost.length === 0) return;
    this.#known ??= (await this.#apply.fallbacks?.(lostBefore)) ?? new Map<string, RoutesModel>();
    const known = this.#known;
    const [expected, expectedBefore] = [routes, before].map((of) => expectationsOf(this.#apply.model, of));
    const reverted = lost.map(({ peerId, text, notification, isFinal }): RevertedPeer => {
      const isLate = lostBefore.has(peerId);
      const failedOn = (isLate ? expectedBefore : expected)!.find((one) => one.peerId === peerId);
      const { ipv4 = 0, ipv6 = 0 } = failedOn?.routes ?? {};
      return {
        peer_id: peerId,
        revision_id: this.#fallbackOf(peerId).revisionId || null,
        tried_revision_id: (isLate ? before.forPeer(peerId) : routes).model.revisionId || null,
        ...{ error: text, notification, retry: !isFinal, narrowed: known.has(peerId) },
        ...{ requested: false, tried_routes: ipv4 + ipv6 },
      };
    });
    for (const peer of reverted) this.#reverted.set(peer.peer_id, peer);
    await onRevert(reverted);
    this.#routes = new RoutesVersion({
      ...routes.model,
      reverted: [...(routes.model.reverted ?? []), ...this.#fallbacks()],
    });
    await driver.apply(this.#routes.model, signal);
  }

  #fallbackOf(peerId: string): RoutesModel {
    return this.#known?.get(peerId) ?? this.#apply.before.forPeer(peerId).model;
  }

  /** What the reverted peers go back to, grouped. */
  #fallbacks(): RevertedRoutes[] {
    const byRoutes = Map.groupBy(this.#reverted.keys(), (id) => this.#fallbackOf(id));
    return [...byRoutes].map(([routes, peerIds]) => ({ peerIds, routes: ofAllPeers(asFinal(routes)) }));
  }

  /** The result, if the apply stays. */
  end(status: SpeakerStatus): Omit<ProvisionalApplyEnd, 'announced' | 'withdrawn' | 'changed' | 'openCalm'> {
    const expectations = expectationsOf(this.#apply.model, this.#routes);
    const peers = this.#present(status, false);
    const sessions = sessionsById(status);
    const behind = peers.flatMap(({ peer_id: id, status: standing }) =>
      standing === 'incomplete' && this.#watched.has(id) ? [[id, sessions.get(id)!.since] as const] : [],
    );
    return {
      ...{ peers, routes: this.#routes, behind: new Map(behind), lost: this.#apply.lost },
      sessions: sessionsNow(expectations, status),
      reverted: [...this.#reverted.values()],
      times: new Map(Array.from(this.#reverted.keys(), (id) => [id, this.#faults.get(id)!.times])),
    };
  }

  /** The result for each peer, if the speaker was taken back. */
  undone(status: SpeakerStatus | null): PeerApplyResult[] {
    return status === null ? [] : this.#present(status, true);
  }

  /** How many of the peers that were healthy have failed. One that was shut down meanwhile is neither. */
  #share(more: readonly PeerFault[]): {
    readonly failed: number;
    readonly counted: number;
    readonly isTooMuch: boolean;
  } {
    const faults = new Map([...this.#faults, ...more.map((fault) => [fault.peerId, fault] as const)]);
    const counted = [...this.#counted].filter((id) => faults.get(id)?.isGone !== true);
    const failed = counted.filter((id) => faults.has(id)).length;
    const percent = (failed / Math.max(counted.length, 1)) * 100;
    return { failed, counted: counted.length, isTooMuch: percent > this.#apply.maxFailedPercent };
  }

  /** Peers that did not have what the speaker ran before. */
  #behindBefore(): ReadonlySet<string> {
    const { before, model, behind } = this.#apply;
    const over = expectationsOf(model, before)
      .filter(({ limit, unfitted }) => limit !== null || unfitted !== null)
      .map(({ peerId }) => peerId);
    return new Set([...before.revertedPeers, ...(behind?.keys() ?? []), ...over]);
  }

  #present(status: SpeakerStatus, isUndone: boolean): PeerApplyResult[] {
    const routes = isUndone ? this.#apply.before : this.#routes;
    return presentPeers(expectationsOf(this.#apply.model, routes), status, {
      ...{ isUndone, wasUp: this.#wasUp, faults: this.#faults },
      wasBehind: this.#behindBefore(),
      reverted: new Set(routes.revertedPeers),
      soon: this.#apply.soon ?? new Set(),
    });
  }
}
