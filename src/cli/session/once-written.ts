/** What follows a write: a service that cannot answer any more ends the waiting, and the write is done all the same. */
import type { ApiProblem } from '#client';
import { CommandError, EXIT } from '../process/command-error.ts';
import { problemText } from './command-words.ts';
import { exitCodeOf, type Session } from './run-remote.ts';

/** Whoever reads "try again" sends the write once more, which then conflicts with what it has made. */
export async function onceWritten<T>({ contextWords }: Session, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const problem = error as ApiProblem;
    if (problem.name !== 'ApiProblem' || exitCodeOf(problem) !== EXIT.tryAgain) throw error;
    const left = `What you asked for is done and need not be sent again; what follows from it goes on: prefixcast${contextWords} status shows whether routers have it`;
    const reason = problemText(problem, undefined, contextWords);
    throw new CommandError(`${reason}\n${left}`, EXIT.timeout, { cause: error });
  }
}
