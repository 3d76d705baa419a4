import { expect, test } from 'vitest';
import { Closers, StopTimeout } from '../src/closers.ts';

test('parts stop in the reverse order, and one that fails or never ends keeps no other from stopping', async () => {
  const closers = new Closers({ partMs: 50, allMs: 80, lateMs: 10 });
  const stopped: string[] = [];
  const part = (what: string, close: () => Promise<void>, withinMs?: number): void =>
    closers.push(
      what,
      () => {
        stopped.push(what);
        return close();
      },
      withinMs,
    );
  const { promise: slow, resolve } = Promise.withResolvers<void>();
  part('first', () => Promise.resolve());
  // Longer than all of them have: it has a time of its own.
  part('slow', () => slow, 600_000);
  part('broken', () => Promise.reject(new RangeError('no')));
  part('hanging', () => new Promise(() => undefined));
  part('another', () => new Promise(() => undefined));
  part('last', () => Promise.resolve());
  const faults: [string, unknown][] = [];
  await closers.close((what, error) => {
    faults.push([what, error]);
    if (what === 'broken') setTimeout(resolve, 100);
  });
  expect(stopped).toEqual(['last', 'another', 'hanging', 'broken', 'slow', 'first']);
  expect(faults).toMatchObject([
    ['another', expect.any(StopTimeout)],
    ['hanging', expect.any(StopTimeout)],
    ['broken', expect.any(RangeError)],
  ]);
  expect(String(faults[0]![1])).toContain('left behind');
});
