/** Questions to whoever types at a terminal. A script has nobody to ask: its options say everything. */

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

/** For what goes before a question, and for hints: standard output stays what a command answers. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
