/** A terminal of 80 columns as a person has it: a pane of tmux with a shell, that is typed into and looked at. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testProgram } from '../../program.ts';
import { waitFor } from '../../daemons/wait.ts';

export const COLUMNS = 80;

export interface Pane {
  /** Types a line and Enter. */
  type(line: string): void;
  /** Presses a key, such as `C-c`. */
  press(key: string): void;
  /** What stands there, lines that the terminal has wrapped as one. */
  readonly text: () => string;
  /** With the escape sequences of its colours. */
  colours(): string;
  /** Waits until the screen has this, and answers with the whole of it. */
  shows(wanted: RegExp): Promise<string>;
  clear(): Promise<void>;
  close(): void;
}

/** @param tmux the program */
export function openPane(tmux: string, env: Readonly<Record<string, string>>): Pane {
  const directory = mkdtempSync(join(tmpdir(), 'prefixcast-pane-'));
  const command = join(directory, 'prefixcast');
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${testProgram()}' "$@"\n`, { mode: 0o755 });
  const variables = {
    ...env,
    PATH: `${directory}:${process.env.PATH}`,
    HOME: directory,
    PS1: '$ ',
    TERM: 'screen-256color',
  };
  const run = (...words: string[]): string =>
    execFileSync(tmux, ['-S', join(directory, 'socket'), '-f', '/dev/null', ...words], {
      env: { PATH: process.env.PATH, HOME: directory, LANG: 'C.UTF-8', SHELL: '/bin/sh' },
      encoding: 'utf8',
    });
  const words = Object.entries(variables).map(([name, value]) => `${name}=${value ?? ''}`);
  run('new-session', '-d', '-x', String(COLUMNS), '-y', '24', 'env', '-i', ...words, '/bin/sh');
  const text = (): string => run('capture-pane', '-p', '-J').trimEnd();
  const pane: Pane = {
    type: (line) => {
      run('send-keys', '-l', line);
      run('send-keys', 'Enter');
    },
    press: (key) => run('send-keys', key),
    text,
    colours: () => run('capture-pane', '-p', '-e'),
    shows: async (wanted) => {
      await waitFor(() => wanted.test(text()), {
        what: `the screen to show ${String(wanted)}`,
        details: text,
      });
      return text();
    },
    async clear() {
      run('send-keys', '-l', 'clear');
      run('send-keys', 'Enter');
      await waitFor(() => text() === '$', { what: 'an empty screen', details: text });
    },
    close() {
      run('kill-server');
      rmSync(directory, { recursive: true, force: true });
    },
  };
  return pane;
}
