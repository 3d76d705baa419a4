import { Type, type Static } from 'typebox';
import { GUARDRAIL_CODES } from '../revisions/guardrail-codes.ts';
import { Id, Nullable, Strict, Timestamp } from '../shapes/page.ts';
import { changePage, DiffSummary } from '../revisions/diff.ts';
import { ContentHash, Finding } from '../revisions/revisions.ts';

/** A module that breaks a guardrail by itself, by what was collected of it or by what operators have made of it: revisions have what was accepted. */
export const HeldModule = Strict({
  since: Timestamp,
  snapshot: {
    ...ContentHash,
    description:
      'Names what is held: the content hash of the held snapshot; of a module that stays as it was, a hash of it as it would be',
  },
  findings: Type.Array(Finding, {
    description: 'The guardrails that it breaks, and the entries that break them',
  }),
});
export type HeldModule = Static<typeof HeldModule>;

export const Held = Nullable(
  HeldModule,
  'Why revisions use its last accepted snapshot instead of the latest, or the module as it was (`large_withdrawal`, `rolled_back`); null: they use the latest',
);

export const ReleaseRequest = Strict({
  override: Type.Array(Type.Enum(GUARDRAIL_CODES), {
    maxItems: GUARDRAIL_CODES.length,
    uniqueItems: true,
    description:
      'All guardrails that the release breaks (`findings` of `GET …/held/diff`), to allow them for this snapshot; empty if it breaks none any more, ' +
      'such as after the speaker was deleted that would lose routes',
  }),
  reason: Type.String({ minLength: 10, maxLength: 500, description: 'Why' }),
  snapshot: Type.Optional({
    ...ContentHash,
    description: '`held.snapshot` as you inspected it: no other snapshot is released',
  }),
});
export type ReleaseRequest = Static<typeof ReleaseRequest>;

const count = Type.Integer({ minimum: 0 });

/** Another module that is held, where the order of the releases matters: after a move of a list and a rollback. */
export const AlsoHeld = Strict({
  module_id: Id,
  name: Type.String({ description: 'What the module is called, or was before it was deleted' }),
  brings_back: {
    ...count,
    description:
      'Routes that this release withdraws, and that the release of the module named here announces again, whole or in part. Release that one first, and they stay',
  },
  keeps: {
    ...count,
    description:
      'Routes with addresses that this release brings, and that are announced already, since the module named here is held. Its release withdraws nothing of them after this one',
  },
});
export type AlsoHeld = Static<typeof AlsoHeld>;

/** What routers would receive beside what the latest ready revision has. */
export const HeldDiff = Strict({
  name: Type.String({ description: 'What the module is called, or was before it was deleted' }),
  snapshot: { ...ContentHash, description: '`held.snapshot` of the module: what would be released' },
  findings: Type.Array(Finding, {
    description:
      'All guardrails that a release would break now, each to be named in `override`; `held` may know of fewer',
  }),
  also_held: Type.Array(AlsoHeld, {
    description: 'Other held modules that have some of the same routes, by name',
  }),
  summary: DiffSummary,
  ...changePage,
});
export type HeldDiff = Static<typeof HeldDiff>;
