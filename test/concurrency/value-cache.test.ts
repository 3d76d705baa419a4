import { expect, test } from 'vitest';
import { ValueCache } from '../../src/concurrency/value-cache.ts';

interface Value {
  readonly bytes: number;
}

const caching = (capacity: number) => new ValueCache<Value>(capacity, ({ bytes }) => bytes);
const made =
  (bytes: number): (() => Promise<Value>) =>
  () =>
    Promise.resolve({ bytes });

test('a value is made once for all who ask at the same time, and later', async () => {
  const cache = caching(100);
  const values = await Promise.all([1, 2, 3].map(() => cache.load('a', made(10))));
  expect(new Set([...values, await cache.load('a', made(10))]).size).toBe(1);
  expect(cache.bytes).toBe(10);
});

test('who waited for one that fails makes its own', async () => {
  const cache = caching(100);
  const failing = cache.load('a', () => Promise.reject(new Error('broken')));
  const waiting = cache.load('a', made(10));
  await expect(failing).rejects.toThrow('broken');
  expect((await waiting).bytes).toBe(10);
  expect(await cache.load('a', made(20))).toBe(await waiting);
});

test('the least recently used leaves first; one larger than all the room is kept alone', async () => {
  const cache = caching(100.5);
  const a = await cache.load('a', made(40));
  const b = await cache.load('b', made(40));
  expect(await cache.load('a', made(40))).toBe(a);
  await cache.load('c', made(40));
  expect(cache.bytes).toBe(80);
  expect(await cache.load('a', made(40))).toBe(a);
  expect(await cache.load('b', made(40))).not.toBe(b);
  const large = await cache.load('large', made(1_000));
  expect(cache.bytes).toBe(100);
  expect(await cache.load('large', made(1_000))).toBe(large);
  expect(await cache.load('a', made(40))).not.toBe(a);
  expect(cache.bytes).toBeLessThanOrEqual(100);
});

test('values without a size have room too', async () => {
  const cache = caching(100);
  const empty = await cache.load('empty', made(0));
  expect(await cache.load('empty', made(0))).toBe(empty);
});

test('the group that has most of the room loses its own, the least recently used first', async () => {
  const cache = new ValueCache<Value>(
    100,
    ({ bytes }) => bytes,
    (name) => name.slice(0, 1),
  );
  const home = await cache.load('home', made(30));
  const loud = [];
  for (let n = 0; n < 10; n++) loud.push(await cache.load(`loud ${n}`, made(20)));
  expect(cache.bytes).toBe(90);
  expect(await cache.load('home', made(30))).toBe(home);
  expect(await cache.load('loud 9', made(20))).toBe(loud[9]);
  expect(await cache.load('loud 7', made(20))).toBe(loud[7]);
  // A third that comes has room, of the loud one's.
  const third = await cache.load('third', made(20));
  expect(await cache.load('loud 8', made(20))).not.toBe(loud[8]);
  expect(await cache.load('home', made(30))).toBe(home);
  expect(await cache.load('third', made(20))).toBe(third);
});

test('one of a group that is larger than all the room is kept alone', async () => {
  const cache = new ValueCache<Value>(
    100,
    ({ bytes }) => bytes,
    (name) => name,
  );
  await cache.load('a', made(60));
  const large = await cache.load('b', made(1_000));
  expect(cache.bytes).toBe(100);
  expect(await cache.load('b', made(1_000))).toBe(large);
});
