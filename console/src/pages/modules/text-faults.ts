import { ApiProblem } from '@prefixcast/client';
import type { LineFault } from './TextEditor.tsx';

const LINE = /(?:^|\s)line (\d+)$/;
const NO_FAULTS: LineFault[] = [];

/** Faults that name a line of the text. */
export function faultsOf(error: Error | null): LineFault[] {
  if (!(error instanceof ApiProblem)) return NO_FAULTS;
  return error.errors.flatMap(({ pointer, detail }) => {
    const line = LINE.exec(pointer)?.[1];
    return line === undefined ? [] : [{ line: Number(line), detail }];
  });
}

/** Whether nobody knows what became of the request. */
export function isUnanswered(error: Error | null): boolean {
  return error instanceof ApiProblem && error.status === 0;
}
