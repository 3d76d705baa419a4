import { getPriority } from 'node:os';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { forGroup } from '../../src/concurrency/groups.ts';
import { TaskError, ThreadError, ThreadPool } from '../../src/concurrency/thread-pool.ts';
import type { EchoTask } from './echo-worker.ts';

const LIMITS = { threads: 2, memoryMb: 64, idleMs: 60_000 };
const ENTRY = new URL('echo-worker.ts', import.meta.url);
const echoPool = (limits = LIMITS) => new ThreadPool<EchoTask, unknown>(ENTRY, limits);

describe('a pool of threads', () => {
  test('answers each task with its own answer, however many wait', async () => {
    const pool = echoPool();
    const tasks = Array.from({ length: 20 }, (_, i) => pool.run({ say: i }));
    expect(await Promise.all(tasks)).toEqual(Array.from({ length: 20 }, (_, i) => i));
    expect(pool.threads).toBe(2);
  });

  test('hands memory over in both directions', async () => {
    const bytes = Uint8Array.of(1, 2, 3);
    const back = (await echoPool().run({ say: bytes }, { transfer: [bytes.buffer] })) as Uint8Array;
    expect(bytes.length).toBe(0);
    expect([...back]).toEqual([1, 2, 3]);
  });

  test('lets the event loop go first where threads have priorities of their own', async () => {
    const ofProcess = getPriority();
    const expected = process.platform === 'linux' ? Math.max(10, ofProcess) : ofProcess;
    expect(await echoPool().run({ tellPriority: true })).toBe(expected);
    expect(getPriority()).toBe(ofProcess);
  });

  test('reports what a task threw, and its thread goes on', async () => {
    const pool = echoPool({ ...LIMITS, threads: 1 });
    const failed = await pool.run({ fail: 'no such thing' }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(TaskError);
    expect(failed).toMatchObject({ thrown: 'RangeError', message: 'no such thing' });
    expect(await pool.run({ say: 'on' })).toBe('on');
    expect(pool.threads).toBe(1);
  });

  test('ends a task that takes too long, and starts another thread for the next', async () => {
    const pool = echoPool({ ...LIMITS, threads: 1 });
    await expect(pool.run({ loop: true }, { withinMs: 100 })).rejects.toMatchObject({ kind: 'time' });
    expect(await pool.run({ say: 'on' })).toBe('on');
  });

  test('survives a task that fills the memory or leaves', async () => {
    const pool = echoPool({ ...LIMITS, threads: 1, memoryMb: 16 });
    await expect(pool.run({ fill: true })).rejects.toMatchObject({ kind: 'memory' });
    await expect(pool.run({ leave: 3 })).rejects.toThrow(ThreadError);
    expect(await pool.run({ say: 'on' })).toBe('on');
  });

  test('gives a task up when its signal aborts, be it at work or waiting', async () => {
    const pool = echoPool({ ...LIMITS, threads: 1 });
    const [working, waiting] = [new AbortController(), new AbortController()];
    const reported = [working, waiting].map(({ signal }) =>
      pool.run({ loop: true }, { signal }).catch((error: unknown) => error),
    );
    await turn();
    waiting.abort(new Error('cancelled while waiting'));
    working.abort(new Error('cancelled at work'));
    expect((await Promise.all(reported)).map(String)).toEqual([
      'Error: cancelled at work',
      'Error: cancelled while waiting',
    ]);
    await expect(pool.run({ say: 1 }, { signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow(
      'before',
    );
    expect(await pool.run({ say: 'on' })).toBe('on');
  });

  test('lets nobody who asks again and again go before those who wait', async () => {
    const pool = echoPool({ ...LIMITS, threads: 1 });
    const done: string[] = [];
    const again = async (): Promise<void> => {
      for (let i = 0; i < 20; i++) done.push(`again ${String(await pool.run({ say: i }))}`);
    };
    const asking = again();
    const waiting = pool.run({ say: 'waiting' }).then(() => done.push('waiting'));
    await Promise.all([asking, waiting]);
    expect(done.indexOf('waiting')).toBeLessThanOrEqual(1);
  });

  test('has a thread left for another group while one keeps its own busy', async () => {
    const pool = echoPool();
    const over = new AbortController();
    const loud = Array.from({ length: 6 }, () =>
      forGroup('loud', () => pool.run({ loop: true }, { signal: over.signal })).catch(String),
    );
    expect(await forGroup('quiet', () => pool.run({ say: 'through' }))).toBe('through');
    expect(pool.threads).toBe(3);
    over.abort(new Error('over'));
    await Promise.all(loud);
  });

  test('lets those who wait take turns by group', async () => {
    const pool = echoPool({ ...LIMITS, threads: 1 });
    const begun: string[] = [];
    const ask = (group: string): Promise<unknown> => {
      // A task is read when a thread takes it: which of two threads is faster says nothing about whose turn it was.
      const task: EchoTask = {
        get say() {
          return begun.push(group);
        },
      };
      return forGroup(group, () => pool.run(task));
    };
    await Promise.all(['a', 'b', 'a', 'a', 'a', 'a', 'c', 'b'].map(ask));
    expect(begun).toHaveLength(8);
    expect(begun.indexOf('c')).toBeLessThanOrEqual(3);
  });

  test('refuses what no thread can be sent, and nothing else fails of it', async () => {
    const stray: unknown[] = [];
    const note = (reason: unknown): void => void stray.push(reason);
    process.on('unhandledRejection', note);
    try {
      const pool = echoPool({ ...LIMITS, threads: 1 });
      await expect(pool.run({ say: () => 'code' }, { withinMs: 1 })).rejects.toThrow('could not be cloned');
      expect(await pool.run({ say: 'on' })).toBe('on');
      await turn();
      expect(stray).toEqual([]);
    } finally {
      process.off('unhandledRejection', note);
    }
  });

  test('leaves nobody waiting for a thread that cannot be started', async () => {
    const entry = new URL(ENTRY);
    const pool = new ThreadPool<EchoTask, unknown>(entry, { ...LIMITS, threads: 1 });
    const reported = [{ leave: 3 }, { say: 1 }, { say: 2 }].map((task) =>
      pool.run(task).catch((error: unknown) => (error as Error).name),
    );
    // From here on, none can be started.
    entry.href = 'http://localhost/';
    expect(await Promise.all(reported)).toEqual(['ThreadError', 'TypeError', 'TypeError']);
    expect(pool.threads).toBe(0);
  });

  test('gives a thread on when the one whose turn it is has been given up', async () => {
    const pool = echoPool({ ...LIMITS, threads: 1 });
    const given = new AbortController();
    const first = pool.run({ say: 'first' });
    const second = pool.run({ say: 'second' }, { signal: given.signal }).catch(String);
    const third = pool.run({ say: 'third' });
    void first.then(() => given.abort(new Error('given up')));
    expect(await first).toBe('first');
    expect(['second', 'Error: given up']).toContain(await second);
    expect(await third).toBe('third');
  });
});
