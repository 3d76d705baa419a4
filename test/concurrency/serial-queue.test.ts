import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SerialQueue } from '../../src/concurrency/serial-queue.ts';

/** Work that ends when it is asked to, and notes when it begins and ends. */
function work(name: string, notes: string[]) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const run = async (): Promise<string> => {
    notes.push(`${name} begins`);
    return promise.finally(() => notes.push(`${name} ends`));
  };
  return { run, end: () => resolve(name), fail: () => reject(new Error(name)) };
}

test('work runs one after the other, in the order in which it came', async () => {
  const queue = new SerialQueue();
  const notes: string[] = [];
  const [first, second] = [work('first', notes), work('second', notes)];
  const ends = [queue.run(first.run), queue.run(second.run)];
  second.end();
  await turn();
  expect(notes).toEqual(['first begins']);
  first.end();
  expect(await Promise.all(ends)).toEqual(['first', 'second']);
  expect(notes).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
});

test('work that fails rejects for whoever asked for it, and the next has its turn', async () => {
  const queue = new SerialQueue();
  const [first, second] = [work('first', []), work('second', [])];
  const ends = [queue.run(first.run), queue.run(second.run)];
  first.fail();
  second.end();
  expect(await Promise.allSettled(ends)).toMatchObject([
    { status: 'rejected', reason: { message: 'first' } },
    { status: 'fulfilled', value: 'second' },
  ]);
});

test('a turn that was taken lasts until it is ended', async () => {
  const queue = new SerialQueue();
  const notes: string[] = [];
  const end = await queue.take();
  const second = work('second', notes);
  const done = queue.run(second.run);
  await turn();
  expect(notes).toEqual([]);
  end();
  second.end();
  expect(await done).toBe('second');
});

test('idle waits for all that came before it, also where it fails', async () => {
  const queue = new SerialQueue();
  await queue.idle();
  const first = work('first', []);
  const failed = queue.run(first.run).catch((error: Error) => error.message);
  let isIdle = false;
  const idle = queue.idle().then(() => (isIdle = true));
  await turn();
  expect(isIdle).toBe(false);
  first.fail();
  await idle;
  expect(await failed).toBe('first');
});
