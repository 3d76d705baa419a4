/** What `scripts/build-console.ts` made, read into memory when somebody asks for the console first. */
import { readFile, readdir } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { digestOf, type StoredFile } from '../stored-file.ts';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};
const CODINGS = [
  { coding: 'br', suffix: '.br' },
  { coding: 'gzip', suffix: '.gz' },
] as const;

/** By path below `/console/`, such as `assets/overview-B3x9.js`. */
export type ConsoleFiles = ReadonlyMap<string, StoredFile>;

/** The page itself, which every deep link gets. */
export const PAGE = 'index.html';

/** Null: nothing was built there. */
export async function readConsoleFiles(folder: string): Promise<ConsoleFiles | null> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const present = new Set(paths);
  const files = new Map<string, StoredFile>();
  for (const path of paths) {
    const mediaType = MEDIA_TYPES[extname(path)];
    if (mediaType === undefined) continue;
    const bytes = await readFile(path);
    const coded = CODINGS.filter(({ suffix }) => present.has(path + suffix)).map(
      async ({ coding, suffix }) => ({ coding, bytes: await readFile(path + suffix) }),
    );
    const name = relative(folder, path).split(sep).join('/');
    files.set(name, { mediaType, bytes, digest: digestOf(bytes), coded: await Promise.all(coded) });
  }
  return files.has(PAGE) ? files : null;
}
