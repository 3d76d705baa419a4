import { expect, test } from 'vitest';
import { RecentSnapshot } from '../../src/http/recent-snapshot.ts';

test('one question serves for a quarter of a second, unless something was changed here or it failed', async () => {
  let now = 0;
  let state = 1;
  let fails = false;
  const recent = new RecentSnapshot(
    () => (fails ? Promise.reject(new Error('gone')) : Promise.resolve(String(state))),
    () => now,
  );
  expect(recent.known()).toBeNull();
  const asked = recent.read();
  expect(recent.known(), 'the answer is not there yet').toBeNull();
  expect(await asked).toBe('1');
  state = 2;
  now = 249;
  expect(recent.known()).toBe('1');
  expect(await recent.read()).toBe('1');
  now = 250;
  expect(recent.known()).toBeNull();
  expect(await recent.read()).toBe('2');
  state = 3;
  recent.forget();
  expect(recent.known()).toBeNull();
  expect(await recent.read()).toBe('3');
  fails = true;
  now = 1_000;
  await expect(recent.read()).rejects.toThrow('gone');
  fails = false;
  expect(await recent.read()).toBe('3');
});
