/** Runs a command over prefix lists: what is thrown becomes words on standard error and an exit code. */
import { CommandError, EXIT } from './command.ts';
import { Output } from './output.ts';

const STANDARD_OUTPUT = 1;
const STANDARD_ERROR = 2;

/** Only the command that is asked for is loaded. */
const COMMANDS = {
  aggregate: () => import('../commands/aggregate.ts'),
  diff: () => import('../commands/diff.ts'),
  contains: () => import('../commands/contains.ts'),
};

type PrefixCommand = keyof typeof COMMANDS;

export function isPrefixCommand(name: string | undefined): name is PrefixCommand {
  return name !== undefined && Object.hasOwn(COMMANDS, name);
}

/** Resolves to the exit code, with all output written. `args` is what stands behind the command's name. */
export async function runPrefixCommand(name: PrefixCommand, args: readonly string[]): Promise<number> {
  const { run } = await COMMANDS[name]();
  // What nobody hears, the exit code says too.
  const errors = new Output(STANDARD_ERROR, { isNeeded: false });
  try {
    const out = new Output(STANDARD_OUTPUT);
    const code = run(args, out, errors);
    out.flush();
    return code;
  } catch (error) {
    errors.text(`prefixcast: ${error instanceof CommandError ? error.message : failure(error)}\n`);
    errors.flush();
    // Node.js would end with 1, which is an answer.
    return error instanceof CommandError ? error.exitCode : EXIT.failed;
  }
}

function failure(error: unknown): string {
  const told = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `The command failed, and what it printed is not its answer. Lists of many millions may need more memory; else report this:\n${told}`;
}
