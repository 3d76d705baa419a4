import { Type, type Static } from 'typebox';
import { Strict } from '../shapes/page.ts';
import { PROBLEMS, type ProblemCode } from './problem.ts';

/** The body of every error answer, `application/problem+json` (RFC 9457). */
export const ProblemDocument = Strict({
  type: Type.String({ description: 'Page of the code, relative to the service: `/docs/errors/<code>`' }),
  title: Type.String({ description: 'The same for every problem of this code' }),
  status: Type.Integer({ minimum: 400, maximum: 599 }),
  detail: Type.String({ description: 'What was wrong, where, and how to fix it' }),
  instance: Type.String({ description: 'The path of the request' }),
  code: Type.Enum(Object.keys(PROBLEMS) as ProblemCode[]),
  request_id: Type.String({ description: 'As in the header X-Request-Id and in the logs' }),
  errors: Type.Optional(
    Type.Array(
      Strict({
        pointer: Type.String({
          description:
            'JSON Pointer (RFC 6901) into the body, ?name for a query parameter, or `line 17` of a file',
        }),
        detail: Type.String(),
      }),
      { description: 'Every error in the body or the query, at most 100; in a file, at most 1,000' },
    ),
  ),
});
export type ProblemDocument = Static<typeof ProblemDocument>;
