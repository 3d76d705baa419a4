/** Runs `prefixcast doctor` as somebody does on the machine of the service. */
import { spawn } from 'node:child_process';
import type { Finding } from '../../src/doctor/finding.ts';
import { testProgram } from '../program.ts';

export interface Examined {
  readonly code: number;
  readonly findings: readonly Finding[];
}

/** @param env of the service, beside what every process has */
export function examine(
  env: Readonly<Record<string, string>>,
  wrapper: readonly string[] = [],
): Promise<Examined> {
  const [program, ...words] = [...wrapper, process.execPath, testProgram(), 'doctor', '--json'] as string[];
  const child = spawn(program!, words, {
    env: { PATH: process.env.PATH, HOME: '/nonexistent', ...env },
  });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (part: string) => (out += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (err += part));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      out.startsWith('[')
        ? resolve({ code: code!, findings: JSON.parse(out) as Finding[] })
        : reject(new Error(out + err)),
    );
  });
}
