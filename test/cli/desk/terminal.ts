/** Types commands at a terminal of their own (util-linux `script`), and answers the question that they ask. */
import { spawn } from 'node:child_process';
import { shellWord } from '../../../src/cli/render/shell-word.ts';
import { testProgram } from '../../program.ts';

export interface Screen {
  readonly code: number;
  /** Both outputs, as the terminal shows them. */
  readonly text: string;
}

/** @returns types words, and `answer` once the question, or the end of it, stands on the screen */
export function terminal(
  env: Record<string, string>,
  question = '(y/N)',
): (answer: string, ...words: string[]) => Promise<Screen> {
  return (answer, ...words) =>
    new Promise((resolve, reject) => {
      const line = [process.execPath, testProgram(), ...words].map(shellWord).join(' ');
      const child = spawn('script', ['-qefc', line, '/dev/null'], {
        env: { PATH: process.env.PATH, HOME: '/nonexistent', TERM: 'dumb', SHELL: '/bin/sh', ...env },
      });
      let text = '';
      let isAnswered = false;
      child.stdout.setEncoding('utf8').on('data', (part: string) => {
        text += part;
        if (isAnswered || !text.includes(question)) return;
        isAnswered = true;
        child.stdin.write(`${answer}\n`);
      });
      child.once('error', reject);
      child.once('close', (code) => resolve({ code: code!, text }));
    });
}
