/** Whether a list that stays in a revision is what every router has of it already. */
import { describe, expect, test } from 'vitest';
import { isAsRunning } from '../../../src/control/drafts/running-shares.ts';
import type { RevisionInput } from '../../../src/store/revisions/revision-history.ts';
import { inputOf } from './inputs.ts';

/** A content that speakers run. */
const running = (...inputs: RevisionInput[]) => ({ content_hash: 'running', inputs });
const exclusion = (other: Partial<RevisionInput> = {}): RevisionInput =>
  inputOf({ module_id: 'holes', purpose: 'exclude', content_hash: 'holes', ...other });

const LEFT: RevisionInput = inputOf({ left_out: ['gone'] });

test.each<[string, boolean, RevisionInput, RevisionInput[]]>([
  ['the same', true, inputOf(), [inputOf()]],
  ['less, since an entry has left', true, LEFT, [inputOf()]],
  ['more, since an entry is back', false, inputOf(), [LEFT]],
  ['another entry, since one is back and another has left', false, inputOf({ left_out: ['other'] }), [LEFT]],
  ['one family of two', true, inputOf({ families: ['ipv4'] }), [inputOf()]],
  ['a family more', false, inputOf(), [inputOf({ families: ['ipv4'] })]],
  ['another snapshot', false, inputOf({ content_hash: 'another' }), [inputOf()]],
  ['what was excluded then', false, inputOf(), [inputOf({ purpose: 'exclude' })]],
  ['what is excluded now', false, inputOf({ purpose: 'exclude' }), [inputOf()]],
  ['what no router has', false, inputOf(), []],
  ['what only another list was', false, inputOf(), [inputOf({ module_id: 'other' })]],
])('%s: %s', (_what, isSame, share, inputs) => {
  expect(isAsRunning(share, [], [running(...inputs)])).toBe(isSame);
});

test('where nothing runs, nothing is as it runs', () => {
  expect(isAsRunning(inputOf(), [], [])).toBe(false);
});

test('every speaker counts', () => {
  const behind = running(inputOf({ content_hash: 'older' }));
  expect(isAsRunning(inputOf(), [], [running(inputOf()), behind])).toBe(false);
  expect(isAsRunning(inputOf(), [], [running(inputOf()), running(inputOf())])).toBe(true);
});

describe('what was cut out of it has not come back', () => {
  test.each<[string, boolean, RevisionInput[]]>([
    ['the same holes', true, [exclusion()]],
    ['another list of holes beside them', true, [exclusion(), exclusion({ module_id: 'more' })]],
    ['no holes any more', false, []],
    ['other holes', false, [exclusion({ content_hash: 'others' })]],
    ['the same content of another list', false, [exclusion({ module_id: 'more' })]],
    ['holes of one family', false, [exclusion({ families: ['ipv4'] })]],
    ['holes without an entry', false, [exclusion({ left_out: ['gone'] })]],
  ])('%s: %s', (_what, isSame, exclusions) => {
    expect(isAsRunning(inputOf(), exclusions, [running(inputOf(), exclusion())])).toBe(isSame);
  });

  test('an entry that is a hole again only cuts out more', () => {
    const before = running(inputOf(), exclusion({ left_out: ['back'] }));
    expect(isAsRunning(inputOf(), [exclusion()], [before])).toBe(true);
  });
});
