/** Runs a command over prefix lists: they need no service, write at once, and end with an exit code whatever happens. */
import { CommandError, EXIT, UsageError } from '../process/command-error.ts';
import { Output } from '../process/output.ts';
import type { Input } from '../table/command.ts';

const STANDARD_OUTPUT = 1;
const STANDARD_ERROR = 2;

interface ListCommand<Options> {
  readonly run: (input: Input<Options>, out: Output, errors: Output) => number;
}

/** Resolves to the exit code, with all output written. Throws UsageError and CommandError. */
export async function runOnLists<Options>(
  load: () => Promise<ListCommand<Options>>,
  input: Input<Options>,
): Promise<number> {
  const { run } = await load();
  // The exit code says it as well, in case nobody reads the text.
  const errors = new Output(STANDARD_ERROR, { isNeeded: false });
  try {
    const out = new Output(STANDARD_OUTPUT);
    const code = run(input, out, errors);
    out.flush();
    return code;
  } catch (error) {
    errors.flush();
    if (error instanceof CommandError || error instanceof UsageError) throw error;
    // Node.js would end with 1, which is an answer.
    throw new CommandError(failure(error), EXIT.broken, { cause: error });
  }
}

function failure(error: unknown): string {
  const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `The command failed, and its output is not complete. Lists of many millions may need more memory; otherwise report this:\n${cause}`;
}
