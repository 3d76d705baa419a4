/** What an operator would know of a tenant: all that it has, what was built of it, and what speakers run. */
import { LOOSE } from './universe.ts';
import {
  ANY_NUMBER,
  type CommunityModel,
  type Answer,
  type ModuleType,
  type EntryModel,
  type ModuleModel,
  type Snapshot,
  type Kept,
  type Slip,
  type ReleasedSlip,
  type Routes,
  type RevisionModel,
  type SpeakerModel,
  type PeerModel,
  type FeedModel,
  type GuardrailsModel,
  type Removal,
} from './model.ts';

export class Life {
  readonly communities: CommunityModel[] = [];
  readonly modules: ModuleModel[] = [];
  /** The last removal is the last. */
  readonly removals: Removal[] = [];
  readonly speakers: SpeakerModel[] = [];
  readonly peers: PeerModel[] = [];
  readonly feeds: FeedModel[] = [];
  readonly revisions: RevisionModel[] = [];
  /**
   * Those that were the newest at the end of a step, one for each content, the last such one last. How many revisions a step makes depends
   * on time, and what it ends with does not: a story that is told again chooses the same.
   */
  endings: RevisionModel[] = [];
  /** The latest that is ready, as the last step ended. */
  standing: RevisionModel | null = null;
  /** What is answered to each key that is asked for. */
  readonly answers = new Map<string, Answer>();
  /** Of what was collected, the key that each entry answered to. */
  readonly askedFor = new WeakMap<Snapshot, ReadonlyMap<string, string>>();
  /** Modules that have to be collected before a revision holds what was edited in them. */
  readonly toCollect = new Set<ModuleModel>();
  /** By module. */
  kept = new Map<string, Kept>();
  /** By module. */
  slips = new Map<string, Slip>();
  /** What somebody let through although it takes much away, by module. */
  releasedSlips = new Map<string, ReleasedSlip>();
  /** Entries that have left by themselves. */
  readonly left = new Set<string>();
  /** What the last build had to announce; edits since have yet to be built. */
  built: Routes = new Map();
  defaultCommunity: CommunityModel | null = null;
  /** Whether sources hold thousands of prefixes, of which few change at once. */
  hasLargeLists = false;
  /** Whether lists are long enough for edits of them to take too much away. */
  hasSlips = false;
  autoRevision = true;
  autoApply = true;
  guardrails: GuardrailsModel = LOOSE;
  /** The setting `guard_max_prefixes`. */
  maxPrefixes = ANY_NUMBER;
  /** The setting `guard_max_withdraw_percent`. */
  maxWithdraw = 50;
  /** The revision that was applied to all last; speakers that come get it where no other runs anything. */
  applied: RevisionModel | null = null;
  /** So many applies have reached a speaker. */
  applies = 0;
  /** The setting `deploy_wave_size`. */
  waveSize = 0;
  isFrozen = false;
  /** The last apply to all that the freeze has stopped. */
  stopped: RevisionModel | null = null;
  /** Speakers that have come since, and wait for the end of the freeze to get what the others run. */
  readonly waiting = new Set<SpeakerModel>();
  /** For names that never repeat. */
  made = 0;

  /** Revisions that a deed may choose from. */
  choices(state?: 'ready' | 'held'): RevisionModel[] {
    return this.endings.filter(
      (one) => this.revisions.includes(one) && (state === undefined || one.state === state),
    );
  }

  /** A step is over. */
  endStep(): void {
    this.standing = this.latest;
    const newest = this.revisions.at(-1);
    if (newest === undefined) return;
    const { contentHash, state } = newest;
    const others = this.endings.filter((one) => one.contentHash !== contentHash || one.state !== state);
    this.endings = [...others, newest];
  }

  get latest(): RevisionModel | null {
    return this.revisions.findLast(({ state }) => state === 'ready') ?? null;
  }

  /** What a speaker gets that comes, or is enabled again: what the others run, else the latest. */
  forNewcomer(newcomer: SpeakerModel): RevisionModel | null {
    const others = this.speakers.filter(
      ({ id, enabled, applied }) => id !== newcomer.id && enabled && applied !== null,
    );
    const [last] = others.sort((one, other) => other.appliedAt - one.appliedAt);
    return last?.applied ?? (this.autoApply ? this.latest : this.applied);
  }

  /** The speaker runs this from now on. */
  bring(speaker: SpeakerModel, revision: RevisionModel): void {
    speaker.applied = revision;
    speaker.appliedAt = ++this.applies;
  }

  /** All that are enabled run this from now on. */
  bringToAll(revision: RevisionModel): void {
    const speakers = this.speakers.filter(({ enabled }) => enabled);
    if (speakers.length > 0) this.applied = revision;
    for (const speaker of speakers) this.bring(speaker, revision);
  }

  /** Entries of modules of this type. */
  entriesOf(type: ModuleType): { readonly module: ModuleModel; readonly entry: EntryModel }[] {
    return this.modulesOf(type).flatMap((module) => module.entries.map((entry) => ({ module, entry })));
  }

  modulesOf(type: ModuleType): ModuleModel[] {
    return this.modules.filter((module) => module.type === type);
  }

  /** What the entry's routes carry. */
  carriedBy(
    { community: ofModule }: Pick<ModuleModel, 'community'>,
    own: readonly CommunityModel[],
  ): readonly CommunityModel[] {
    if (own.length > 0) return own;
    const community = ofModule ?? this.defaultCommunity;
    return community === null ? [] : [community];
  }

  /** What the communities are called now, by id. */
  get values(): ReadonlyMap<string, string> {
    return new Map(this.communities.map(({ id, value }) => [id, value]));
  }
}
