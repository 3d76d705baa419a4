/** Types commands that one process runs, one after the other: for what they print. How a process starts and ends, `typist` shows. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Typed } from './typing.ts';

export interface QuickTypist {
  type(words: readonly string[]): Promise<Typed>;
  close(): Promise<void>;
}

export function quickTypist(env: Record<string, string>): QuickTypist {
  const directory = mkdtempSync(join(tmpdir(), 'prefixcast-typed-'));
  const [outPath, errorPath] = [join(directory, 'out'), join(directory, 'error')];
  const files = [openSync(outPath, 'w'), openSync(errorPath, 'w')];
  const child = fork(join(import.meta.dirname, 'commands-process.ts'), [], {
    stdio: ['ignore', ...files, 'ipc'],
    env: { PATH: process.env.PATH, HOME: '/nonexistent', APP_DATA_DIR: '/nonexistent', ...env },
    execArgv: [],
  });
  for (const file of files) closeSync(file);
  const ended = once(child, 'exit');
  const read: Record<string, number> = { [outPath]: 0, [errorPath]: 0 };
  const news = (path: string): string => {
    const bytes = readFileSync(path).subarray(read[path]);
    read[path]! += bytes.length;
    return bytes.toString();
  };
  return {
    async type(words) {
      child.send(words);
      const [code] = (await Promise.race([
        once(child, 'message'),
        ended.then(() => {
          throw new Error(`The process of the commands ended at ${words.join(' ')}: ${news(errorPath)}`);
        }),
      ])) as [number];
      return { code, out: news(outPath), err: news(errorPath) };
    },
    async close() {
      child.disconnect();
      await ended;
      rmSync(directory, { recursive: true });
    },
  };
}
