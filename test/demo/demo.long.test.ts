/** Whoever ends the demo ends all that it has started. */
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { afterEach, expect, test } from 'vitest';
import { stopProcess } from '../../demo/program.ts';
import { programPath, requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';

const DEMO = join(import.meta.dirname, '../../demo/demo.ts');

let demo: ChildProcess | undefined;
afterEach(() => (demo === undefined ? undefined : stopProcess(demo, 'SIGKILL')));

/** Starts it, and waits until it has said that. @returns all that it has said by then */
async function startDemo(words: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const child = spawn(process.execPath, [DEMO, '--keep'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  demo = child;
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await waitFor(() => Promise.resolve(said.includes(words)), {
    what: `the demo to say: ${words}`,
    details: () => said,
  });
  return said;
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

/** The one that runs the service, of those that the demo has started. */
function serviceOf(pid: number): number {
  return descendants(pid).find((one) =>
    readFileSync(`/proc/${one}/cmdline`, 'utf8').endsWith('prefixcast.ts\0start\0'),
  )!;
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
  await startDemo(words);
  const started = descendants(demo!.pid!);
  // The service, its PostgreSQL, and a router.
  expect(started.length).toBeGreaterThan(2);
  await stopProcess(demo!, signal);
  await waitFor(() => Promise.resolve(started.filter(isAlive).length === 0), { what: 'all of them to end' });
});

test.skipIf(process.platform !== 'linux')(
  'it says that its service was killed, and leaves nothing behind then either',
  async () => {
    let said = await startDemo('The service stays up until you press Ctrl-C.');
    demo!.stdout!.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const started = descendants(demo!.pid!);
    process.kill(serviceOf(demo!.pid!), 'SIGKILL');
    await waitFor(() => Promise.resolve(demo!.exitCode !== null), { what: 'the demo to end' });
    expect(demo!.exitCode).toBe(1);
    expect(said).toContain('The service has ended by SIGKILL, and so does the demo.');
    await waitFor(() => Promise.resolve(started.filter(isAlive).length === 0), {
      what: 'all of them to end',
    });
  },
);

test('the service takes APP_PORT where it is set, and nothing that listens there for itself', async () => {
  const other = createServer((_, response) => response.end('{}'));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as AddressInfo;
  const env = { APP_PORT: String(port) };
  await startDemo(`APP_PORT is ${port}, and something else listens there on 127.0.0.1.`, env);
  await stopProcess(demo!, 'SIGTERM');
  await new Promise((resolve) => other.close(resolve));
  await startDemo(`Service ready at http://127.0.0.1:${port} `, env);
  await stopProcess(demo!, 'SIGTERM');
});

test.skipIf(requireDaemon('chromium-headless-shell') === null)(
  'it prints the address of the console, and a link that signs in once',
  async () => {
    const said = await startDemo('The service stays up until you press Ctrl-C.');
    const [, link] = /^ *console {2}(http:\S+) {2}\(this link signs in once/m.exec(said)!;
    const browser = await chromium.launch({
      executablePath: programPath('chromium-headless-shell'),
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
    });
    try {
      const page = await browser.newPage();
      await page.goto(link!);
      await page.getByRole('button', { name: 'Sign in' }).press('Enter');
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
      await page.getByText('All is announced as it should be').waitFor();
      // Nobody else gets in by it.
      const other = await (await browser.newContext()).newPage();
      await other.goto(link!);
      await other.getByRole('button', { name: 'Sign in' }).press('Enter');
      await other.locator('.field-error').waitFor();
    } finally {
      await browser.close();
      // Killed, it would leave its service and its router behind.
      await stopProcess(demo!, 'SIGTERM');
    }
  },
);
