/** What writes would be answered, and what they would announce and withdraw: nothing of it is kept. */
import { Type, type Static } from 'typebox';
import { NamedFittedByFamily } from '../speakers/fitted.ts';
import { Id, PrefixCount, Strict, Nullable } from '../shapes/page.ts';
import { CommunityChanges, DiffSummary, RevisionChange } from './diff.ts';
import { Finding, Quarantined, RevisionState } from './revisions.ts';

/** Changes that an answer names; the summary counts all. */
export const NAMED_CHANGES = 100;
/** Speakers that are looked at. */
export const MAXIMUM_SPEAKERS = 200;

const routes = (description: string) =>
  Type.Object(PrefixCount.properties, { additionalProperties: false, description });

export const SESSION_EFFECTS = ['same', 'restarted', 'replaced'] as const;

/** What a peer would be sent by a speaker. */
export const PeerEffect = Strict({
  peer_id: Id,
  name: Type.String(),
  before: routes(
    'Routes that it is sent now; none where it is new. Of one over its `max_prefixes_out`: those that it has, which of a node is not known',
  ),
  after: routes(
    'Routes that it would be sent; none where it is gone. Of one over its `max_prefixes_out`: those that it keeps, which of a node is not known',
  ),
  updated: Type.Integer({
    minimum: 0,
    description:
      'How many of the routes that it would be sent are new to it, or have other communities or another next hop',
  }),
  withdrawn: Type.Integer({
    minimum: 0,
    description: 'How many of the routes that it is sent now it would have no more',
  }),
  lost: Type.Integer({
    minimum: 0,
    description:
      'How many of these nothing takes the place of: a cover has the addresses of the routes that it replaces, and routes those that a cover had of lists',
  }),
  fitted_before: Nullable(
    NamedFittedByFamily,
    'What the cover adds that it is sent now; null: it is sent none',
  ),
  fitted: Nullable(
    NamedFittedByFamily,
    'What the cover adds that it would be sent, since its routes are more than `max_prefixes_out`; null: it would be sent none',
  ),
  unfitted: Nullable(
    Type.String(),
    'Why it keeps what it has instead: the routes are more than `max_prefixes_out`, and it is sent no cover, or could be sent none; null: it is sent them, or a cover',
  ),
  unfitted_cost: Nullable(
    NamedFittedByFamily,
    'What the cover would add that `fit_max_added_percent` does not allow; null: it is allowed, or there is none',
  ),
  session: Type.Enum([...SESSION_EFFECTS], {
    description:
      'What becomes of its session: `same`: it goes on, or there is none before or after. `restarted`: it ends and another begins, and a peer with graceful restart keeps its routes meanwhile. `replaced`: it ends and the peer loses its routes, until another is up with the settings that it has then',
  }),
});
export type PeerEffect = Static<typeof PeerEffect>;

/** What would change at a speaker once all of it was applied. */
export const SpeakerEffect = Strict({
  speaker_id: Id,
  name: Type.String(),
  ...DiffSummary.properties,
  peers: Type.Array(PeerEffect, {
    description: 'Its peers that would be sent more, fewer or other routes, or a cover of another cost',
  }),
});
export type SpeakerEffect = Static<typeof SpeakerEffect>;

export const NextRevision = Strict({
  state: RevisionState,
  prefix_count: PrefixCount,
  findings: Type.Array(Finding, { description: 'The guardrails that it would break' }),
  quarantined: Type.Array(Quarantined, { description: 'The modules that would be held' }),
});
export type NextRevision = Static<typeof NextRevision>;

export const ExpiredPrefixes = Strict({
  count: Type.Integer({ minimum: 1 }),
  prefixes: Type.Array(Type.String(), { description: `The first ${NAMED_CHANGES}` }),
});
export type ExpiredPrefixes = Static<typeof ExpiredPrefixes>;

export const TenantSessions = Strict({
  tenant_id: Id,
  count: Type.Integer({ minimum: 1, description: 'How many of its sessions this is said of' }),
  session: Type.Enum(['same', 'ends', 'begins'], {
    description: 'Whether they go on; `ends`: the policy, a stop or a deletion ends them',
  }),
  before: routes('Routes that each of them is sent now'),
  after: routes('Routes that each of them would be sent'),
  updated: Type.Integer({
    minimum: 0,
    description: 'How many of these are new to it, or have other communities or another next hop',
  }),
});
export type TenantSessions = Static<typeof TenantSessions>;

