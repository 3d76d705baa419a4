/**
 * The commands of a page that are marked as tested: blocks of the language `sh test`. A block `output` right behind one is what it prints;
 * `…` in it stands for anything within a line, and a line of `…` alone for any lines.
 */
import { execFile } from 'node:child_process';
import { PATIENCE_MS } from '../daemons/wait.ts';

export interface DocumentedCommand {
  /** Of the block's first line. */
  readonly line: number;
  readonly script: string;
  readonly promised: string | null;
}

export function documentedCommands(page: string): DocumentedCommand[] {
  return [...page.matchAll(/^```sh test\n([^]*?)^```\n(?:\n```output\n([^]*?)^```\n)?/gm)].map((found) => ({
    line: page.slice(0, found.index).split('\n').length + 1,
    script: found[1]!,
    promised: found[2] ?? null,
  }));
}

export function matcherOf(promised: string): RegExp {
  const lines = promised
    .split('\n')
    .map((line) => (line === '…' ? '(?:.*\n)*?.*' : line.split('…').map(literally).join('.*')));
  return new RegExp(`^${lines.join('\n')}$`);
}

/** Runs the blocks of a page in one shell, as a reader would, and answers what each printed; rejects where one fails. */
export async function runInOneShell(
  scripts: readonly string[],
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<string[]> {
  const boundary = '----- next block -----';
  const text = scripts.map((script) => `${script}\necho '${boundary}'`).join('\n');
  const output = await new Promise<string>((resolve, reject) => {
    execFile(
      'bash',
      ['--norc', '-euo', 'pipefail', '-c', text],
      { cwd, env, timeout: PATIENCE_MS },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(`${error.message}\nprinted:\n${stdout}\nerrors:\n${stderr}`));
      },
    );
  });
  // A terminal shows no carriage returns, which CSV has.
  return output.replaceAll('\r', '').split(`${boundary}\n`).slice(0, -1);
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
