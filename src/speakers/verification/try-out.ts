import { setTimeout as sleep } from 'node:timers/promises';
import type { PeerApplyResult } from '../../api/revisions/apply.ts';
import { SpeakerError, type SpeakerStatus } from '../speaker.ts';
import { PeerFailures } from './peer-failures.ts';
import type { ProvisionalApply, ProvisionalApplyEnd } from './provisional-apply.ts';
import {
  expectationsOf,
  findRestarted,
  findSessionFaults,
  sessionsById,
  settledSessions,
  type PeerFault,
  type WatchedSessions,
} from './verify-speaker.ts';

const LOOK_MILLISECONDS = 100;
/**
 * The calm time where another apply waits for this one: a router rejects routes mostly at once, and a user who edits a list repeatedly does
 * not wait for every earlier edit.
 */
const HURRIED_CALM_MILLISECONDS = 500;
/** Milliseconds between checks whether another apply waits. */
const ASK_MILLISECONDS = 400;
/** The minimum calm time where a session went down in between. */
const LONG_CALM_MILLISECONDS = 3_000;
/** Share of the time to confirm that verification may take; the rest is for the daemon to receive the routes. */
const VERIFY_SHARE = 0.75;
const DEFAULT_CONFIRM_SECONDS = 60;

/** An apply that was taken back as a whole. */
export class ProvisionalApplyError extends SpeakerError {
  readonly peers: readonly PeerApplyResult[];

  constructor(code: string, message: string, peers: readonly PeerApplyResult[], options?: ErrorOptions) {
    super(code, message, options);
    this.peers = peers;
  }
}

/**
 * Applies, and lets the apply stay if the sessions that held all previous routes soon hold all of these. Peers that fail are reverted to
 * what they held, if the driver can do so for single peers, and the others keep the new routes; unless too many fail.
 * @throws {SpeakerError} `verification_failed`, `confirm_timeout`, or an error of the driver; the speaker runs what it ran before, or is
 * going back to that
 */
export async function tryOut(asked: ProvisionalApply): Promise<ProvisionalApplyEnd> {
  const { driver, status: look, model, before, routes, calm: fullCalm, signal } = asked;
  const { confirmSeconds = DEFAULT_CONFIRM_SECONDS } = routes.model;
  const begun = performance.now();
  const found = await look();
  const settled = settledSessions(expectationsOf(model, before), found);
  const [behind, unproven] = [[...(asked.behind ?? [])], [...(asked.unproven ?? [])]];
  const unsettled = unproven.filter(([id]) => !settled.has(id));
  // What has failed before this apply sends anything has failed on what it was sent before.
  const lost = unsettled.concat(behind.filter(([id]) => !isUp(found, id))).map(([id]) => id);
  const apply = { ...asked, behind: new Map([...behind, ...unsettled]), lost: new Set(lost) };
  const watched = new Map([...settled, ...apply.behind]);
  const failures = new PeerFailures(apply, watched);
  // The state after the daemon has reverted by itself says nothing about the routes.
  const truth = (error: unknown, end: string): unknown => {
    const isLate = performance.now() - begun > confirmSeconds * 1_000;
    return isLate && isFailure(error) ? tooLate(confirmSeconds, end) : error;
  };
  const outcome = await driver.apply(routes.model, signal).catch((error: unknown) => {
    throw truth(error, 'The speaker runs what it ran before');
  });
  try {
    const isChange = outcome.announced + outcome.withdrawn + outcome.changed > 0;
    const isRelease = before.revertedPeers.some((id) => !routes.revertedPeers.includes(id));
    const calm = (isChange || isRelease) && watched.size > 0 ? fullCalm : 0;
    const deadline = begun + confirmSeconds * VERIFY_SHARE * 1_000;
    // Who has failed before may do so once more, a moment after it was sent the routes.
    const leastCalm = isRelease ? calm : Math.min(calm, HURRIED_CALM_MILLISECONDS);
    const { status, calmFor } = await verify(apply, failures, watched, { calm, leastCalm, deadline });
    await driver.confirm();
    return { ...outcome, ...failures.end(status), openCalm: Math.max(0, calm - calmFor) };
  } catch (error) {
    const end = await goBack(driver);
    if (!(error instanceof SpeakerError)) throw error;
    const peers = failures.undone(await look().catch(() => null));
    throw truth(
      new ProvisionalApplyError(error.code, `${error.message}. ${end}`, peers, { cause: error }),
      end,
    );
  }
}