export const Effect = Strict({
  revision: Nullable(
    NextRevision,
    'The revision that would follow; null: none would, since nothing changes that is announced',
  ),
  summary: {
    ...DiffSummary,
    description:
      'Routes that differ from the latest ready revision; of a change of a tenant, the most that differ at one of its speakers or sessions',
  },
  by_community: Type.Array(CommunityChanges, {
    description: 'All of them, for each community that any of these routes has or had',
  }),
  items: Type.Array(RevisionChange, {
    description: `At most ${NAMED_CHANGES} of them, IPv4 before IPv6, by address; others are left out before any that is withdrawn`,
  }),
  has_more: Type.Boolean({ description: 'There are more of them than `items` has' }),
  speakers: Type.Array(SpeakerEffect, {
    description: `Speakers whose routers would have something else than they have now, or are being brought to by an apply that has begun there or is being taken back, among the first ${MAXIMUM_SPEAKERS}`,
  }),
  tenants: Type.Optional(
    Type.Array(TenantSessions, {
      description:
        'Where tenants would be changed, stopped or deleted: sessions of theirs that would end, begin or be sent other routes, by what becomes of them and without their names. What lists of the tenant bring that are built again then is not counted. Left out where no tenant is written',
    }),
  ),
  expired: Type.Optional({
    ...ExpiredPrefixes,
    description:
      'Prefixes of an older revision that would be announced again although the time of their entries is over (`expires_at`), and that the latest revision does not announce',
  }),
  latest_findings: Type.Optional(
    Type.Array(Finding, {
      description:
        'Guardrails that the latest revision breaks then, such as a limit that is set below what it has: it stays announced, and the next one that differs from it is held. Left out where there are none, and where a revision would follow',
    }),
  ),
  applied_by_itself: Type.Boolean({
    description: 'An apply would be queued, and nothing holds it back',
  }),
  other_changes: Type.Integer({
    minimum: 0,
    description: 'Earlier edits that no revision holds yet: the next revision would have these too',
  }),
  uncollected_module_ids: Type.Array(Id, {
    description: 'Modules with entries to be collected first: what these bring is not known, and not counted',
  }),
});
export type Effect = Static<typeof Effect>;

/** Of one request. */
export const MAXIMUM_CHANGES = 1_000;

export const PLAN_METHODS = ['POST', 'PATCH', 'DELETE'] as const;

export const PlannedChange = Strict({
  method: Type.Enum([...PLAN_METHODS]),
  path: Type.String({
    minLength: 1,
    maxLength: 2048,
    description: 'With its query, such as `/v1/modules/{module_id}/ip-range-entries`',
    examples: ['/v1/communities'],
  }),
  body: Type.Optional(
    Type.Unknown({ description: 'As the request would have it; a file of entries as a text' }),
  ),
  if_match: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'As the header If-Match: the ETag that was read last',
      examples: ['"3-0123456789abcdef"'],
    }),
  ),
  id: Type.Optional({
    ...Id,
    description:
      'Any new UUID: stands for the id of what this change creates, in the path and the body of those after it',
  }),
});
export type PlannedChange = Static<typeof PlannedChange>;

const changesOf = (minItems: number, description: string) =>
  Strict({ changes: Type.Array(PlannedChange, { minItems, maxItems: MAXIMUM_CHANGES, description }) });

const ORDERLY = 'Writes, one after the other: each finds what those before it have changed';

export const PlanRequest = changesOf(
  0,
  `${ORDERLY}. None: what the edits lead to that no revision holds yet`,
);
export type PlanRequest = Static<typeof PlanRequest>;

export const ChangesRequest = changesOf(1, ORDERLY);

/** What an operation answers: a resource, or what it says of several. */
const AnsweredBody = (description: string) =>
  Type.Unsafe<unknown>(
    Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
      description,
      examples: [{ id: '0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77', community: '65000:100', title: 'Customers' }],
    }),
  );

export const PlannedAnswer = Strict({
  method: Type.Enum([...PLAN_METHODS]),
  path: Type.String(),
  status: Type.Integer({ minimum: 200, maximum: 299 }),
  body: AnsweredBody('What the operation would answer, secrets as `***`; null where it answers nothing'),
});
export type PlannedAnswer = Static<typeof PlannedAnswer>;

export const Plan = Strict({
  answers: Type.Array(PlannedAnswer, { description: 'One for each change, in their order' }),
  effect: Effect,
});
export type Plan = Static<typeof Plan>;

export const ChangesAnswer = Strict({
  answers: Type.Array(
    Strict({
      ...PlannedAnswer.properties,
      body: AnsweredBody('What the operation answers; null where it answers nothing'),
    }),
    { description: 'One for each change, in their order' },
  ),
});
export type ChangesAnswer = Static<typeof ChangesAnswer>;
