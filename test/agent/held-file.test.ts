/** One process at a time works in a data directory, and nothing but a living one keeps another out. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DataDirectory } from '../../src/agent/data-directory.ts';
import { holdFile } from '../../src/agent/held-file.ts';
import { unavailable } from '../daemons/programs.ts';

const holder = fileURLToPath(new URL('hold-directory.ts', import.meta.url));

let parent: string;
let path: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'prefixcast-held-'));
  path = join(parent, 'state');
});
afterEach(async () => {
  for (const child of children.splice(0)) await end(child);
  rmSync(parent, { recursive: true, force: true });
});

/** Starts a process that claims the directory and stays. @returns what it says of that */
async function start(
  directory: string,
  wrapper: readonly string[] = [],
): Promise<{ child: ChildProcess; said: string }> {
  const [program = '', ...args] = [...wrapper, process.execPath, holder, directory];
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, said: line.toString().trim() };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

test('a second process is refused, and reads who works there', async () => {
  const { child, said } = await start(path);
  expect(said).toBe('holds');
  const second = await start(path);
  expect(second.said).toBe(
    `directory_in_use: An agent works in ${path} already (process ${child.pid}). ` +
      'Stop that one, or set APP_AGENT_DATA_DIR to another directory.',
  );
  expect(statSync(join(path, 'lock')).mode & 0o777).toBe(0o600);
});

test('a process that is killed keeps nobody out, whoever has its number afterwards', async () => {
  const { child } = await start(path);
  await end(child);
  // What it wrote names a process that lives.
  writeFileSync(join(path, 'status.json'), JSON.stringify({ pid: process.pid }));
  for (let n = 0; n < 3; n++) {
    const next = await start(path);
    expect(next.said).toBe('holds');
    await end(next.child);
  }
});

test('a copy of the directory of one that runs is nobody’s', async () => {
  await start(path);
  const copy = join(parent, 'copy');
  cpSync(path, copy, { recursive: true });
  expect((await start(copy)).said).toBe('holds');
  expect((await start(path)).said).toMatch(/^directory_in_use/);
});

const CONTAINER = ['unshare', '--pid', '--net', '--uts', '--mount-proc', '--fork', '--kill-child'];
const lacks = requireNamespaces() === null;

function requireNamespaces(): true | null {
  try {
    execFileSync('unshare', [...CONTAINER.slice(1), 'true'], { stdio: 'pipe' });
    return true;
  } catch (error) {
    return unavailable('namespaces of a test', `"unshare --pid" fails here (${(error as Error).message})`);
  }
}

test.skipIf(lacks)(
  'containers that share a directory see each other, and a restarted one is let in',
  async () => {
    const { child } = await start(path, CONTAINER);
    // Both are the first process of theirs, on hosts of any name.
    const second = await start(path, CONTAINER);
    expect(second.said).toContain(
      `already (a process that cannot be seen from here, as one of another container)`,
    );
    await end(child);
    expect((await start(path, CONTAINER)).said).toBe('holds');
  },
);

test('several that start at once: one of them works', async () => {
  const all = await Promise.all(Array.from({ length: 4 }, () => start(path)));
  expect(all.filter(({ said }) => said === 'holds')).toHaveLength(1);
});

test('one that ends in order leaves an empty file, and who cannot lock it goes on', async () => {
  const directory = new DataDirectory(path);
  await directory.open();
  const claim = await directory.claim('An agent', (error) => expect.unreachable(String(error)));
  expect(await holdFile(join(path, 'lock'))).toBeNull();
  claim.release();
  expect(statSync(join(path, 'lock')).size).toBe(0);
  const missing = new DataDirectory(join(parent, 'none'));
  const faults: unknown[] = [];
  (await missing.claim('An agent', (error) => faults.push(error))).release();
  expect(faults).toEqual([expect.objectContaining({ code: 'ENOENT' })]);
});
