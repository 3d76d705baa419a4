import { Type, type Static } from 'typebox';
import {
  FamilyName,
  Id,
  Nullable,
  PrefixCount,
  Strict,
  Timestamp,
  listQuery,
  oneOrSeveral,
  resourceMembers,
  sortBy,
} from '../shapes/page.ts';
import { ID_PATTERN } from '../shapes/uuid.ts';

/** How a revision is named where a request asks for one; see control/revisions/named-revision.ts. */
export const REVISION_NAME_PATTERN = `${ID_PATTERN}|^[1-9]\\d{0,8}$|^latest$|^applied$`;
export const REVISION_NAME =
  'the id of a revision, its number, `latest` (the newest that is ready) or `applied` (what enabled speakers run; the one that was applied last where they differ)';

export const RevisionName = Type.Union([
  Type.String({ pattern: REVISION_NAME_PATTERN, description: REVISION_NAME }),
  Type.Integer({ minimum: 1, maximum: 999_999_999, description: 'The number of a revision' }),
]);
export type RevisionName = Static<typeof RevisionName>;

export const REVISION_STATES = ['building', 'ready', 'held', 'failed'] as const;
export const RevisionState = Type.Enum(REVISION_STATES);

/** A community as it stood when the revision was built, and its share of the routes. */
export const RevisionCommunity = Strict({
  community_id: Id,
  community: Type.String(),
  title: Type.String(),
  prefix_count: PrefixCount,
});
export type RevisionCommunity = Static<typeof RevisionCommunity>;

export const RevisionTrigger = Strict({
  kind: Type.Enum(['refresh', 'rollback', 'manual', 'edit', 'expiry', 'release'], {
    description:
      '`refresh`: modules were collected; `rollback`; `manual`: POST /v1/revisions; `edit`: by itself after edits; `expiry`: the time of entries was over (`expires_at`); ' +
      '`release`: the held module `module_id` was released',
  }),
  module_id: Nullable(Id),
  job_id: Nullable(Id),
  actor: Nullable(
    Type.String({ examples: ['key:maria', 'key:maria and 2 more'] }),
    'Who made the edits that it holds, else who asked for it; `auto:scheduler`: nobody did',
  ),
});
export type RevisionTrigger = Static<typeof RevisionTrigger>;

/** Something a reader of the revision should know: a guardrail broken (findings) or a remark (warnings). */
export const Finding = Strict({
  code: Type.String(),
  detail: Type.String({ description: 'What was found, where, and what to do' }),
  module_id: Nullable(Id),
  entry_id: Nullable(Id),
  community: Nullable(Type.String(), 'The community of the routes, where it is about those of one'),
  examples: Type.Array(Type.String(), { description: 'Some of the prefixes concerned, at most 10' }),
  lost: Type.Optional(
    Type.Array(Type.String({ examples: ['198.51.100.0/24'] }), {
      description:
        'Which of the examples would be withdrawn: the others would be announced. Absent: it is about what is there, and not about a change',
    }),
  ),
  measured: Nullable(Type.Number(), 'What was measured: prefixes, bits of a length, or percent'),
  limit: Nullable(Type.Number(), 'What would have been good, in the same unit'),
});
export type Finding = Static<typeof Finding>;

/** Names a stored content. */
export const ContentHash = Type.String({
  pattern: '^[0-9a-f]{64}$',
  examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bfc8d5f1c2b2a3d4e5f60'],
});

/** A module that is held: the revision has what was accepted of it before. It may be disabled or deleted. */
export const Quarantined = Strict({
  module_id: Id,
  findings: Type.Array(Finding, { description: 'The guardrails that the module breaks by itself' }),
  snapshot: {
    ...ContentHash,
    description: 'What is held: `held.snapshot` of the module, as long as it is held for it',
  },
});
export type Quarantined = Static<typeof Quarantined>;

/** A time in which speakers had a revision. */
export const AppliedPeriod = Strict({
  from: Timestamp,
  until: Nullable(Timestamp, 'When the last of them had another revision; null: one has it still'),
});
export type AppliedPeriod = Static<typeof AppliedPeriod>;

