/** Whether a rollback keeps a list from having what was collected of it last. */
import { expect, test } from 'vitest';
import { type AfterRollback, isRolledBack } from '../../../src/control/guards/guard-rollback.ts';

const after = (other: Partial<AfterRollback> = {}): AfterRollback => ({
  ...{ purpose: 'announce', content_hash: 'bad', entries_hash: 'entries', rolled_back_hash: 'bad' },
  ...other,
});
const WRITTEN = { entries_hash: null };
const EXCLUDING = { purpose: 'exclude' } as const;
const OTHER = { content_hash: 'other' };

test.each<[string, boolean, AfterRollback, string | null]>([
  ['nothing was taken back', false, after({ rolled_back_hash: null }), 'good'],
  ['it was, and is there again', true, after(), 'good'],
  ['something else is there', false, after(OTHER), 'good'],
  ['it has been accepted since', false, after(), 'bad'],
  // Nothing is accepted that a change could be measured from.
  ['a source brings it to a list that had nothing', true, after(), null],
  ['a source brings something else to such a list', true, after(OTHER), null],
  ['somebody has written something else into such a list', false, after({ ...OTHER, ...WRITTEN }), null],
  ['somebody has written it into such a list', true, after(WRITTEN), null],
  ['an exclusion that had nothing', false, after(EXCLUDING), null],
  ['an exclusion that had something', true, after(EXCLUDING), 'good'],
])('%s: %s', (_what, isBack, module, accepted) => {
  expect(isRolledBack(module, accepted)).toBe(isBack);
});
