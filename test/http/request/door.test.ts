import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Door } from '../../../src/http/admission/door.ts';

/** Requests that a door let in, by tenant, and how to end them. */
class Visitors {
  readonly begun: string[] = [];
  readonly #atWork: { readonly tenant: string; readonly end: () => void }[] = [];
  readonly #door: Door;

  constructor(alone?: number) {
    this.#door = new Door(alone);
  }

  come(tenant: string, times = 1): void {
    for (let n = 0; n < times; n++)
      void this.#door.enter(tenant, () => {
        this.begun.push(tenant);
        return new Promise<void>((resolve) => this.#atWork.push({ tenant, end: resolve }));
      });
  }

  count(tenant: string): number {
    return this.begun.filter((each) => each === tenant).length;
  }

  async end(tenant: string): Promise<void> {
    const at = this.#atWork.findIndex((each) => each.tenant === tenant);
    this.#atWork.splice(at, 1)[0]!.end();
    await turn();
  }
}

// The times of slow requests are what is looked at.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

describe('at the door', () => {
  test('a tenant that is alone begins many at once', () => {
    const visitors = new Visitors();
    visitors.come('loud', 100);
    expect(visitors.count('loud')).toBe(64);
  });

  test('whoever comes finds no more than one request of another before it, at each step', async () => {
    const visitors = new Visitors();
    visitors.come('quiet');
    await visitors.end('quiet');
    visitors.come('loud', 100);
    expect(visitors.count('loud')).toBe(1);
    for (let n = 1; n <= 50; n++) {
      visitors.come('quiet');
      expect(visitors.begun.at(-1)).toBe('quiet');
      await visitors.end('loud');
      expect(visitors.count('loud')).toBe(1 + n);
      await visitors.end('quiet');
    }
  });

  test('many that came while a tenant was alone do not go on when another comes', async () => {
    const visitors = new Visitors();
    visitors.come('loud', 100);
    visitors.come('quiet');
    for (let n = 0; n < 63; n++) await visitors.end('loud');
    expect(visitors.count('loud')).toBe(64);
    await visitors.end('loud');
    expect(visitors.count('loud')).toBe(65);
  });

  test('a slow request keeps the next of its tenant for a moment only', async () => {
    const visitors = new Visitors();
    visitors.come('quiet');
    visitors.come('loud', 4);
    expect(visitors.count('loud')).toBe(1);
    await vi.advanceTimersByTimeAsync(20);
    expect(visitors.count('loud')).toBe(1);
    await vi.advanceTimersByTimeAsync(10);
    await turn();
    expect(visitors.count('loud')).toBe(2);
    // It gave its place back once: its end lets nobody in.
    await visitors.end('loud');
    expect(visitors.count('loud')).toBe(2);
    await visitors.end('loud');
    expect(visitors.count('loud')).toBe(3);
  });

  test('the next request begins after a rest of twice what the one before took, while others are here', async () => {
    const visitors = new Visitors();
    visitors.come('quiet');
    visitors.come('loud', 3);
    await vi.advanceTimersByTimeAsync(8);
    await visitors.end('loud');
    expect(visitors.count('loud')).toBe(1);
    await vi.advanceTimersByTimeAsync(15);
    expect(visitors.count('loud')).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    await turn();
    expect(visitors.count('loud')).toBe(2);
  });

  test('who has taken less than somebody else of late does not rest', async () => {
    const visitors = new Visitors();
    visitors.come('loud');
    await vi.advanceTimersByTimeAsync(20);
    await visitors.end('loud');
    visitors.come('quiet', 3);
    await vi.advanceTimersByTimeAsync(8);
    await visitors.end('quiet');
    expect(visitors.count('quiet')).toBe(2);
    // Now it has taken more, and leaves two thirds of the time.
    await vi.advanceTimersByTimeAsync(14);
    await visitors.end('quiet');
    expect(visitors.count('quiet')).toBe(2);
    await vi.advanceTimersByTimeAsync(28);
    await turn();
    expect(visitors.count('quiet')).toBe(3);
  });

  test('a request that fails gives its place back', async () => {
    const door = new Door();
    const fail = (): Promise<never> => Promise.reject(new Error('no'));
    await door.enter('quiet', () => Promise.resolve());
    for (let n = 0; n < 3; n++) await expect(door.enter('loud', fail)).rejects.toThrow('no');
    expect(await door.enter('loud', () => Promise.resolve('on'))).toBe('on');
  });

  test('where whoever comes is never alone, one begins at a time, and rests while more of it wait', async () => {
    const visitors = new Visitors(1);
    visitors.come('loud', 3);
    expect(visitors.count('loud')).toBe(1);
    await vi.advanceTimersByTimeAsync(8);
    await visitors.end('loud');
    expect(visitors.count('loud')).toBe(1);
    visitors.come('quiet');
    expect(visitors.begun.at(-1)).toBe('quiet');
    await vi.advanceTimersByTimeAsync(16);
    expect(visitors.count('loud')).toBe(2);
    await visitors.end('loud');
    await vi.advanceTimersByTimeAsync(1);
    expect(visitors.count('loud')).toBe(3);
  });
});
