/** Runs a command over prefix lists: what is thrown becomes words on standard error and an exit code. */
import { CommandError } from './command.ts';
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
    if (!(error instanceof CommandError)) throw error;
    errors.text(`prefixcast: ${error.message}\n`);
    errors.flush();
    return error.exitCode;
  }
}
