/**
 * `node scripts/build-console.ts [--stale]`: builds the console into `dist/console`, compressed beforehand, and refuses a build that is over
 * its budget. With `--stale`, only where it is missing or was made of other sources.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';
import { licencesOf } from './console/bundled-licences.ts';
import { measure, overBudget } from './console/console-budget.ts';
import { hashOf } from './current.ts';
import { replaceDirectory } from './console/replace-directory.ts';

const ROOT = join(import.meta.dirname, '..');
const CONSOLE = join(ROOT, 'console');
const BUILT = join(ROOT, 'dist/console');
const STAMP = 'built-from';
/** Below this, a coding saves less than its headers cost. */
const SMALLEST_COMPRESSED = 512;

function sources(): string {
  return hashOf(
    ['console', 'client/src', 'src/api'],
    [
      'package-lock.json',
      'scripts/build-console.ts',
      'scripts/console/console-budget.ts',
      'scripts/console/bundled-licences.ts',
      'scripts/console/replace-directory.ts',
    ],
  );
}

function isCurrent(hash: string): boolean {
  const stamp = join(BUILT, STAMP);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === hash;
}

async function buildConsole(hash: string): Promise<void> {
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  // Beside the old one until it is whole: a service that runs goes on to serve that.
  const half = mkdtempSync(join(ROOT, '.cache/console-half-'));
  try {
    const { output } = (await build({
      root: CONSOLE,
      logLevel: 'warn',
      build: { outDir: half, emptyOutDir: true },
    })) as Rolldown.RolldownOutput;
    const sizes = measure(output);
    const faults = overBudget(sizes);
    if (faults.length > 0) throw new Error(`The console is over its budget:\n${faults.join('\n')}`);
    const firstLoad = sizes.find(({ name }) => name === 'first load')!;
    for (const file of output) compress(join(half, file.fileName));
    writeFileSync(join(half, 'licences.txt'), licencesOf(output));
    writeFileSync(join(half, STAMP), hash);
    mkdirSync(dirname(BUILT), { recursive: true });
    replaceDirectory(half, BUILT);
    console.log(
      `console: ${kilobytes(firstLoad.script)} kB of script and ${kilobytes(firstLoad.style)} kB of CSS at first, compressed`,
    );
  } finally {
    rmSync(half, { recursive: true, force: true });
  }
}

function compress(path: string): void {
  const bytes = readFileSync(path);
  if (bytes.length < SMALLEST_COMPRESSED) return;
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
  writeFileSync(
    `${path}.br`,
    brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
  );
}

function kilobytes(bytes: number): string {
  return (bytes / 1_000).toFixed(0);
}

// React is another one where a test runner, which may start this, has set something else.
process.env.NODE_ENV = 'production';
const hash = sources();
if (!process.argv.includes('--stale') || !isCurrent(hash)) await buildConsole(hash);
