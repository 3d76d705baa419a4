import { expect, test } from 'vitest';
import { RetryPolicy } from '../../../src/sources/fetch/retry.ts';
import { SourceError } from '../../../src/sources/source-error.ts';

/** Fails the first time, and notes when it is asked again. */
function busyOnce(again: number[], retryAfterMs?: number, httpStatus = 503): () => Promise<string> {
  let made = 0;
  return () => {
    made += 1;
    if (made === 1)
      return Promise.reject(new SourceError('source_http_status', 'busy', { httpStatus, retryAfterMs }));
    again.push(performance.now());
    return Promise.resolve('answered');
  };
}

test('all requests to a server wait for the longest pause that it has asked for', async () => {
  const policy = new RetryPolicy({ attempts: 2, firstMs: 1, longestMs: 1_000 });
  const again: number[] = [];
  const begun = performance.now();
  const answers = [busyOnce(again, 300), busyOnce(again, 5)].map((attempt) => policy.run(attempt, undefined));
  expect(await Promise.all(answers)).toEqual(['answered', 'answered']);
  // A timer may be early by a millisecond.
  expect(Math.min(...again) - begun).toBeGreaterThan(298);
});

test('a pause that is longer than any of ours is not waited for, and what would fail again is not repeated', async () => {
  const policy = new RetryPolicy({ attempts: 2, firstMs: 1, longestMs: 1_000 });
  const again: number[] = [];
  await expect(policy.run(busyOnce(again, 1_001), undefined)).rejects.toThrow('busy');
  await expect(policy.run(busyOnce(again, undefined, 404), undefined)).rejects.toThrow('busy');
  expect(again).toEqual([]);
});
