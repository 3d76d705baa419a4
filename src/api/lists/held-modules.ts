import { Type, type Static } from 'typebox';
import { RAILS } from '../revisions/apply.ts';
import { Nullable, Strict, Timestamp } from '../shapes/page.ts';
import { changePage, DiffSummary } from '../revisions/diff.ts';
import { ContentHash, Finding } from '../revisions/revisions.ts';

/** A module whose latest snapshot breaks a guardrail by itself: revisions have what was accepted of it before. */
export const HeldModule = Strict({
  since: Timestamp,
  snapshot: { ...ContentHash, description: 'Content hash of the held snapshot' },
  findings: Type.Array(Finding, {
    description: 'The guardrails that it breaks, and the entries that break them',
  }),
});
export type HeldModule = Static<typeof HeldModule>;

export const Held = Nullable(
  HeldModule,
  'Why revisions use its last accepted snapshot instead of the latest; null: they use the latest',
);

export const EntryHeld = Type.Boolean({
  description: 'Whether its module is held because of this entry; `held` of the module says why',
});

export const ReleaseRequest = Strict({
  override: Type.Array(Type.Enum(RAILS), {
    minItems: 1,
    maxItems: RAILS.length,
    uniqueItems: true,
    description: 'All guardrails that the module breaks, to allow them for this snapshot',
  }),
  reason: Type.String({ minLength: 10, maxLength: 500, description: 'Why' }),
  snapshot: Type.Optional({
    ...ContentHash,
    description: '`held.snapshot` as you inspected it: no other snapshot is released',
  }),
});
export type ReleaseRequest = Static<typeof ReleaseRequest>;

/** What routers would receive beside what the latest ready revision has. */
export const HeldDiff = Strict({
  snapshot: { ...ContentHash, description: 'The held snapshot, which would be released' },
  summary: DiffSummary,
  ...changePage,
});
export type HeldDiff = Static<typeof HeldDiff>;
