import { Type, type Static } from 'typebox';
import { Strict } from '../shapes/page.ts';

/** Unreadable lines that an entry shows. */
export const REJECTS_SHOWN = 10;

/** A line of a list that holds no prefix. */
export const RejectedLine = Strict({
  line: Type.Integer({
    minimum: 1,
    description: 'Line of the text or CSV; in JSON the place among the values',
  }),
  text: Type.String(),
  reason: Type.String(),
});
export type RejectedLine = Static<typeof RejectedLine>;

/** Members of an entry whose list is behind a URL. */
export const rejectedMembers = {
  rejected_count: Type.Integer({
    minimum: 0,
    description:
      'Lines or values of the last good answer that cannot be read, without comments and blank lines',
  }),
  rejected: Type.Array(RejectedLine, { maxItems: REJECTS_SHOWN, description: 'The first of them' }),
};
