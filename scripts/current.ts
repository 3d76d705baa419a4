/**
 * `node scripts/current.ts [DIST]`: prints which file starts this program sooner: the published command where it was built from these very
 * sources, and the source else. `npm start` runs it.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const SOURCE = join(ROOT, 'src/prefixcast.ts');
const STAMP = 'built-from';

/** Where a build writes {@link sourceHash}, and what that was before it began. */
export function stampOf(dist: string): { readonly path: string; readonly text: string } {
  return { path: join(dist, STAMP), text: `${sourceHash()}\n` };
}

/** Of all that a build of the service depends on: sources, the versions of packages, and how they are bundled. */
function sourceHash(): string {
  return hashOf(
    ['src', 'client/src'],
    ['package.json', 'package-lock.json', 'scripts/bundle-service.ts', 'scripts/bundle-commands.ts'],
  );
}

/** SHA-256 of these files, and of all files below these folders; paths are relative to the root of the project. */
export function hashOf(folders: readonly string[], others: readonly string[]): string {
  const files = folders
    .flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const hash = createHash('sha256');
  for (const path of [...files.sort(), ...others.map((name) => join(ROOT, name))]) {
    const bytes = readFileSync(path);
    hash.update(`${path.slice(ROOT.length)} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest('hex');
}

function currentCommand(dist: string): string {
  const command = join(dist, 'prefixcast.cjs');
  const { path, text } = stampOf(dist);
  return existsSync(command) && existsSync(path) && readFileSync(path, 'utf8') === text ? command : SOURCE;
}

if (import.meta.main) console.log(currentCommand(resolve(process.argv[2] ?? join(ROOT, 'dist'))));
