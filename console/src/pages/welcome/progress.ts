import type { Module, Revision, Speaker } from '../../service/queries.ts';
import type { Schemas } from '@prefixcast/client';

export const STEPS = ['list', 'peer', 'revision', 'session'] as const;
export type StepName = (typeof STEPS)[number];

export interface Seen {
  readonly modules: readonly Module[];
  readonly peers: readonly Schemas['Peer'][];
  readonly speakers: readonly Speaker[];
  /** The newest first. */
  readonly revisions: readonly Revision[];
}

export type LiveSession = NonNullable<Speaker['live']>['sessions'][number];

export function sessionsOfAll(speakers: readonly Speaker[]): LiveSession[] {
  return speakers.flatMap(({ enabled, live }) => (enabled ? (live?.sessions ?? []) : []));
}

function hasPrefixes({ prefix_count: { ipv4, ipv6 } }: Revision): boolean {
  return ipv4 + ipv6 > 0;
}

/** The newest that has routes. */
export function firstRevision({ revisions }: Seen): Revision | undefined {
  return revisions.find((one) => one.state === 'ready' && hasPrefixes(one));
}

export function hasRoutes({ state, routes_exported }: LiveSession): boolean {
  return state === 'established' && routes_exported > 0;
}

/** Of a session that is up, an error is what keeps the router from having all of its routes. */
export function hasAllRoutes(session: LiveSession): boolean {
  return hasRoutes(session) && session.last_error === null;
}

/** What is done follows from what there is: whoever comes back goes on where they were. */
export function doneOf(seen: Seen): Readonly<Record<StepName, boolean>> {
  // One that is ready may wait for somebody: automatic applies may be off, or frozen.
  const isApplied = seen.revisions.some((one) => hasPrefixes(one) && one.applied_on.length > 0);
  return {
    list: seen.modules.length > 0,
    peer: seen.peers.length > 0,
    revision: isApplied,
    // Routes are sent before an apply has ended, and the steps follow one another.
    session: isApplied && sessionsOfAll(seen.speakers).some(hasAllRoutes),
  };
}
