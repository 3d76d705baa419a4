import { PROBLEMS, Problem, type ProblemCode } from '../api/problems/problem.ts';
import { sentence } from '../api/problems/sentence.ts';
import type { SourceError } from '../sources/source-error.ts';

/** What a source did wrong, as the answer to a request: by the code that an entry would show in `last_error`. */
export function explainSource(error: SourceError): Error {
  if (!isProblemCode(error.code)) return error;
  return new Problem(error.code, sentence(error.message), { cause: error });
}

function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(PROBLEMS, code);
}
