// Where Node.js keeps what it has compiled, for the processes of tests, the threads that they start and the programs.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const CACHE = join(import.meta.dirname, '../.cache');
const PREFIX = 'compiled-';

/** One directory a day, and those of other days are removed: vitest loads each test file under a name that no later run asks for. */
export function compiledDirectory(): string {
  const name = PREFIX + new Date().toISOString().slice(0, 10);
  try {
    for (const old of readdirSync(CACHE))
      if (old.startsWith(PREFIX) && old !== name) rmSync(join(CACHE, old), { recursive: true, force: true });
  } catch {
    // There is none yet, or another run removes the same.
  }
  return join(CACHE, name);
}
