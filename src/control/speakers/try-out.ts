import { setTimeout as sleep } from 'node:timers/promises';
import type { RoutesVersion } from '../../speakers/builtin/routes-version.ts';
import {
  SpeakerError,
  type ApplyOutcome,
  type SpeakerDriver,
  type SpeakerModel,
  type SpeakerStatus,
} from '../../speakers/speaker.ts';
import type { AppliedSession } from '../../store/database/apply-tables.ts';
import {
  expectationsOf,
  findRestarted,
  findSessionFaults,
  sessionsNow,
  settledSessions,
  type Expectation,
  type WatchedSessions,
} from './verify-speaker.ts';

const LOOK_MILLISECONDS = 100;
/** All has to be well for so long where something changed, */
const CALM_MILLISECONDS = 500;
/** and for so long where a session went down in between. */
const LONG_CALM_MILLISECONDS = 3_000;
/** Of the time to confirm; the rest is for the daemon to be told. */
const VERIFY_SHARE = 0.75;
const DEFAULT_CONFIRM_SECONDS = 60;

export interface Trial {
  readonly driver: Pick<SpeakerDriver, 'apply' | 'confirm' | 'undo'>;
  /** How the daemon and its sessions are, with the times that are told of them. */
  readonly status: () => Promise<SpeakerStatus>;
  /** What the daemon is configured to. */
  readonly model: SpeakerModel;
  /** What it runs for good. */
  readonly before: RoutesVersion;
  readonly routes: RoutesVersion;
  readonly signal: AbortSignal;
}

/**
 * Applies, and lets it stay only if the sessions that hold all of the routes of before soon hold all of these.
 * @throws {SpeakerError} `verification_failed`, `confirm_timeout`, or whatever the driver has against it; the speaker runs what it ran
 * before, or is on its way back there
 */
export async function tryOut(trial: Trial): Promise<ApplyOutcome & { sessions: AppliedSession[] }> {
  const { driver, status: look, model, before, routes, signal } = trial;
  const { confirmSeconds = DEFAULT_CONFIRM_SECONDS } = routes.model;
  const begun = performance.now();
  const expectations = expectationsOf(model, routes);
  const watched = settledSessions(expectationsOf(model, before), await look());
  // What it looked like after the daemon had gone back by itself says nothing about the routes.
  const truth = (error: unknown, end: string): unknown => {
    const isLate = performance.now() - begun > confirmSeconds * 1_000;
    return isLate && isFailure(error) ? tooLate(confirmSeconds, end) : error;
  };
  const outcome = await driver.apply(routes.model, signal).catch((error: unknown) => {
    throw truth(error, 'The speaker runs what it ran before');
  });
  try {
    const isChange = outcome.announced + outcome.withdrawn + outcome.changed > 0;
    const calm = isChange && watched.size > 0 ? CALM_MILLISECONDS : 0;
    const deadline = begun + confirmSeconds * VERIFY_SHARE * 1_000;
    const status = await verify(trial, expectations, watched, calm, deadline);
    await driver.confirm();
    return { ...outcome, sessions: sessionsNow(expectations, status) };
  } catch (error) {
    const end = await goBack(driver);
    if (!(error instanceof SpeakerError)) throw error;
    throw truth(new SpeakerError(error.code, `${error.message}. ${end}`, { cause: error }), end);
  }
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

/** Waits until all is as it should be, and has been for a while: a router that has too many routes says so a moment later. */
async function verify(
  { status: look, signal }: Trial,
  expectations: readonly Expectation[],
  watched: WatchedSessions,
  calm: number,
  deadline: number,
): Promise<SpeakerStatus> {
  let goodSince = Infinity;
  for (;;) {
    const status = await look();
    const now = performance.now();
    const faults = findSessionFaults(expectations, watched, status);
    goodSince = faults.length === 0 ? Math.min(goodSince, now) : Infinity;
    // One that came back has to show that it stays.
    const restarted = findRestarted(expectations, watched, status);
    if (now - goodSince >= (restarted.length === 0 ? calm : LONG_CALM_MILLISECONDS)) return status;
    if (now > deadline) throw new SpeakerError('verification_failed', [...faults, ...restarted].join('; '));
    await sleep(LOOK_MILLISECONDS, undefined, { signal });
  }
}

/** @returns what became of it, for a person */
async function goBack(driver: Trial['driver']): Promise<string> {
  try {
    await driver.undo();
    return 'The speaker runs what it ran before';
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return `The speaker is to run what it ran before, and could not be told so yet: ${words}`;
  }
}
