import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DirectoryLock } from '../../../src/speakers/bird/directory-lock.ts';

describe('the lock of a directory', () => {
  let directory: string;
  const children: ChildProcess[] = [];
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'prefixcast-lock-'));
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  });

  /** A process that tries to take the lock, and then lives on. @returns what it was answered */
  async function another(): Promise<{ child: ChildProcess; answer: string }> {
    const file = fileURLToPath(new URL('../../../src/speakers/bird/directory-lock.ts', import.meta.url));
    const code = `import { DirectoryLock } from ${JSON.stringify(file)};
      console.log(await new DirectoryLock(${JSON.stringify(directory)}).claim());
      setInterval(() => undefined, 1_000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    const [answer] = (await once(child.stdout, 'data')) as [Buffer];
    return { child, answer: answer.toString().trim() };
  }

  it('is one process’s, which says who has it, until that lets go', async () => {
    const lock = new DirectoryLock(directory);
    expect(await lock.claim()).toBeNull();
    expect(await lock.claim()).toBeNull();
    expect(await new DirectoryLock(directory).claim()).toBeNull();
    expect((await another()).answer).toMatch(
      new RegExp(`is driven by the process ${process.pid} on .*, since \\d{4}-`),
    );
    await lock.release();
    expect((await another()).answer).toBe('null');
    expect(await lock.claim()).toMatch(/is driven by the process \d+/);
  });

  it('is free again when its process was killed, also when another has its pid by now', async () => {
    const { child, answer } = await another();
    expect(answer).toBe('null');
    const lock = new DirectoryLock(directory);
    expect(await lock.claim()).toMatch(`the process ${child.pid}`);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await lock.claim()).toBeNull();
    await lock.release();
    const living = await another();
    const path = join(directory, 'prefixcast.lock');
    const owner = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    writeFileSync(path, JSON.stringify({ ...owner, started: '1' }));
    expect(living.answer).toBe('null');
    expect(await lock.claim()).toBeNull();
  });

  it('is one’s when many want it at once, with a dead one in the way', async () => {
    writeFileSync(join(directory, 'prefixcast.lock'), 'no lock at all');
    const answers = await Promise.all(Array.from({ length: 6 }, another));
    expect(answers.filter(({ answer }) => answer === 'null').length).toBe(1);
    expect(readdirSync(directory)).toEqual(['prefixcast.lock']);
  });
});
