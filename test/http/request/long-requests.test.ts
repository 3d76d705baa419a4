import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Door } from '../../../src/http/admission/door.ts';
import { LongRequests } from '../../../src/http/admission/long-requests.ts';

/** Long requests of tenants that end when the test says so. */
class Searchers {
  readonly #door = new Door();
  readonly #requests = new LongRequests(this.#door);
  readonly #atWork: (() => void)[] = [];
  begun = 0;

  search(tenant: string, times: number, aftermathMs?: number): void {
    const work = (): Promise<void> => {
      this.begun++;
      return new Promise((resolve) => this.#atWork.push(resolve));
    };
    for (let n = 0; n < times; n++)
      void this.#door.enter(tenant, () => this.#requests.inTurn(tenant, work, aftermathMs));
  }

  /** Somebody else is here, with no search. */
  async present(): Promise<void> {
    await this.#door.enter('quiet', () => Promise.resolve());
  }

  async end(): Promise<void> {
    this.#atWork.shift()!();
    await turn();
  }
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

test('the next search of a tenant begins after a rest of twice what the last one took while others are present', async () => {
  const searchers = new Searchers();
  await searchers.present();
  searchers.search('loud', 4);
  for (let n = 1; n < 4; n++) {
    // So long that each of them has lost its place at the door.
    await vi.advanceTimersByTimeAsync(200);
    expect(searchers.begun).toBe(n);
    await searchers.present();
    await searchers.end();
    await vi.advanceTimersByTimeAsync(399);
    expect(searchers.begun).toBe(n);
    await vi.advanceTimersByTimeAsync(1);
    await turn();
    expect(searchers.begun).toBe(n + 1);
  }
});

test('what follows from a request counts as part of it', async () => {
  const searchers = new Searchers();
  await searchers.present();
  searchers.search('loud', 2, 100);
  await vi.advanceTimersByTimeAsync(50);
  await searchers.present();
  await searchers.end();
  await vi.advanceTimersByTimeAsync(299);
  expect(searchers.begun).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  await turn();
  expect(searchers.begun).toBe(2);
});

test('a tenant that is alone has four searches at once, and none of them rests', async () => {
  const searchers = new Searchers();
  searchers.search('alone', 6);
  expect(searchers.begun).toBe(4);
  await vi.advanceTimersByTimeAsync(200);
  await searchers.end();
  expect(searchers.begun).toBe(5);
  await searchers.end();
  expect(searchers.begun).toBe(6);
});

test('a search for which none of its tenant waits keeps the next one from nothing', async () => {
  const searchers = new Searchers();
  await searchers.present();
  searchers.search('calm', 1);
  await vi.advanceTimersByTimeAsync(200);
  await searchers.present();
  await searchers.end();
  searchers.search('calm', 1);
  expect(searchers.begun).toBe(2);
});
