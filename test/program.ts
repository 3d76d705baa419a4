/**
 * The program that tests start as a process, again and again: bundled as `npm run build` bundles it, since that takes half the processor
 * time of a start from the sources. It is built once for these very sources, before the first test that needs it, in `.cache/`.
 */
import { execFile } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stampOf } from '../scripts/current.ts';

const ROOT = join(import.meta.dirname, '..');
const CACHE = join(ROOT, '.cache');
const DAY_MS = 86_400_000;

function placeOf(directory: string): string {
  return join(directory, 'dist/prefixcast.cjs');
}

/** Names what is made of these very sources. */
export function sourcesStamp(): string {
  return stampOf(CACHE).text.slice(0, 16);
}

function currentDirectory(): string {
  return join(CACHE, `program-${sourcesStamp()}`);
}

/** The bundled program; the source where vitest was not asked to build one. */
export function testProgram(): string {
  const built = placeOf(currentDirectory());
  return existsSync(built) ? built : join(ROOT, 'src/prefixcast.ts');
}

/** Two runs may build it at once: the one that is done first has its place. */
export async function buildProgram(): Promise<void> {
  const directory = currentDirectory();
  if (existsSync(directory)) return linkConsole(directory);
  mkdirSync(CACHE, { recursive: true });
  removeOld();
  const half = mkdtempSync(join(CACHE, 'program-half-'));
  chmodSync(half, 0o755); // agents run as other users
  copyFileSync(join(ROOT, 'package.json'), join(half, 'package.json'));
  for (const script of ['bundle-service.ts', 'bundle-commands.ts'])
    await promisify(execFile)(process.execPath, [join(ROOT, 'scripts', script), join(half, 'dist')]);
  linkConsole(half);
  try {
    renameSync(half, directory);
  } catch (error) {
    if (!existsSync(directory)) throw error;
    rmSync(half, { recursive: true });
  }
}

/** The console is the one that `scripts/setup` has built; where nobody has, the service says so. */
function linkConsole(directory: string): void {
  const link = join(directory, 'dist/console');
  if (lstatSync(link, { throwIfNoEntry: false }) === undefined) symlinkSync(join(ROOT, 'dist/console'), link);
}

/** Of sources that have changed since. */
function removeOld(): void {
  for (const name of readdirSync(CACHE)) {
    const path = join(CACHE, name);
    if (name.startsWith('program-') && Date.now() - statSync(path).mtimeMs > DAY_MS)
      rmSync(path, { recursive: true, force: true });
  }
}
