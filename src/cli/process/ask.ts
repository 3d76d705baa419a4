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

/** What is typed, which the terminal does not show. Empty where nothing is, as after Ctrl-C. */
export async function asksSecret(question: string): Promise<string> {
  const begun = Date.now();
  const [{ createInterface }, { Writable }] = await Promise.all([
    import('node:readline/promises'),
    import('node:stream'),
  ]);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  // The terminal shows nothing of what is typed from here on.
  process.stderr.write(question);
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  try {
    return await Promise.race([lines.question(''), closed]);
  } finally {
    lines.close();
    process.stderr.write('\n');
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
