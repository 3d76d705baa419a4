/** Types commands of the published program, as a person or a script would. */
import { execFile } from 'node:child_process';
import { testProgram } from '../../program.ts';

export interface Typed {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Without anything of the environment but what commands need. */
export function typist(env: Record<string, string>, input = ''): (...words: string[]) => Promise<Typed> {
  return (...words) =>
    new Promise((resolve) => {
      // A service that root runs on this machine has a key that would be found.
      const nowhere = { HOME: '/nonexistent', APP_DATA_DIR: '/nonexistent' };
      const options = { env: { PATH: process.env.PATH, ...nowhere, ...env }, maxBuffer: 1e8 };
      const child = execFile(process.execPath, [testProgram(), ...words], options, (error, out, err) => {
        resolve({ code: error === null ? 0 : Number(error.code), out, err });
      });
      // A command that reads nothing may have ended before.
      child.stdin?.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EPIPE') throw error;
      });
      child.stdin?.end(input);
    });
}

/** What differs from run to run, as a word of the same length where a table depends on it. */
export function normalised(text: string): string {
  return (
    text
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => 'ID'.padEnd(id.length, '.'))
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (time) => 'TIME'.padEnd(time.length, '.'))
      .replaceAll(/\b[0-9a-f]{64}\b/g, (hash) => 'HASH'.padEnd(hash.length, '.'))
      // Of keys that sign bundles: names, and themselves, of which one in 32 begins with a sign and not at the boundary of a word.
      .replaceAll(/\b[0-9a-f]{16}\b/g, (key) => 'SIGNER'.padEnd(key.length, '.'))
      .replaceAll(/(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{43}=/g, (key) => 'PUBLIC'.padEnd(key.length, '.'))
      .replaceAll(/[A-Za-z0-9+/]{86}==/g, (signature) => 'SIGNATURE'.padEnd(signature.length, '.'))
      .replaceAll(/(BEGIN PUBLIC KEY-----\\?n?\s*)[A-Za-z0-9+/=]+/g, '$1PUBLIC')
      .replaceAll(/(milliseconds[": ]+)\d+/g, '$1N')
      .replaceAll(/(bytes_(?:before|after)[": ]+)\d+/g, '$1SIZE')
      .replaceAll(/(app-all\.log[",\s]*(?:"?size"?:\s*)?)\d+/g, '$1SIZE')
      .replaceAll(/pc_[a-z]_[A-Za-z0-9_]+/g, (key) => 'KEY'.padEnd(key.length, '.'))
      .replaceAll(/127\.0\.0\.1:\d{4,5}/g, '127.0.0.1:PORT')
      .replaceAll(/(router_id[": ]+)\d+\.\d+\.\d+\.\d+/g, '$1ADDRESS')
  );
}
