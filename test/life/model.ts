/** The things that an operator makes of a tenant, what its sources answer, and what was built and applied: shapes for life.ts. */
import type { Family } from '../../src/core/address.ts';

export interface CommunityModel {
  readonly id: string;
  readonly name: string;
  value: string;
  nextHop: NextHop;
}

/** By family; null: none of its own. */
export type NextHop = Readonly<Record<Family, string | null>>;
export const NO_NEXT_HOP: NextHop = { ipv4: null, ipv6: null };

/** What a source says when it is asked. An AS number without a list has no networks, a domain none that a resolver could tell. */
export type Answer =
  | { readonly kind: 'list'; readonly rows: readonly string[]; readonly told: string }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'nonsense' }
  | { readonly kind: 'failure'; readonly status: number }
  | { readonly kind: 'broken line' };

export type ModuleType = 'IP_RANGES' | 'CDN_SOURCES' | 'AS_PREFIXES' | 'DOMAINS' | 'GEOFEED';

/** An address range, a source, an AS number, a domain or a geofeed. */
export interface EntryModel {
  readonly id: string;
  readonly name: string;
  /** What is asked for: the range itself, the path at the list server, the AS number, the domain. */
  key: string;
  enabled: boolean;
  /** Empty: that of the module. */
  communities: readonly CommunityModel[];
  /** What was accepted last; null: nothing yet, or forgotten. */
  held: readonly string[] | null;
  /** The key that this was answered to. */
  heldKey?: string;
  /** When it is to leave by itself, longer after the walk; absent: never. */
  readonly end?: string;
}

export interface ModuleModel {
  readonly id: string;
  name: string;
  readonly type: ModuleType;
  purpose: 'announce' | 'exclude';
  enabled: boolean;
  canBeEmpty: boolean;
  community: CommunityModel | null;
  families: readonly Family[];
  readonly entries: EntryModel[];
  /** What was collected last. */
  snapshot: Snapshot;
  /** What was asked for then, of each entry. */
  keys: string;
  /** What stays in revisions while that is held; null: nothing was accepted yet. */
  accepted: Share | null;
  /** The snapshot that it was held for when a revision was built last; null: it was not. */
  heldFor: Snapshot | null;
  /** What a rollback took back, until other content is accepted. */
  takenBack: Snapshot | null;
  /** The entries that counted in it. */
  takenCounted: ReadonlySet<string>;
  /** What may break guardrails, because somebody has let it through. */
  released: Snapshot | null;
  /** Which of them. */
  releasedFor: ReadonlySet<string>;
}

/** What each entry held, by its id. */
export type Snapshot = ReadonlyMap<string, readonly string[]>;

/** A snapshot, and which of its entries were enabled when it went into a revision. */
export interface Share {
  readonly snapshot: Snapshot;
  readonly counted: ReadonlySet<string>;
}

/** What a revision had of a module. */
export interface Input extends Share {
  readonly module: ModuleModel;
  readonly purpose: ModuleModel['purpose'];
  readonly families: readonly Family[];
  /** What each entry that counted carried; empty: no community. */
  readonly communities: ReadonlyMap<string, readonly CommunityModel[]>;
  /** The codes of guardrails that somebody had let it through for. */
  readonly released: ReadonlySet<string>;
}

/** A module that a rollback brought back, and that stays so until it is edited. */
export interface Kept {
  readonly input: Input;
  /** What its list was when a revision was built last. */
  list: ListState;
  /** Whether it was collected for an edit since. */
  isCollected: boolean;
}

/** A module of a slip, which stays as it was until it is edited or released. */
export interface Slip {
  readonly module: ModuleModel;
  /** Null: it stays away. */
  readonly input: Input | null;
  /** What its list was when it was held. */
  readonly state: string;
  /** The setting `guard_max_withdraw_percent` of then. */
  readonly limit: number;
}

/** What somebody let through, as long as a speaker lacks it. */
export interface ReleasedSlip {
  /** What the list was. */
  readonly state: string;
  /** What the first revision with it has of the module; null: it is away; undefined: there is no such revision yet. */
  readonly input?: Input | null;
}

/** What an operator has made of a module. */
export interface ListState {
  /** That it is not in revisions by itself; null: it is. */
  readonly absence: 'disabled' | 'gone' | null;
  readonly purpose: ModuleModel['purpose'];
  readonly families: readonly Family[];
  /** Of each enabled entry its own communities, and that of its module. */
  readonly entries: ReadonlyMap<
    string,
    readonly [own: readonly CommunityModel[], ofModule: CommunityModel | null]
  >;
  /** What was asked for when it was collected last. */
  readonly keys: string;
}

/** Of a module that nothing was collected of. */
export const NOTHING_YET = {
  ...{
    snapshot: new Map<string, readonly string[]>(),
    accepted: null,
    heldFor: null,
    takenBack: null,
    takenCounted: new Set<string>(),
    released: null,
    releasedFor: new Set<string>(),
    keys: '',
  },
} as const;

/** Prefix to its sorted communities, as values. */
export type Routes = ReadonlyMap<string, readonly string[]>;

export interface RevisionModel {
  readonly id: string;
  readonly number: number;
  /** `held` becomes `ready` when somebody lets it through. */
  state: string;
  readonly contentHash: string;
  readonly routes: Routes;
  pinned: boolean;
  isRollback: boolean;
  /** Values of communities by id, as they were when it was built. */
  communities: ReadonlyMap<string, string>;
  /** What it was built from, by module. */
  inputs: ReadonlyMap<string, Input>;
  /** Modules that were held. */
  held: ReadonlySet<string>;
  /** The codes of guardrails about routes that it broke when it was built. */
  findings: readonly string[];
}

export interface SpeakerModel {
  readonly id: string;
  name: string;
  /** Which of the slot's places it calls from. */
  place: number;
  /** The address of that. */
  address: string;
  enabled: boolean;
  /** What it is to announce; null: nothing was applied yet. */
  applied: RevisionModel | null;
  /** When that was, of all applies: the highest was last. */
  appliedAt: number;
}

export interface PeerModel {
  readonly id: string;
  name: string;
  place: number;
  enabled: boolean;
  families: readonly Family[];
  /** Empty: all. */
  communities: readonly CommunityModel[];
  /** Without one, IPv6 routes have none over its IPv4 session but that of a community. */
  nextHop: NextHop;
  /** Routes that it may be sent, both families together; null: any number. */
  most: number | null;
  /** What it is sent where they are more. */
  whenTooMany: 'keep' | 'fit';
  /** Empty: every speaker. */
  speakers: readonly SpeakerModel[];
}

export interface FeedModel {
  readonly id: string;
  name: string;
  /** Where it is fetched, with its token. */
  path: string;
  /** Empty: all. */
  communities: readonly CommunityModel[];
  /** Prefixes of a family that it may have: more are fitted. Null: any number. */
  most: number | null;
}

/** The settings of guardrails about routes. */
export interface GuardrailsModel {
  readonly protected: readonly string[];
  readonly shortest: Readonly<Record<Family, number>>;
  /** Percent of what the Internet routes. */
  readonly coverage: number;
}

/** Of prefixes: what a revision may have unless somebody says less. */
export const ANY_NUMBER = 1_000_000;

/** What was deleted of lists and can be put back: a module, or entries of a module. */
export type Removal =
  | { readonly kind: 'module'; readonly module: ModuleModel }
  | { readonly kind: 'entries'; readonly module: ModuleModel; readonly entries: readonly EntryModel[] };
