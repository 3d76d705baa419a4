/** What a test file needs beside this process, found from what it and the files of `test/` that it imports bring in. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * `nothing`: pure computation, perhaps with threads and sockets; `database`: PostgreSQL; `processes`: daemons or the service itself; `alone`: a
 * process of the file's own, since it looks at this one's memory or threads.
 */
export type Need = 'nothing' | 'database' | 'processes' | 'alone';

const TEST = import.meta.dirname;
const IMPORT = /(?:from|import)\s*\(?'(\.{1,2}\/[^']+\.ts)'/g;
/**
 * Memory that another file holds would be counted, and threads that it has left idle would be taken; an embedded server counts the processes that
 * use it; a flag of V8 holds for all that follows.
 */
const ALONE =
  /process\.on\('worker'|process\.memoryUsage|setFlagsFromString|startEmbeddedServer|process\.env\.\w+ = /;
/** Starting a program. `test/daemons` has ports and waits too, which start none. */
const STARTS = "from 'node:child_process'";
const CREATES = 'createTestDatabase';

/** Every test file by what it needs; paths as vitest wants them. */
export function testsByNeed(): Record<Need, string[]> {
  const files = readdirSync(TEST, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .sort();
  const sorted: Record<Need, string[]> = { nothing: [], database: [], processes: [], alone: [] };
  for (const name of files) sorted[needOf(join(TEST, name))].push(`test/${name}`);
  return sorted;
}

function needOf(file: string): Need {
  // How a database is made starts its server, which the files that ask for one share. This file has the words that it looks for.
  const apart = [join(TEST, 'database.ts'), import.meta.filename];
  const texts = [...withImports(file)]
    .filter((path) => !apart.includes(path))
    .map((path) => readFileSync(path, 'utf8'));
  if (texts.some((text) => ALONE.test(text))) return 'alone';
  if (texts.some((text) => text.includes(STARTS))) return 'processes';
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
