import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentFault } from '../agent/agent-fault.ts';

/**
 * Writes the whole script before it is run: a script that nft read from this process would be cut off if the process is killed, and the
 * kernel would apply half of it. A full disk must not prevent restoring what was in force: then the script is written to memory.
 * @param path where users who want to inspect it find the script
 * @throws {AgentFault} `state_unwritable`, and what `run` throws
 */
export async function withScriptFile(
  path: string,
  pieces: () => Iterable<string>,
  run: (file: string) => Promise<void>,
): Promise<void> {
  const cause = await faultOf(writeScript(path, pieces()));
  if (cause === null) return run(path);
  // In systemd's runtime directory; for root; for every user.
  const inMemory = [process.env.RUNTIME_DIRECTORY, '/run', '/dev/shm', tmpdir()];
  for (const parent of inMemory) {
    const directory = parent === undefined ? null : await ownDirectory(parent);
    if (directory === null) continue;
    try {
      const file = join(directory, 'transaction.nft');
      if ((await faultOf(writeScript(file, pieces()))) === null) return await run(file);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }
  throw new AgentFault(
    'state_unwritable',
    `${path} cannot be written: ${cause.message}. Make room, or give this user the right to; what is in force stays as it is.`,
    { cause },
  );
}

function writeScript(path: string, pieces: Iterable<string>): Promise<void> {
  return writeFile(path, pieces, { mode: 0o600 });
}

/** A new directory that no other user can access or has created before. */
function ownDirectory(parent: string): Promise<string | null> {
  return mkdtemp(join(parent, 'prefixcast-')).catch(() => null);
}

async function faultOf(work: Promise<void>): Promise<Error | null> {
  return work.then(
    () => null,
    (error: unknown) => error as Error,
  );
}