export const Revision = Strict({
  ...resourceMembers,
  number: Type.Integer({ minimum: 1 }),
  state: RevisionState,
  findings: Type.Array(Finding, {
    description: 'The guardrails that it breaks; such a revision is held until an operator overrides them',
  }),
  quarantined: Type.Array(Quarantined, {
    description:
      'Modules that were held when it was built: it has their last accepted snapshots, or nothing of modules without one; with `large_withdrawal`, or after a rollback (`rolled_back`), it has a module as it was, although that may be disabled or deleted',
  }),
  content_hash: Nullable(Type.String({ pattern: '^[0-9a-f]{64}$' })),
  parent_id: Nullable(Id),
  rollback_of: Nullable(Id),
  trigger: RevisionTrigger,
  reason: Nullable(
    Type.String(),
    'Why somebody rolled back, in their words; null: nobody said, or it is no rollback',
  ),
  prefix_count: PrefixCount,
  communities: Type.Array(RevisionCommunity),
  without_community: Nullable(
    PrefixCount,
    'Routes that carry no community; null: it was built before they were counted',
  ),
  warnings: Type.Array(Finding),
  pinned: Type.Boolean(),
  applied_on: Type.Array(Strict({ speaker_id: Id, applied_at: Timestamp })),
  first_applied_at: Nullable(
    Timestamp,
    'When a speaker had it first, as far as applies are kept; null: none had it',
  ),
  applied_periods: Type.Array(AppliedPeriod, {
    maxItems: 20,
    description:
      'When speakers had it, the newest first, as far as applies are kept: one that was applied again after another has a period for each time. Of each apply the speakers count that had it first and last. An apply that was taken back (a canary) counts for nothing, nor does a speaker that was deleted; one that is disabled counts only where no other had it',
  }),
});
export type Revision = Static<typeof Revision>;

/** The new revision of a rollback, and the job that applies it; null where `auto_apply` is off. */
export const RolledBack = Strict({ ...Revision.properties, apply_job_id: Nullable(Id) });
export type RolledBack = Static<typeof RolledBack>;

const count = Type.Integer({ minimum: 0 });

/** What a prune would remove now: revisions, the contents and blocks that nothing refers to then, and their bytes as stored. */
export const PruneEstimate = Strict({
  retention_minutes: Type.Integer({ minimum: 1 }),
  revisions: count,
  contents: count,
  blocks: count,
  bytes: count,
});
export type PruneEstimate = Static<typeof PruneEstimate>;

export const RevisionRequest = Strict({
  reason: Type.Optional(
    Type.String({ minLength: 1, maxLength: 500, description: 'Why; the audit log keeps it' }),
  ),
});
export type RevisionRequest = Static<typeof RevisionRequest>;

export const RollbackRequest = Strict({
  reason: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'Why; the new revision and the audit log keep it',
    }),
  ),
});
export type RollbackRequest = Static<typeof RollbackRequest>;

export const RevisionPatch = Strict({ pinned: Type.Boolean() });
export type RevisionPatch = Static<typeof RevisionPatch>;

/** The order of revisions where nothing is said. */
export const NEWEST_REVISION_FIRST = '-number';

export const RevisionQuery = listQuery({
  state: Type.Optional(oneOrSeveral(RevisionState)),
  pinned: Type.Optional(Type.Boolean()),
  since: Type.Optional(Type.String({ format: 'date-time', description: 'Built not before this moment' })),
  until: Type.Optional(Type.String({ format: 'date-time', description: 'Built before this moment' })),
  sort: sortBy(['number', '-number', 'created_at', '-created_at'], NEWEST_REVISION_FIRST),
});
export type RevisionQuery = Static<typeof RevisionQuery>;

/** A route is changed when both revisions have its prefix, with other communities. */
export const CHANGES = ['announced', 'withdrawn', 'changed'] as const;
export type Change = (typeof CHANGES)[number];

export const RevisionPrefix = Strict({
  prefix: Type.String(),
  communities: Type.Array(Strict({ community_id: Id, community: Type.String(), title: Type.String() })),
  change: Type.Optional(
    Type.Enum([...CHANGES], {
      description: 'With `since_revision`; a withdrawn prefix comes with the communities that it had',
    }),
  ),
});
export type RevisionPrefix = Static<typeof RevisionPrefix>;

export const RevisionPrefixQuery = listQuery(
  {
    family: Type.Optional(FamilyName),
    community_id: Type.Optional(Id),
    module_id: Type.Optional({
      ...Id,
      description:
        'A module that the revision was built from: lists the prefixes with addresses that it contributed',
    }),
    contains: Type.Optional(
      Type.String({
        minLength: 2,
        maxLength: 64,
        description: 'An address or prefix that the listed prefixes contain',
      }),
    ),
    since_revision: Type.Optional(
      Type.String({
        pattern: REVISION_NAME_PATTERN,
        description: `Lists what differs from this revision only; ${REVISION_NAME}. Takes no other filter`,
      }),
    ),
  },
  { maximum: 10_000, fallback: 1_000 },
);
export type RevisionPrefixQuery = Static<typeof RevisionPrefixQuery>;
