import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WakeableLoop, every } from '../../src/concurrency/wakeable-loop.ts';
import { Wakeup } from '../../src/concurrency/wakeup.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Milliseconds until the pause is over. */
async function lengthOf(pause: Promise<void>): Promise<number> {
  const began = performance.now();
  let end = NaN;
  void pause.then(() => (end = performance.now()));
  await vi.advanceTimersByTimeAsync(10_000);
  return end - began;
}

describe('a pause', () => {
  const at = (milliseconds: number, what: () => void): void => void setTimeout(what, milliseconds);

  test('is as long as it says', async () => {
    expect(await lengthOf(new Wakeup().pause(1_000))).toBe(1_000);
  });

  test('ends with a hint, at once or so long behind it, never later than it would', async () => {
    const wakeup = new Wakeup();
    at(300, () => wakeup.hint());
    expect(await lengthOf(wakeup.pause(1_000))).toBe(300);
    wakeup.forget();
    at(300, () => wakeup.hint(100));
    at(350, () => wakeup.hint(100));
    expect(await lengthOf(wakeup.pause(1_000))).toBe(400);
    wakeup.forget();
    at(300, () => wakeup.hint(5_000));
    expect(await lengthOf(wakeup.pause(1_000))).toBe(1_000);
  });

  test('is over before it begins when a hint came first, unless that is forgotten', async () => {
    const wakeup = new Wakeup();
    wakeup.hint();
    expect(await lengthOf(wakeup.pause(1_000))).toBe(0);
    wakeup.forget();
    expect(await lengthOf(wakeup.pause(1_000))).toBe(1_000);
  });

  test('has a least length for hints, and none for the signal', async () => {
    const wakeup = new Wakeup();
    wakeup.hint();
    expect(await lengthOf(wakeup.pause(1_000, { least: 200 }))).toBe(200);
    const stop = new AbortController();
    at(50, () => stop.abort());
    expect(await lengthOf(wakeup.pause(1_000, { least: 200, signal: stop.signal }))).toBe(50);
    expect(await lengthOf(wakeup.pause(1_000, { signal: stop.signal }))).toBe(0);
  });
});

describe('a loop', () => {
  /** Runs the loop while `meanwhile` goes on. @returns when the work began, and the faults */
  async function beginningsOf(
    worked: number,
    meanwhile: (loop: WakeableLoop) => Promise<unknown>,
    options: { pause?: (worked: number) => number; least?: number; isFailing?: boolean } = {},
  ): Promise<{ beginnings: number[]; faults: unknown[] }> {
    const beginnings: number[] = [];
    const faults: unknown[] = [];
    const start = performance.now();
    const loop = new WakeableLoop({
      pause: options.pause ?? (() => 1_000),
      least: options.least ?? 0,
      onFault: (error) => faults.push(error),
      work: async () => {
        beginnings.push(performance.now() - start);
        await new Promise((resolve) => setTimeout(resolve, worked)); // as long as the work takes
        if (options.isFailing === true) throw new Error('Out of order');
      },
    });
    const stop = new AbortController();
    const running = loop.run(stop.signal);
    await meanwhile(loop);
    stop.abort();
    await vi.advanceTimersByTimeAsync(worked);
    await running;
    return { beginnings, faults };
  }
  const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

  test('pauses behind the work, or begins it by the clock', async () => {
    expect((await beginningsOf(200, () => pass(3_000))).beginnings).toEqual([0, 1_200, 2_400]);
    const byTheClock = await beginningsOf(200, () => pass(2_500), { pause: every(1_000) });
    expect(byTheClock.beginnings).toEqual([0, 1_000, 2_000]);
    const late = await beginningsOf(700, () => pass(2_000), { pause: every(500) });
    expect(late.beginnings).toEqual([0, 700, 1_400]);
  });

  test('begins again behind a hint, also one that came during the work, and after its least pause', async () => {
    const meanwhile = async (loop: WakeableLoop): Promise<void> => {
      await pass(100);
      loop.hint();
      await pass(500);
      loop.hint();
      await pass(10);
    };
    expect((await beginningsOf(200, meanwhile)).beginnings).toEqual([0, 200, 600]);
    expect((await beginningsOf(200, meanwhile, { least: 50 })).beginnings).toEqual([0, 250, 600]);
  });

  test('goes on behind a fault, and ends with what has begun', async () => {
    const { beginnings, faults } = await beginningsOf(200, () => pass(1_300), { isFailing: true });
    expect(beginnings).toEqual([0, 1_200]);
    expect(faults).toHaveLength(2);
  });
});
