/** Routers that end their session once they have read what they were sent, as those with a limit of routes do: seconds after a command could call it done. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Schemas } from '#client';
import { say } from '../process/ask.ts';
import { EXIT } from '../process/command-error.ts';
import type { Session } from './run-remote.ts';

type Live = NonNullable<Schemas['Speaker']['live']>['sessions'][number];

/** A session that was up when its router was sent routes. */
export interface Sent {
  readonly speaker: string;
  readonly peer: string;
  readonly since: string;
}

const LOOK_MS = 500;
/** What is reported of a session may be older than what the router has sent by then. */
const REPORT_MS = 1_500;
/** Daemons that count how long a session is up say a bit less or more of the same one. */
const SAME_MS = 2_000;

/**
 * Watches them for as long as an apply watches those that it sends something.
 * @param read what is known of each now; undefined: nobody reports it
 * @returns the exit code: `partial` where one has ended its session
 */
export async function watchSent<T extends Sent>(
  session: Session,
  sent: readonly T[],
  read: (left: readonly T[]) => Promise<ReadonlyMap<T, Live | undefined>>,
): Promise<number> {
  if (sent.length === 0) return EXIT.ok;
  const { settings } = await session.client.get('/v1/settings');
  const calm = Number(settings.deploy_calm_milliseconds);
  if (calm === 0) return EXIT.ok;
  const until = Math.min(Date.now() + calm + REPORT_MS, session.deadline?.until ?? Infinity);
  let left = sent;
  for (;;) {
    const live = await read(left);
    const ended = left.filter((one) => hasEnded(one, live.get(one)));
    for (const one of ended) say(endedLine(one, live.get(one)!));
    left = left.filter((one) => !ended.includes(one));
    if (left.length === 0 || Date.now() > until) return left.length < sent.length ? EXIT.partial : EXIT.ok;
    await sleep(LOOK_MS);
  }
}

function hasEnded({ since }: Sent, live: Live | undefined): boolean {
  if (live === undefined) return false;
  return live.state !== 'established' || Date.parse(live.since) - Date.parse(since) > SAME_MS;
}

function endedLine({ peer, speaker }: Sent, { state, last_error: reason }: Live): string {
  const now = state === 'established' ? ', and began another' : ', and has no routes from us now';
  return `${peer} at ${speaker} ended its session after it was sent these routes${now}${reason === null ? '' : `: ${reason}`}`;
}
