/** What threads are asked about tables, and what they answer: plain data, which table-work.ts works on. */
import type { RoutesPart } from '../../bundle/routes-part.ts';
import type { DiffSummary } from '../../api/revisions/diff.ts';
import type { Finding } from '../../api/revisions/revisions.ts';
import type { Family } from '../../core/address.ts';
import type { PrefixSet } from '../../core/sets/prefix-set.ts';
import type { IdTable } from '../../core/stored/id-table.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import type { Contribution } from '../../core/tables/revision-table.ts';
import type { LabelledRows } from '../../core/tables/rows-by-label.ts';
import type { StoredTable } from '../../core/stored/stored-table.ts';
import type { ChangePiece } from '../../core/stored/change-list.ts';
import type { FitAnswer, RoutesToFit } from '../../core/fitting/fit-routes.ts';
import type { EncodedTable } from '../../core/stored/table-codec.ts';
import type {
  BuiltRevision,
  CommunityToBuild,
  Contributed,
  ModulePolicy,
  ModuleShare,
} from './build-revision.ts';
import type { DifferenceTask } from './change-work.ts';
import type { CountedDiff, TableDiffTask } from './diff-work.ts';
import type { LeftTask } from './left-work.ts';
import type { MapCells, MapTask } from './map-work.ts';
import type { ModuleCountTask } from './count-by-module.ts';
import type { CountTask, RowsOfEntries } from './count-rows.ts';
import type { ChangeLimits } from '../guards/change-limits.ts';
import type { FamilyChange } from '../guards/guard-change.ts';
import type { ModuleToJudge } from '../guards/guard-module.ts';
import type { Withdrawal } from '../guards/guard-withdrawal.ts';
import type { Guardrails } from '../guards/guardrails.ts';
import type { FeedAnswer, FeedTask } from './feed-work.ts';
import type { EncodedContent, Snapshot } from './encoded-content.ts';
import type { PatchTask } from './range-work.ts';
import type { RuleSetsTask, SetDifference, SetDifferenceTask, SetsByFamily } from './rule-sets.ts';
import type { WithdrawTask } from './withdraw-work.ts';
import type { RoutesDeltaTask, RoutesTask, WholeTask } from './write-content.ts';

/** Reads a snapshot, entry by entry. */
export interface GroupTask {
  readonly kind: 'group';
  readonly stored: StoredTable;
}

/** Makes a snapshot of what entries contribute, or of the ranges that are entries themselves; `parent` is the one before. */
export interface SnapshotTask {
  readonly kind: 'snapshot';
  /** Ranges as `id cidr,id cidr…`. */
  readonly entries: readonly LabelledRows[] | string;
  readonly parent: StoredTable | null;
}

/** Makes a revision of the snapshots of all enabled modules; `parent` is the one before. */
export interface RevisionTask {
  readonly kind: 'revision';
  readonly modules: readonly ModuleTask[];
  readonly communities: readonly CommunityToBuild[];
  readonly parent: StoredTable | null;
  readonly guardrails: Guardrails;
}

/** A share is what a module is known to contribute, from an earlier revision. */
export type ModuleTask = (ModuleShare | ModuleSnapshot) & {
  /** The guardrails that it was let through for. */
  readonly released?: readonly string[];
};

export interface ModuleSnapshot {
  readonly policy: ModulePolicy;
  readonly snapshot: PrefixTable | IdTable | StoredTable;
}

/** Works out what modules contribute. */
export interface ContributeTask {
  readonly kind: 'contribute';
  readonly modules: readonly ModuleSnapshot[];
}

/** Looks for the guardrails that modules break by themselves. */
export interface JudgeTask {
  readonly kind: 'judge';
  readonly modules: readonly JudgedShare[];
  readonly exclusions: readonly PrefixSet[];
  readonly guardrails: Guardrails;
}

export interface JudgedShare {
  readonly module: ModuleToJudge;
  /** By which entries are named, and those that count; null: none is named. */
  readonly snapshot: { readonly stored: StoredTable; readonly entryIds: readonly string[] } | null;
}

export interface BuiltContent
  extends EncodedContent, Pick<BuiltRevision, 'communities' | 'withoutCommunity'> {
  /** The guardrails that its modules break only together. */
  readonly findings: readonly Finding[];
  /** Of each module, in order. */
  readonly contributions: readonly (readonly Contribution[])[];
}

/** Looks for the guardrails about routes that a table breaks. */
export interface InspectTask {
  readonly kind: 'inspect';
  readonly stored: StoredTable;
  readonly guardrails: Guardrails;
  readonly released?: readonly ReleasedContent[];
}

/** A snapshot that was let through although it breaks these guardrails. */
export interface ReleasedContent {
  readonly stored: StoredTable;
  readonly codes: readonly string[];
}

/** Measures how much of a module changed by itself between two of its snapshots. */
export interface ChangeTask {
  readonly kind: 'change';
  readonly before: StoredTable;
  readonly after: StoredTable;
  /** The lists of entries of both, as `id version,id version…`. */
  readonly entries: { readonly before: string; readonly after: string };
  readonly families: readonly Family[];
  /** From which on the entry that changed most is looked for. */
  readonly limits: ChangeLimits;
}

export type TableTask =
  | GroupTask
  | SnapshotTask
  | PatchTask
  | ContributeTask
  | JudgeTask
  | RevisionTask
  | InspectTask
  | ChangeTask
  | CountTask
  | ModuleCountTask
  | MapTask
  | DifferenceTask
  | TableDiffTask
  | WithdrawTask
  | WholeTask
  | RoutesTask
  | RoutesDeltaTask
  | RuleSetsTask
  | SetDifferenceTask
  | FeedTask
  | (RoutesToFit & { readonly kind: 'fit' })
  | LeftTask;

/** The answer of each kind of task. */
export interface TableAnswers {
  readonly group: readonly LabelledRows[];
  readonly snapshot: Snapshot;
  readonly patch: Snapshot | null;
  readonly contribute: readonly Contributed[];
  readonly judge: readonly (readonly Finding[])[];
  readonly revision: BuiltContent;
  readonly withdraw: readonly Withdrawal[];
  readonly inspect: readonly Finding[];
  readonly change: readonly FamilyChange[];
  readonly count: readonly RowsOfEntries[];
  readonly map: MapCells;
  readonly difference: readonly ChangePiece[];
  readonly table_diff: CountedDiff;
  readonly module_counts: readonly DiffSummary[];
  readonly whole: EncodedTable;
  readonly routes: RoutesPart;
  readonly routes_delta: Uint8Array | null;
  readonly rule_sets: SetsByFamily;
  readonly set_difference: SetDifference;
  readonly feed: FeedAnswer;
  readonly fit: FitAnswer;
  readonly left: PrefixTable | null;
}
