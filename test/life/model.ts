/** What an operator would know of a tenant: the things that it made, what its sources answer, and what was built and applied. */
import type { Family } from '../../src/core/address.ts';

export interface CommunityModel {
  readonly id: string;
  readonly name: string;
  value: string;
}

export interface RangeModel {
  readonly id: string;
  readonly name: string;
  cidr: string;
  enabled: boolean;
  community: CommunityModel | null;
}

/** What a source says when it is asked. */
export type Answer =
  | { readonly kind: 'list'; readonly rows: readonly string[]; readonly told: string }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'nonsense' }
  | { readonly kind: 'failure'; readonly status: number }
  | { readonly kind: 'broken line' };

export interface SourceModel {
  readonly id: string;
  readonly name: string;
  /** Of the list server. */
  path: string;
  enabled: boolean;
  community: CommunityModel | null;
  /** What was accepted last; null: nothing yet, or forgotten. */
  held: readonly string[] | null;
}

export interface ModuleModel {
  readonly id: string;
  readonly name: string;
  readonly type: 'IP_RANGES' | 'CDN_SOURCES';
  purpose: 'announce' | 'exclude';
  enabled: boolean;
  canBeEmpty: boolean;
  community: CommunityModel | null;
  families: readonly Family[];
  readonly ranges: RangeModel[];
  readonly sources: SourceModel[];
}

/** Prefix to its sorted communities, as values. */
export type Routes = ReadonlyMap<string, readonly string[]>;

export interface RevisionModel {
  readonly id: string;
  readonly number: number;
  readonly state: string;
  readonly contentHash: string;
  readonly routes: Routes;
  /** Values of communities by id, as they were. */
  pinned: boolean;
}

export interface SpeakerModel {
  readonly id: string;
  readonly name: string;
  /** Which of the slot's places it calls from. */
  readonly place: number;
  enabled: boolean;
  /** What it is to announce; null: nothing was applied yet. */
  applied: RevisionModel | null;
}

export interface PeerModel {
  readonly id: string;
  readonly name: string;
  readonly place: number;
  enabled: boolean;
  families: readonly Family[];
  /** Empty: all. */
  communities: readonly CommunityModel[];
  /** Whether IPv6 routes have a next hop over its IPv4 session. */
  hasNextHop6: boolean;
  /** Empty: every speaker. */
  speakers: readonly SpeakerModel[];
}

export class Life {
  readonly communities: CommunityModel[] = [];
  readonly modules: ModuleModel[] = [];
  readonly speakers: SpeakerModel[] = [];
  readonly peers: PeerModel[] = [];
  readonly revisions: RevisionModel[] = [];
  /** What each path of the list server answers. */
  readonly answers = new Map<string, Answer>();
  defaultCommunity: CommunityModel | null = null;
  /** Whether sources hold thousands of prefixes, of which few change at once. */
  hasLargeLists = false;
  autoRevision = true;
  autoApply = true;
  /** The revision that was applied last; speakers that come get it. */
  applied: RevisionModel | null = null;
  /** For names that never repeat. */
  made = 0;

  get latest(): RevisionModel | null {
    return this.revisions.findLast(({ state }) => state === 'ready') ?? null;
  }

  /** What a speaker gets that comes, or is enabled again: what the others run, else the latest. */
  forNewcomer(newcomer: SpeakerModel): RevisionModel | null {
    const others = this.speakers.filter(
      ({ id, enabled, applied }) => id !== newcomer.id && enabled && applied !== null,
    );
    return others.length > 0 || !this.autoApply ? this.applied : this.latest;
  }

  get sources(): { readonly module: ModuleModel; readonly source: SourceModel }[] {
    return this.modules.flatMap((module) => module.sources.map((source) => ({ module, source })));
  }

  get ranges(): { readonly module: ModuleModel; readonly range: RangeModel }[] {
    return this.modules.flatMap((module) => module.ranges.map((range) => ({ module, range })));
  }
}
