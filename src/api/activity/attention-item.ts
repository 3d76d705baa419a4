import type {
  Feed,
  FirewallHost,
  HeldDeleted,
  Job,
  Module,
  Peer,
  Revision,
  Speaker,
  Webhook,
} from './seen.ts';

interface FailedApply {
  readonly jobId: string;
  readonly detail: string;
}

/** What somebody should look at. */
export type Attention =
  | { readonly kind: 'held-module'; readonly module: Module }
  /** It stays in revisions although it was deleted. */
  | { readonly kind: 'held-deleted'; readonly held: HeldDeleted }
  | { readonly kind: 'held-revision'; readonly revision: Revision }
  | { readonly kind: 'frozen' }
  | { readonly kind: 'failing'; readonly module: Module }
  | {
      readonly kind: 'unreachable' | 'not-enrolled';
      readonly speaker: Speaker;
      /** What its node takes by itself when it is back: an apply of it has begun. */
      readonly awaits?: Revision;
    }
  /** The service has just started, and its node had no time to report since. */
  | { readonly kind: 'awaited'; readonly speaker: Speaker }
  /** It is reported, and something is wrong with it as a whole: `live.error` says what. */
  | { readonly kind: 'speaker-fault'; readonly speaker: Speaker }
  /** It is disabled, and has not ended these sessions yet. */
  | { readonly kind: 'ending'; readonly speaker: Speaker; readonly peers: readonly StillAnnounced[] }
  | {
      /**
       * `holds-nothing`: it has a session, and neither new routes nor old ones. `sent-less`: it has one, and is not sent some routes, as those of a family
       * without a next hop, or over its limit.
       */
      readonly kind: 'session-down' | 'reverted' | 'holds-nothing' | 'sent-less';
      readonly speaker: Speaker;
      readonly peerId: string;
      readonly peer: string;
      readonly error: string | null;
      readonly since: string;
      /** It could not take what the speaker runs, and is sent what it held before once it has a session. */
      readonly isReverted: boolean;
    }
  /** Enabled peers that nobody announces anything to, since all of their speakers are disabled, or there is none. */
  | { readonly kind: 'no-speaker'; readonly speakers: readonly Speaker[]; readonly peers: readonly Peer[] }
  /** Applies are to go to these first, and none of them can take a revision: the next one comes to nobody. */
  | { readonly kind: 'no-canary'; readonly canaries: readonly Speaker[] }
  | { readonly kind: 'apply-failed'; readonly speaker: Speaker }
  | {
      readonly kind: 'not-applied';
      readonly speaker: Speaker;
      readonly revision: Revision;
      /** Why the apply of it ended at the canaries, which went back, and so went to no other speaker; null: it did not. */
      readonly canaryFault: string | null;
      /** The last apply of it, where that has failed as a whole, and why; null: it has not, or a freeze has stopped it. */
      readonly failedApply: FailedApply | null;
    }
  /** It has not reported for long, or could not apply its rules, and keeps those that it had before. */
  | { readonly kind: 'host-unreachable' | 'host-failed'; readonly host: FirewallHost }
  /** Its receiver does not take what it is sent, and all that comes waits; or the service has disabled it for that. */
  | { readonly kind: 'webhook-failing'; readonly webhook: Webhook }
  /** What it is to serve could not be made: it serves its last content, or nothing where it has had none. */
  | { readonly kind: 'feed-failing'; readonly feed: Feed }
  | { readonly kind: 'running'; readonly job: Job }
  | { readonly kind: 'pending'; readonly edits: number };

/** A peer that a disabled speaker announces to as far as anybody knows. */
export interface StillAnnounced {
  readonly id: string;
  readonly name: string;
  readonly routes: number;
}
