/** Questions to whoever types at a terminal. A script has nobody to ask: its options say everything. */
import { CommandError, EXIT } from './command-error.ts';

export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

let asked = 0;

/** How long people have thought about questions of this command. */
export function askedMilliseconds(): number {
  return asked;
}

/** Whether the answer is yes; Enter, Ctrl-C and everything else are no. */
export async function asksYes(question: string): Promise<boolean> {
  const begun = Date.now();
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  try {
    const answer = await Promise.race([lines.question(`${question} (y/N) `), closed]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    lines.close();
    asked += Date.now() - begun;
  }
}

/**
 * Where somebody can answer, and has not said `--yes`.
 * @throws {CommandError} where the answer is no
 */
export async function requireYes(question: string, isGiven: unknown): Promise<void> {
  if (isGiven === true || !canAsk() || (await asksYes(question))) return;
  throw new CommandError('Nothing has changed', EXIT.no);
}

/** For what goes before a question, and for hints: standard output stays what a command answers. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
