import type { NotificationSummary } from './speakers.ts';

/** A peer that an apply put back to what it held, since it did not bear what was new. */
export interface RevertedPeer {
  readonly peer_id: string;
  /** What the peer holds; null: nothing. */
  readonly revision_id: string | null;
  /** What it did not bear; null: a revision that is there no more. */
  readonly tried_revision_id: string | null;
  readonly error: string;
  readonly notification: NotificationSummary | null;
  /** It is to be tried again, once it is up and holds what it held before. */
  readonly retry: boolean;
  /** Newer revisions came since: it holds only what that of its speaker has for it too. */
  readonly narrowed: boolean;
  /** Somebody has asked for that, so that no pause counts. */
  readonly requested: boolean;
  /** Routes that it was to hold when it failed; null: not known. */
  readonly tried_routes: number | null;
}
