import { expect, test } from 'vitest';
import { toProblem } from '../../../src/http/problem-answer.ts';

test('a stream that was closed before its answer began asks for patience, and is no fault of the service', () => {
  const cause = Object.assign(new Error('Premature close'), { code: 'ERR_STREAM_PREMATURE_CLOSE' });
  expect(toProblem(cause)).toMatchObject({ code: 'busy', status: 503, retryAfter: 1, cause });
  expect(toProblem(new Error('anything else'))).toMatchObject({ code: 'internal_error' });
});
