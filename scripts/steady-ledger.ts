/**
 * The ledger of `scripts/steady.ts`: which test file passed how many rounds, at which commit. All files together take days on two cores, so a run
 * goes on where the last one stopped. A row holds for the text of its file: one that has changed since is tried again.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const HEADER = 'file\tpassed\trounds\tcommit\ttext';
/** As many digits of the hash as it takes to distinguish texts of one file. */
const DIGITS = 12;

export interface SteadyRow {
  file: string;
  passed: number;
  rounds: number;
  commit: string;
  /** The beginning of the hash of the file's text. */
  text: string;
}

export class SteadyLedger {
  readonly #path: string;
  readonly #root: string;

  /** `root`: where the paths of files begin. */
  constructor(path: string, root: string) {
    this.#path = path;
    this.#root = root;
  }

  /** Whether the file, as it is now, has passed at least this number of rounds without a failure. */
  has(file: string, rounds: number): boolean {
    const row = this.rows().find((other) => other.file === file);
    if (row === undefined || row.passed < row.rounds) return false;
    return row.rounds >= rounds && row.text === this.#textOf(file);
  }

  /** Replaces what was known of the file. Two runs may share a ledger, so it is read again before each row. */
  note(file: string, passed: number, rounds: number, commit: string): void {
    const row = { file, passed, rounds, commit, text: this.#textOf(file) };
    const rows = [...this.rows().filter((other) => other.file !== file), row].toSorted((a, b) =>
      a.file < b.file ? -1 : 1,
    );
    const lines = rows.map((each) =>
      [each.file, each.passed, each.rounds, each.commit, each.text].join('\t'),
    );
    writeFileSync(this.#path, `${[HEADER, ...lines].join('\n')}\n`);
  }

  rows(): SteadyRow[] {
    if (!existsSync(this.#path)) return [];
    const [, ...lines] = readFileSync(this.#path, 'utf8').trimEnd().split('\n');
    return lines.map((line) => {
      const [file, passed, rounds, commit, text] = line.split('\t') as [
        string,
        string,
        string,
        string,
        string,
      ];
      return { file, passed: Number(passed), rounds: Number(rounds), commit, text };
    });
  }

  #textOf(file: string): string {
    return createHash('sha256')
      .update(readFileSync(join(this.#root, file)))
      .digest('hex')
      .slice(0, DIGITS);
  }
}
