import { expect, test } from 'vitest';
import { CLIENT } from '../../../src/cli/nouns/access-nouns.ts';
import { valueOf } from '../../../src/cli/render/formats.ts';

const STATUS = CLIENT.columns.find(({ title }) => title === 'STATUS')!;

test.each([
  [{ online: true, status: 'applied' }, 'applied'],
  [{ online: true, status: 'failed' }, 'failed'],
  // It enrolled, and has never reported.
  [{ online: false, status: 'pending' }, 'pending'],
  // What it said last was of the rules of then.
  [{ online: false, status: 'applied' }, 'unknown'],
  [{ online: false, status: 'reverted' }, 'unknown'],
])('the status of a firewall client %j is %s', (host, shown) => {
  expect(valueOf(STATUS, host)).toBe(shown);
});
