/** Secrets that options name and never hold: whoever lists the processes of the machine, or reads the history of a shell, would have them. */
import { readFileSync } from 'node:fs';
import { asksSecret, canAsk } from './ask.ts';
import { CommandError, EXIT, UsageError } from './command-error.ts';
import { isSystemError, reasonOf } from './system-error.ts';

const STANDARD_INPUT = 0;

/**
 * The first line of what an option names.
 * @param source `@FILE`; or `-`: standard input, at a terminal what is typed and not shown
 * @throws {UsageError} for anything else, which may be the secret itself and so is not repeated
 */
export async function readSecret(option: string, source: string): Promise<string> {
  if (source !== '-' && !/^@./.test(source))
    throw new UsageError(
      `--${option} takes no secret itself, which others could read in the list of processes: write @FILE, whose first line it is, or - to type it or to send it by standard input`,
    );
  const isTyped = source === '-' && canAsk();
  const text = isTyped ? await asksSecret(`${option}: `) : readText(option, source);
  const [secret = ''] = text.split(/\r?\n/, 1);
  if (secret !== '') return secret;
  const from = isTyped ? 'nothing was typed' : `the first line of ${nameOf(source)} is empty`;
  throw new CommandError(`--${option}: ${from}`, EXIT.usage);
}

function readText(option: string, source: string): string {
  try {
    return readFileSync(source === '-' ? STANDARD_INPUT : source.slice(1), 'utf8');
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new CommandError(`--${option}: ${nameOf(source)} can't be read: ${reasonOf(error)}`, EXIT.noInput);
  }
}

function nameOf(source: string): string {
  return source === '-' ? 'standard input' : source.slice(1);
}
