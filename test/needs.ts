/** What a test file needs beside this process, found from what it and the files of `test/` that it imports bring in. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * `nothing`: pure computation, perhaps with threads and sockets; `database`: PostgreSQL; `processes`: daemons, the service itself, or a process of
 * the file's own.
 */
export type Need = 'nothing' | 'database' | 'processes';

const TEST = import.meta.dirname;
const IMPORT = /(?:from|import)\s*\(?'(\.{1,2}\/[^']+\.ts)'/g;
/**
 * Starting a program, or counting threads of this process, where those that another file has left idle would be taken. `test/daemons` has ports
 * and waits too, which start none.
 */
const OWN_PROCESS = /from 'node:child_process'|startEmbeddedServer|process\.on\('worker'/;
const CREATES = 'createTestDatabase';

/** Every test file by what it needs; paths as vitest wants them. */
export function testsByNeed(): Record<Need, string[]> {
  const files = readdirSync(TEST, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .sort();
  const sorted: Record<Need, string[]> = { nothing: [], database: [], processes: [] };
  for (const name of files) sorted[needOf(join(TEST, name))].push(`test/${name}`);
  return sorted;
}

function needOf(file: string): Need {
  // How a database is made starts its server, which the files that ask for one share. This file has the words that it looks for.
  const apart = [join(TEST, 'database.ts'), import.meta.filename];
  const texts = [...withImports(file)]
    .filter((path) => !apart.includes(path))
    .map((path) => readFileSync(path, 'utf8'));
  if (texts.some((text) => OWN_PROCESS.test(text))) return 'processes';
  return texts.some((text) => text.includes(CREATES)) ? 'database' : 'nothing';
}

/** The file, and those of `test/` and `demo/` that it imports, by whatever way. */
function withImports(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, path] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
    const target = join(dirname(file), path!);
    if (!target.includes('/src/') && existsSync(target)) withImports(target, found);
  }
  return found;
}
