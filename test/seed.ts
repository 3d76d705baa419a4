/**
 * Data of an embedded server with the schema and the queues of the service, made once for these very sources (`prepare-run.ts`). A service that a test
 * starts for something else than its first start begins with a copy: making these takes most of the processor time of such a start.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sourcesStamp } from './program.ts';
import { temporaryDirectory } from './temporary.ts';

const run = promisify(execFile);

export const SEED_PREFIX = `prefixcast-seed-${process.getuid?.() ?? 0}-`;

export function seedDirectory(): string {
  return join(temporaryDirectory(), SEED_PREFIX + sourcesStamp());
}

/** Puts a copy where the embedded server of this data directory looks for its data; nothing where it has some, or no seed was made. */
export function seedData(dataDir: string): Promise<void> {
  return copyData(seedDirectory(), dataDir);
}

/** Copies the data of an embedded server that does not run, as {@link seedData} does. */
export async function copyData(from: string, dataDir: string): Promise<void> {
  const source = join(from, 'postgres');
  const target = join(dataDir, 'postgres');
  if (!existsSync(source) || existsSync(target)) return;
  // As the service makes them: the server's user has to come through.
  mkdirSync(dataDir, { recursive: true, mode: 0o711 });
  mkdirSync(target, { mode: 0o700 });
  try {
    // Programs are linked, as the service links them itself where it can.
    for (const name of readdirSync(source)) {
      if (name !== 'data' && !name.startsWith('program-')) continue;
      await run('cp', [name === 'data' ? '-a' : '-al', join(source, name), join(target, name)]);
    }
  } catch {
    // Another system's `cp`, or a seed that was removed meanwhile: the service makes its own.
    rmSync(target, { recursive: true, force: true });
  }
}