function isUp(status: SpeakerStatus, peerId: string): boolean {
  return sessionsById(status).get(peerId)?.state === 'established';
}

function isFailure(error: unknown): boolean {
  return error instanceof SpeakerError && error.code === 'verification_failed';
}

function tooLate(seconds: number, end: string): SpeakerError {
  return new SpeakerError(
    'confirm_timeout',
    `the apply was not confirmed within deploy_confirm_timeout_seconds (${seconds}): this process was stopped, or had too much to do. ${end}`,
  );
}

interface Limits {
  readonly calm: number;
  /** The calm time where another apply waits. */
  readonly leastCalm: number;
  readonly deadline: number;
}

/**
 * Waits until everything is healthy, and has been for a while: a router with too many routes reports it a moment later. A peer that reads slowly is
 * sent the rest as it takes it, and keeps no other apply waiting.
 */
async function verify(
  { status: look, model, routes, isAwaited, behind, isPatient = false, signal }: ProvisionalApply,
  failures: PeerFailures,
  watched: WatchedSessions,
  { calm, leastCalm, deadline }: Limits,
): Promise<{ readonly status: SpeakerStatus; readonly calmFor: number }> {
  const expectations = expectationsOf(model, routes);
  let goodSince = Infinity;
  let isHurried = false;
  let askedAt = performance.now();
  for (;;) {
    const status = await look();
    const now = performance.now();
    const isLate = now > deadline;
    if (!status.reachable && isLate)
      throw new SpeakerError('verification_failed', `the speaker does not answer: ${status.error}`);
    const open = (one: { readonly peerId: string }): boolean => !failures.has(one.peerId);
    const isWaitedFor = ({ peerId, isUp }: PeerFault): boolean =>
      !isUp || isPatient || !(isHurried || behind?.has(peerId) === true);
    const faults = findSessionFaults(expectations, watched, status).filter(
      (fault) => open(fault) && isWaitedFor(fault),
    );
    // A session that came back has to stay up for a while.
    const restarted = findRestarted(expectations, watched, status).filter(open);
    const unmended = restarted.filter(({ peerId }) => faults.every((fault) => fault.peerId !== peerId));
    const failed = status.reachable
      ? failedNow(faults, isLate, isHurried && failures.bears(lostOf(faults))).concat(isLate ? unmended : [])
      : [];
    if (failed.length > 0) {
      await failures.add(failed);
      goodSince = Infinity;
      continue;
    }
    goodSince = status.reachable && faults.length === 0 ? Math.min(goodSince, now) : Infinity;
    const isInHaste = calm > leastCalm || faults.length > 0;
    if (!isHurried && isInHaste && now - askedAt > ASK_MILLISECONDS) {
      askedAt = now;
      isHurried = await isAwaited();
    }
    const least = isHurried ? leastCalm : calm;
    const wait = isLate ? 0 : Math.max(least, restarted.length === 0 ? 0 : LONG_CALM_MILLISECONDS);
    if (now - goodSince >= wait) return { status, calmFor: now - goodSince };
    await sleep(LOOK_MILLISECONDS, undefined, { signal });
  }
}

/**
 * Peers that are waited for no longer. One that has lost its session without a word about the routes may be back in a moment: but what waits
 * for the apply may be a blackhole for the other peers, and this one is tried again when it is back.
 */
function failedNow(faults: readonly PeerFault[], isLate: boolean, isHurried: boolean): PeerFault[] {
  return faults.filter(({ isFinal, isGone, isUp }) => isFinal || isGone || isLate || (isHurried && !isUp));
}

function lostOf(faults: readonly PeerFault[]): PeerFault[] {
  return faults.filter(({ isUp }) => !isUp);
}

/** @returns the outcome, for a person */
async function goBack(driver: ProvisionalApply['driver']): Promise<string> {
  try {
    await driver.undo();
    return 'The speaker runs what it ran before';
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return `The speaker goes back to what it ran before, but does not answer yet: ${words}`;
  }
}
