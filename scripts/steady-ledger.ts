/**
 * The ledger of `scripts/steady.ts`: which test file passed how many rounds, at which commit. All files together take days on two cores, and some files
 * hours, so a run goes on after the last round of the one before. A row holds for the text of its file: one that has changed since is tried again.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
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

  /** The rounds that the file, as it is now, has passed without a failure; 0 where one failed. */
  passed(file: string): number {
    const row = this.rows().find((other) => other.file === file);
    if (row === undefined || row.passed < row.rounds) return 0;
    return row.text === this.#textOf(file) ? row.rounds : 0;
  }

  /** Replaces what was known of the file. Several runs may share a ledger, so it is read again before each row, and no run ever reads half of it. */
  note(file: string, passed: number, rounds: number, commit: string): void {
    const row = { file, passed, rounds, commit, text: this.#textOf(file) };
    const rows = [...this.rows().filter((other) => other.file !== file), row].toSorted((a, b) =>
      a.file < b.file ? -1 : 1,
    );
    const lines = rows.map((each) =>
      [each.file, each.passed, each.rounds, each.commit, each.text].join('\t'),
    );
    const half = `${this.#path}.${process.pid}`;
    writeFileSync(half, `${[HEADER, ...lines].join('\n')}\n`);
    renameSync(half, this.#path);
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
