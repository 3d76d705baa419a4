/** What is read of a tenant to see what needs somebody. Of each thing it has what says how it is. */

interface Found {
  readonly code: string;
}

/** Of a module, a speaker and so on what says how it is. */
export interface Module {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly held: { readonly since: string; readonly findings: readonly Found[] } | null;
  readonly last_refresh: { readonly status: string; readonly error: string | null } | null;
  readonly last_refreshed_at: string | null;
}

export interface Session {
  readonly peer_id: string;
  readonly peer_name: string;
  readonly state: string;
  readonly since: string;
  readonly routes_exported: number;
  readonly reverted: {
    readonly revision_id: string | null;
    readonly error: string;
    readonly since: string;
  } | null;
  readonly last_error: string | null;
}

export interface Speaker {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly mode: string;
  readonly agent: { readonly last_seen_at: string | null } | null;
  readonly applied_revision_id: string | null;
  readonly last_apply: {
    readonly status: string;
    readonly error: string | null;
    readonly job_id: string | null;
  } | null;
  readonly live?: {
    readonly reachable: boolean;
    readonly error: string | null;
    readonly sessions: readonly Session[];
    /** Of sessions that nobody reports now. */
    readonly last_known_sessions?: readonly KnownSession[];
    /** No key of its node works: it takes nothing by itself. */
    readonly is_locked_out?: boolean;
    /** Its node had no time to report since the service started. */
    readonly is_awaited?: boolean;
  } | null;
}

interface KnownSession {
  readonly peer_id: string;
  readonly peer_name: string;
  readonly was_established: boolean;
  readonly routes_exported: number;
}

export interface Peer {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  /** Empty: every speaker. */
  readonly speaker_ids: readonly string[];
}

/** A host that keeps firewall rules. */
export interface FirewallHost {
  readonly id: string;
  readonly name: string;
  readonly online: boolean;
  readonly last_seen_at: string | null;
  readonly status: string;
  readonly last_error: string | null;
}

export interface Webhook {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly status: string;
  readonly last_error: string | null;
  readonly failing_since: string | null;
}

export interface Feed {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly status: string;
  readonly last_error: string | null;
}

export interface HeldDeleted {
  readonly module_id: string;
  readonly findings: readonly Found[];
}

export interface Revision {
  readonly id: string;
  readonly number: number;
  readonly content_hash: string | null;
  readonly created_at: string;
  readonly findings: readonly Found[];
  readonly quarantined: readonly HeldDeleted[];
}

interface JobProgress {
  readonly phase: string;
  readonly waiting_for?: readonly string[];
}

export interface Job {
  readonly id: string;
  readonly state: string;
  readonly started_at: string | null;
  readonly progress?: JobProgress | null;
  readonly resource: { readonly type: string; readonly id: string } | null;
  readonly error: { readonly code: string; readonly detail: string } | null;
}

export interface Seen {
  readonly modules: readonly Module[];
  readonly speakers: readonly Speaker[];
  /** They need not be read where `needsPeers` of attention.ts is false. */
  readonly peers: readonly Peer[];
  /** None where the key may not read them. */
  readonly hosts: readonly FirewallHost[];
  /** None where the key may not read them. */
  readonly webhooks?: readonly Webhook[];
  readonly feeds?: readonly Feed[];
  readonly applies: readonly Job[];
  /** Those older than the latest ready one need nobody: it has what came after. */
  readonly heldRevisions: readonly Revision[];
  /** The latest that may be announced; undefined: there is none. */
  readonly latest: Revision | undefined;
  /** What is known of older ones, by which it is seen whether a speaker has the same routes. */
  readonly revisions: readonly Revision[];
  readonly isFrozen: boolean;
  /** Speakers that applies go to first; left out: not known. */
  readonly canaryIds?: readonly string[];
  readonly pendingEdits: number;
}
