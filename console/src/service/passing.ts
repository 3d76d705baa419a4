import { ApiProblem, isSettled } from '@prefixcast/client';

/** Tried again by themselves: what is only so for the moment, and not what is refused. */
export function passes(error: Error): boolean {
  return (
    error instanceof ApiProblem &&
    (error.status === 0 || error.status === 429 || error.status >= 502) &&
    !isSettled(error)
  );
}

/** Whether somebody may try again: a fault as well, but nothing that is refused for good. */
export function mayPass(error: Error): boolean {
  if (!(error instanceof ApiProblem)) return true;
  return (error.status === 0 || error.status === 429 || error.status >= 500) && !isSettled(error);
}
