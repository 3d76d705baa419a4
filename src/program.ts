/** Runs a command line, and reports in words the faults that its user can correct. */
import { EXIT } from './cli/process/command-error.ts';
import { runCommandLine } from './cli/table/run-command.ts';
import { COMMANDS } from './commands.ts';

/** `words` are what stands behind the program's name; none: the service. Resolves to the exit code. */
export async function runProgram(words: readonly string[]): Promise<number> {
  try {
    return await runCommandLine(COMMANDS, words);
  } catch (error) {
    const [{ ConfigError }, { AgentFault }] = await Promise.all([
      import('./config/environment.ts'),
      import('./agent/agent-fault.ts'),
    ]);
    if (!(error instanceof ConfigError || error instanceof AgentFault)) throw error;
    console.error(error.message);
    return error instanceof ConfigError ? EXIT.configuration : EXIT.failed;
  }
}
