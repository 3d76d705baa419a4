import { Type, type Static } from 'typebox';
import { Id, Nullable, Strict } from './page.ts';

export const ApplyRequest = Strict({
  revision_id: Type.Optional(Id),
  speaker_ids: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: 1000, uniqueItems: true })),
});
export type ApplyRequest = Static<typeof ApplyRequest>;

export const SpeakerApplyRequest = Strict({ revision_id: Type.Optional(Id) });
export type SpeakerApplyRequest = Static<typeof SpeakerApplyRequest>;

/** What an apply did at one speaker: an item of the job's `result.speakers`. */
export const SpeakerApplyResult = Strict({
  speaker_id: Id,
  status: Type.Enum(['applied', 'unchanged', 'failed']),
  announced: Type.Integer({ minimum: 0 }),
  withdrawn: Type.Integer({ minimum: 0 }),
  changed: Type.Integer({ minimum: 0 }),
  error: Nullable(Type.String()),
});
export type SpeakerApplyResult = Static<typeof SpeakerApplyResult>;
