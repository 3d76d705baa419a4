/** Global set-up of vitest: what tests that start the service share, made before the first of them. */
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { startBoss } from '../src/jobs/queue.ts';
import { migrate } from '../src/store/database/migrate.ts';
import { startEmbeddedServer } from '../src/store/embedded/embedded-server.ts';
import { buildProgram } from './program.ts';
import { SEED_PREFIX, seedDirectory } from './seed.ts';
import { temporaryDirectory } from './temporary.ts';

const HOUR_MS = 3_600_000;

export default async function prepareRun(): Promise<void> {
  await Promise.all([buildProgram(), buildSeed()]);
}

/** Two runs may make it at once: the one that is done first has its place. */
async function buildSeed(): Promise<void> {
  const directory = seedDirectory();
  if (existsSync(directory)) return;
  removeOldSeeds();
  const half = mkdtempSync(`${directory}.`);
  const server = await startEmbeddedServer(half);
  await migrate(server.address);
  await (await startBoss(server.address, () => undefined)).stop({ graceful: false });
  await server.close();
  try {
    renameSync(half, directory);
  } catch (error) {
    if (!existsSync(directory)) throw error;
    rmSync(half, { recursive: true });
  }
}

/** Of sources that have changed since; they lie in memory. */
function removeOldSeeds(): void {
  for (const name of readdirSync(temporaryDirectory())) {
    const path = join(temporaryDirectory(), name);
    if (name.startsWith(SEED_PREFIX) && Date.now() - statSync(path).mtimeMs > HOUR_MS)
      rmSync(path, { recursive: true, force: true });
  }
}
