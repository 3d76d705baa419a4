import type { LookupMatch } from '../../api/lookup/lookup.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import type { SentRoutes } from '../../speakers/still-held.ts';
import type { LiveRevision, LookupEntry, LookupModule } from '../../store/lookup/lookup.ts';
import type { LookupCandidate } from '../../store/lookup/lookup-candidates.ts';
import type {
  LookupLeft,
  LookupLimited,
  LookupNextHop,
  LookupReverted,
} from '../../store/lookup/lookup-peers.ts';
import type { CollectedLists } from './collected-lists.ts';

/** What lookups of a tenant need to know, whatever they look up. It holds until something is committed. */
export interface LookupState {
  /**
   * Where it is that of a revision, when that was built: entries themselves have no part in it, and nobody asks why something is not announced.
   * Null: it is the present one.
   */
  readonly pastAt: string | null;
  readonly modules: ReadonlyMap<string, LookupModule>;
  /** Entries of snapshots that did not count in the revision. */
  readonly leftOut: ReadonlySet<string>;
  /** Of the modules that were ever refreshed. */
  readonly collected: CollectedLists;
  readonly live: readonly LiveRoutes[];
  /** Enabled speakers. */
  readonly speakerIds: readonly string[];
  /** Of these the ones on nodes that nobody has heard of for a while. */
  readonly awayIds: readonly string[];
  /** Revisions that may be announced before long. */
  readonly candidates: readonly Candidate[];
  /** Of these the newest that is ready, where some enabled speaker announces something else; else null. */
  readonly ahead: Candidate | null;
  /** Of these the newest that a guardrail holds, which is newer than that; null: there is none. */
  readonly heldAhead: Candidate | null;
  /** Peers that do not get all routes of enabled speakers, or have some of a disabled one. */
  readonly peers: LookupPeers;
  /** Whether nothing is applied now. */
  readonly isFrozen: boolean;
  /** Whether what the freeze has stopped is applied when it ends: the setting `auto_apply`. */
  readonly appliesByItself: boolean;
  /** Whether special-purpose space is taken out of lists. */
  readonly dropsBogons: boolean;
  readonly communitiesOf: CommunitiesOf;
  /** Null where there are too many to hold: then each lookup asks for those that it met. */
  readonly held: HeldEntries | null;
  /** What was already written of matches, by label set of `collected`. */
  readonly frames: Map<number, readonly Frame[]>;
}

export interface LiveRoutes {
  readonly revision: LiveRevision;
  readonly table: PrefixTable;
  /** What was already written of its routes, by label set. */
  readonly frames: Map<number, Frame>;
}

export interface Candidate {
  readonly revision: LookupCandidate;
  readonly table: PrefixTable;
}

export interface HeldEntries {
  readonly byId: ReadonlyMap<string, LookupEntry>;
  /** The ranges, labelled with their ids. */
  readonly ranges: PrefixTable;
}

export type CommunitiesOf = (
  module: LookupModule,
  entry: { readonly community_ids: readonly string[] } | undefined,
) => LookupMatch['communities'];

/** Peers that do not get all routes of enabled speakers, or have some of a disabled one. */
export interface LookupPeers {
  readonly reverted: readonly RevertedLookup[];
  readonly withoutNextHop: readonly LookupNextHop[];
  readonly limited: readonly LimitedLookup[];
  readonly left: readonly LeftLookup[];
  /** Whether any peer lacks something, or has too much: else nothing has to be asked of an address that every speaker announces. */
  readonly hasSome: boolean;
}

/** A peer of a node whose speaker is disabled, with what that ran last. */
export interface LeftLookup extends LookupLeft {
  /** Which routes of that the peer is sent. */
  readonly sent: SentRoutes;
  readonly held: PrefixTable;
}

/** A peer over its limit, with its routes. */
export interface LimitedLookup extends LookupLimited {
  /** Which routes of what its speaker announces it would be sent. */
  readonly sent: SentRoutes;
  /** Of what it was sent last, before it were too many. */
  readonly held: PrefixTable;
  /** What its speaker announces. */
  readonly latest: PrefixTable;
}

/** A reverted peer with its routes. */
export interface RevertedLookup extends LookupReverted {
  readonly sent: SentRoutes;
  /** The routes of the revision that it was reverted to; null: it holds nothing. */
  readonly held: PrefixTable | null;
  /** Those that it has still; the same table where nothing has left. */
  readonly left: PrefixTable | null;
  /** What its speaker announces. */
  readonly latest: PrefixTable;
}

/** JSON in front of and behind the one prefix in it. */
export interface Frame {
  readonly head: string;
  readonly tail: string;
}
