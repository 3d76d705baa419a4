/** Views that stay on the terminal: drawn again in place there, a line for each change elsewhere. */
import { type TableShape, shapeOf, textTable } from '../render/text-table.ts';
import { isTerminal } from '../render/terminal.ts';
import { print } from '../render/formats.ts';
import { waitThroughOutages } from '../session/connect.ts';
import type { Session } from '../session/run-remote.ts';

export type Rows = readonly (readonly string[])[];

/** Aborts at Ctrl-C, which ends a view in order. Nothing else does but a refusal: a service that restarts is waited for. */
export function untilInterrupted({ client }: Pick<Session, 'client'>): AbortController {
  waitThroughOutages(client);
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  process.once('SIGTERM', () => stop.abort());
  return stop;
}

export class LiveTable {
  readonly #titles: readonly string[];
  readonly #minor: readonly number[];
  readonly #least: readonly number[];
  #shape: TableShape | null = null;
  #height = 0;
  #last = new Set<string>();

  /** @param minor as of `textTable` @param least width of each column, for what may come */
  constructor(titles: readonly string[], minor: readonly number[] = [], least: readonly number[] = []) {
    this.#titles = titles;
    this.#minor = minor;
    this.#least = least;
  }

  /** @param below a line about all of it, on a terminal alone */
  draw(rows: Rows, below = ''): void {
    if (!isTerminal()) return this.#printChanges(rows);
    const room = Math.max(3, (process.stdout.rows || 24) - (below === '' ? 2 : 3));
    const shown = rows.slice(0, room);
    const rest = rows.length > room ? `… and ${rows.length - room} more\n` : '';
    // Nothing moves to another place while somebody looks at it.
    const before = { minor: this.#minor, least: this.#least, before: this.#shape };
    this.#shape = shapeOf(this.#titles, shown, before);
    const table = textTable(this.#titles, shown, this.#minor, this.#shape);
    const text = table + rest + (below === '' ? '' : `${below}\n`);
    print(this.#back() + text);
    this.#height = text.split('\n').length - 1;
  }

  /** Takes it off the terminal. */
  clear(): void {
    print(this.#back());
    this.#height = 0;
  }

  #back(): string {
    return this.#height === 0 ? '' : `\u001b[${this.#height}A\u001b[J`;
  }

  /** No line is repeated where nothing has changed. */
  #printChanges(rows: Rows): void {
    const lines = rows.map((row) => row.join('  '));
    for (const line of lines) if (!this.#last.has(line)) print(`${line}\n`);
    this.#last = new Set(lines);
  }
}
