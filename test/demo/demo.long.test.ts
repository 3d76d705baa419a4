/** Whoever ends the demo ends all that it has started. */
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { stopProcess } from '../../demo/program.ts';
import { waitFor } from '../daemons/wait.ts';

const DEMO = join(import.meta.dirname, '../../demo/demo.ts');

let demo: ChildProcess | undefined;
afterEach(() => (demo === undefined ? undefined : stopProcess(demo, 'SIGKILL')));

/** Starts it, and waits until it has said that. */
async function startDemo(words: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [DEMO, '--keep'], { stdio: ['ignore', 'pipe', 'pipe'] });
  demo = child;
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await waitFor(() => Promise.resolve(said.includes(words)), {
    ...{ what: `the demo to say: ${words}`, timeoutMs: 120_000 },
    details: () => said,
  });
  return child;
}

/** Processes that the process has started, and those that these have. PostgreSQL leads a session of its own, and stays a child. */
function descendants(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean)
      .map(Number),
  );
  return children.flatMap((child) => [child, ...descendants(child)]);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test.skipIf(process.platform !== 'linux').each([
  ['SIGTERM', 'The service stays up until you press Ctrl-C.'],
  ['SIGHUP', 'Create communities and modules'],
] as const)('%s leaves nothing behind once it has said: %s', async (signal, words) => {
  const { pid } = await startDemo(words);
  const started = descendants(pid!);
  // The service, its PostgreSQL, and a router.
  expect(started.length).toBeGreaterThan(2);
  await stopProcess(demo!, signal);
  await waitFor(() => Promise.resolve(started.filter(isAlive).length === 0), { what: 'all of them to end' });
});
