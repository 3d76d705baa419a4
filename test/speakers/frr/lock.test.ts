import { once } from 'node:events';
import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { FrrLock } from '../../../src/speakers/frr/lock.ts';
import { pauseProcess } from '../../daemons/process.ts';
import { startClaimant, type Claimant } from '../claimant.ts';

describe('the lock of an FRR', () => {
  let home: string;
  let directory: string;
  const locks: FrrLock[] = [];
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'prefixcast-lock-'));
    directory = join(home, 'frr');
    mkdirSync(directory);
  });
  afterEach(async () => {
    for (const lock of locks.splice(0)) await lock.release();
    rmSync(home, { recursive: true, force: true });
  });

  function lockOf(path: string): FrrLock {
    const lock = new FrrLock(path);
    locks.push(lock);
    return lock;
  }

  const another = (path = directory): Promise<Claimant> => startClaimant('FrrLock', path);

  it('is one process’s, by whatever path, which says who has it, until that lets go', async () => {
    const lock = lockOf(directory);
    expect(await lock.claim()).toBeNull();
    expect(await lock.claim()).toBeNull();
    expect(await lockOf(directory).claim()).toBeNull();
    const link = join(home, 'link');
    symlinkSync(directory, link);
    const driven = new RegExp(
      `^FRR with its sockets in ${link} is driven by the process ${process.pid} on .*, since \\d{4}-`,
    );
    expect((await another(link)).answer).toMatch(driven);
    await lock.release();
    expect((await another()).answer).toBe('null');
    expect(await lock.claim()).toMatch(/is driven by the process \d+ on .*: give each service an FRR/);
  });

  it('is free again as soon as its process was killed, and not while it hangs', async () => {
    const { child, answer } = await another();
    expect(answer).toBe('null');
    const lock = lockOf(directory);
    expect(await lock.claim()).toMatch(`the process ${child.pid}`);
    pauseProcess(child.pid!);
    expect(await lock.claim()).toMatch('driven by another process, which does not say who it is');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await lock.claim()).toBeNull();
    expect((await another()).answer).toMatch(`the process ${process.pid}`);
  });

  it('is free for who asks just when its process is killed', async () => {
    const { child } = await another();
    pauseProcess(child.pid!); // so that the question waits, as it does while a process ends
    const claim = lockOf(directory).claim();
    await setTimeout(100); // until the question waits
    child.kill('SIGKILL');
    expect(await claim).toBeNull();
  });

  it('is not waited for when whoever has its name hangs up on all who ask', async () => {
    const { dev, ino } = statSync(directory);
    const server = createServer((socket) => socket.destroy()).listen({
      path: `\0prefixcast-frr-${dev}-${ino}`,
    });
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    expect(await lockOf(directory).claim()).toMatch('is driven by other processes, one after the other: ');
  });

  it('is one’s when many want it at once', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => another()));
    expect(answers.filter(({ answer }) => answer === 'null').length).toBe(1);
    const lock = lockOf(directory);
    const own = await Promise.all(Array.from({ length: 6 }, () => lock.claim()));
    expect(new Set(own.map((reason) => /process (\d+) on/.exec(reason ?? '')?.[1])).size).toBe(1);
  });

  it('is of the directory that is there now, and of none where there is no FRR', async () => {
    const lock = lockOf(directory);
    expect(await lock.claim()).toBeNull();
    const next = join(home, 'next');
    mkdirSync(next);
    renameSync(next, directory);
    expect((await another()).answer).toBe('null');
    expect(await lock.claim()).toMatch(/is driven by the process \d+/);
    expect(await lockOf(join(home, 'nowhere')).claim()).toBeNull();
  });
});
