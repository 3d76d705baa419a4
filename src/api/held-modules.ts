import { Type, type Static } from 'typebox';
import { RAILS } from './apply.ts';
import { Nullable, Strict, Timestamp } from './page.ts';
import { RevisionDiff } from './diff.ts';
import { ContentHash, Finding } from './revisions.ts';

/** A module whose latest snapshot breaks a guardrail by itself: revisions have what was accepted of it before. */
export const HeldModule = Strict({
  since: Timestamp,
  snapshot: { ...ContentHash, description: 'Content hash of what is held back' },
  findings: Type.Array(Finding, { description: 'The guardrails that it breaks, and the entries at fault' }),
});
export type HeldModule = Static<typeof HeldModule>;

export const Held = Nullable(
  HeldModule,
  'Why its latest snapshot is not in revisions, which have what was accepted before; null: it is in them',
);

export const EntryHeld = Type.Boolean({
  description: 'Whether its module is held because of this entry; `held` of the module says why',
});

export const ReleaseRequest = Strict({
  override: Type.Array(Type.Enum(RAILS), {
    minItems: 1,
    maxItems: RAILS.length,
    uniqueItems: true,
    description: 'The guardrails that the module breaks and that this snapshot may break; all of them',
  }),
  reason: Type.String({ minLength: 10, maxLength: 500, description: 'Why' }),
  snapshot: Type.Optional({
    ...ContentHash,
    description: '`held.snapshot` as you looked at it: anything else that is held by now is not released',
  }),
});
export type ReleaseRequest = Static<typeof ReleaseRequest>;

/** What routers would receive beside what the latest ready revision has. */
export const HeldDiff = Strict({
  snapshot: { ...ContentHash, description: 'What is held back, and would be released' },
  ...RevisionDiff.properties,
});
export type HeldDiff = Static<typeof HeldDiff>;
