import { describe, expect, test } from 'vitest';
import { Problem } from '../../../src/api/problems/problem.ts';
import { firstGood } from '../../../src/http/admission/first-good.ts';

const ended = new Problem('session_ended', 'The session has ended.');
const down = new Problem('database_unavailable', 'The database does not answer.');

/** Each credential is what comes of it. */
const ask = (credential: string | Error): Promise<string> =>
  typeof credential === 'string' ? Promise.resolve(credential) : Promise.reject(credential);

describe('the first good of several credentials', () => {
  test('is found after those that are refused', async () => {
    await expect(firstGood([ended, 'ours', 'theirs'], ask)).resolves.toEqual({
      ...{ credential: 'ours', principal: 'ours' },
    });
  });

  test('is none where all are refused', async () => {
    await expect(firstGood([new Problem('unauthenticated', 'Unknown.'), ended], ask)).rejects.toBe(ended);
  });

  test.each([down, new Error('a fault of our own')])('%s is no refusal, whatever follows', async (fault) => {
    await expect(firstGood([fault, ended], ask)).rejects.toBe(fault);
    await expect(firstGood([fault, 'ours'], ask)).rejects.toBe(fault);
  });
});
