/** Another process that wants the lock of a daemon, as a second service does. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

const LOCKS = {
  DirectoryLock: 'bird/process/directory-lock.ts',
  FrrLock: 'frr/lock.ts',
} as const;

export interface Claimant {
  readonly child: ChildProcess;
  /** What the claim was answered, as text. */
  readonly answer: string;
}

/** Has a process try to take the lock of the directory, and then live on until the test ends. */
export async function startClaimant(lock: keyof typeof LOCKS, directory: string): Promise<Claimant> {
  const url = new URL(`../../src/speakers/${LOCKS[lock]}`, import.meta.url);
  const code = `import { ${lock} } from ${JSON.stringify(url)};
    console.log(await new ${lock}(${JSON.stringify(directory)}).claim());
    setInterval(() => undefined, 1_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    // The next test may get a directory in the same place on the disk: the lock has to be free by then.
    if (child.kill('SIGKILL')) await once(child, 'exit');
  });
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`the process that wants the lock ended with ${String(code)} before it was answered`);
  });
  const [answer] = (await Promise.race([once(child.stdout, 'data'), failed])) as [Buffer];
  return { child, answer: answer.toString().trim() };
}
