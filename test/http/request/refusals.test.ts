import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Refusals } from '../../../src/http/admission/refusals.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** How many of so many refusals are answered at once. */
async function answeredAtOnce(refusals: Refusals, tenant: string, count: number): Promise<number> {
  let reported = 0;
  for (let n = 0; n < count; n++) void refusals.hold(tenant).then(() => reported++);
  await turn();
  return reported;
}

test('a tenant that is refused often in a second is answered later, and no other', async () => {
  const refusals = new Refusals(60_000);
  expect(await answeredAtOnce(refusals, 'loud', 80)).toBe(50);
  expect(await answeredAtOnce(refusals, 'quiet', 3)).toBe(3);
  expect(await answeredAtOnce(refusals, 'loud', 3)).toBe(0);
  vi.advanceTimersByTime(1_000);
  expect(await answeredAtOnce(refusals, 'loud', 3)).toBe(3);
});

test('what is held back is reported in the end', async () => {
  const refusals = new Refusals(5);
  const begun = process.hrtime.bigint();
  await Promise.all(Array.from({ length: 60 }, () => refusals.hold('loud')));
  expect(Number(process.hrtime.bigint() - begun) / 1e6).toBeGreaterThanOrEqual(4);
});

test('what is held back is answered one by one, so that those who ask again do not come together', async () => {
  const refusals = new Refusals(5);
  let answered = 0;
  const all = Array.from({ length: 80 }, () => refusals.hold('loud').then(() => answered++));
  await turn();
  const steps = [answered];
  while (answered < 80) {
    await turn();
    if (steps.at(-1) !== answered) steps.push(answered);
  }
  await Promise.all(all);
  expect(steps).toEqual(Array.from({ length: 31 }, (_, n) => 50 + n));
});

test('no more are held back than there is room for', async () => {
  const refusals = new Refusals(60_000);
  expect(await answeredAtOnce(refusals, 'loud', 6_000)).toBe(1_000);
});
