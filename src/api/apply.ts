import { Type, type Static } from 'typebox';
import { Id, Nullable, Strict } from './page.ts';

export const ApplyRequest = Strict({
  revision_id: Type.Optional(Id),
  speaker_ids: Type.Optional(
    Type.Array(Id, {
      minItems: 1,
      maxItems: 1000,
      uniqueItems: true,
      description: 'All enabled speakers where nothing is said',
    }),
  ),
});
export type ApplyRequest = Static<typeof ApplyRequest>;

export const SpeakerApplyRequest = Strict({ revision_id: Type.Optional(Id) });
export type SpeakerApplyRequest = Static<typeof SpeakerApplyRequest>;

/** What an apply did at one speaker: an item of the job's `result.speakers`. */
export const SpeakerApplyResult = Strict({
  speaker_id: Id,
  status: Type.Enum(['applied', 'unchanged', 'failed']),
  announced: Type.Integer({ minimum: 0, description: 'Routes that are new' }),
  withdrawn: Type.Integer({ minimum: 0, description: 'Routes that are gone' }),
  changed: Type.Integer({
    minimum: 0,
    description: 'Routes with other communities or next hops than before',
  }),
  error: Nullable(Type.String(), 'Why the speaker did not take the revision'),
});
export type SpeakerApplyResult = Static<typeof SpeakerApplyResult>;
