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
