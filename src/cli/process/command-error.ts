/** Exit codes; from 64 on as in sysexits(3). */
export const EXIT = {
  ok: 0,
  no: 1,
  failed: 1,
  usage: 2,
  /** Of a plan: something would change. */
  changes: 3,
  notAuthorised: 4,
  held: 5,
  timeout: 6,
  notFound: 7,
  conflict: 8,
  /** Done, but not everywhere. */
  partial: 9,
  rejects: 65,
  noInput: 66,
  broken: 70,
  outputFailed: 74,
  tryAgain: 75,
  configuration: 78,
  /** Of a signal, as shells say it. */
  interrupted: 130,
} as const;

/** Ends the command with a message and an exit code. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** What was written after the command's name is wrong; the exit code is the command's own for that. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
