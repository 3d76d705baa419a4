/** What standard output is: a terminal has a width and perhaps colours, a file has neither. */

export function isTerminal(): boolean {
  return process.stdout.isTTY === true;
}

/** Columns of the terminal; without an end elsewhere. */
export function widthOfOutput(): number {
  return isTerminal() ? process.stdout.columns || 80 : Infinity;
}

const COLOURS = { red: 31, green: 32, yellow: 33, bold: 1, dim: 2 } as const;
export type Colour = keyof typeof COLOURS;

/** On terminals only, and not with NO_COLOR (no-color.org). */
export function coloured(text: string, colour: Colour): string {
  if (!isTerminal() || (process.env.NO_COLOR ?? '') !== '' || process.env.TERM === 'dumb') return text;
  return `\u001b[${COLOURS[colour]}m${text}\u001b[0m`;
}

const WORDS: Readonly<Record<string, Colour>> = {
  established: 'green',
  succeeded: 'green',
  applied: 'green',
  ready: 'green',
  ok: 'green',
  held: 'yellow',
  stale: 'yellow',
  partial: 'yellow',
  'established, reverted': 'yellow',
  'ok, empty': 'yellow',
  'ok, NXDOMAIN': 'yellow',
  running: 'yellow',
  unfinished: 'yellow',
  unreachable: 'yellow',
  failed: 'red',
  undone: 'red',
  cancelled: 'red',
};

/** A state in its colour. */
export function colouredWord(text: string): string {
  const colour = WORDS[text.trim()];
  return colour === undefined ? text : coloured(text, colour);
}
