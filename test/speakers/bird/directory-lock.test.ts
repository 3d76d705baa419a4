import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DirectoryLock } from '../../../src/speakers/bird/directory-lock.ts';
import { startClaimant, type Claimant } from '../claimant.ts';

describe('the lock of a directory', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'prefixcast-lock-'));
  });
  afterEach(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  const another = (): Promise<Claimant> => startClaimant('DirectoryLock', directory);

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
