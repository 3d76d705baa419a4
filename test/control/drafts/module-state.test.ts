/** What tells an edit of an operator from what sources bring. */
import { describe, expect, test } from 'vitest';
import { type ModuleState, hashesOf, stateHashOf } from '../../../src/control/drafts/module-state.ts';
import { inputOf } from './inputs.ts';

const state = (input: Parameters<typeof inputOf>[0] = {}, entryIds = ['a,b']): ModuleState => ({
  ...{ input: inputOf(input), entryIds },
});
const COLLECTED = state();
const WRITTEN = state({ entries_hash: null });

describe('an edit is', () => {
  test.each<[string, ModuleState]>([
    ['another purpose', state({ purpose: 'exclude' })],
    ['another family', state({ families: ['ipv6'] })],
    ['other communities', state({ policy_hash: 'another' })],
    ['another version of an entry', state({ entries_hash: 'another' })],
    ['an entry that is switched off', state({}, ['a'])],
    ['an entry in another group', state({}, ['a', 'b'])],
  ])('%s', (_what, edited) => {
    expect(stateHashOf('list', edited)).not.toBe(stateHashOf('list', COLLECTED));
  });

  test('another content of a written list, and not of one that is collected', () => {
    const other = { content_hash: 'another' };
    expect(stateHashOf('list', state(other))).toBe(stateHashOf('list', COLLECTED));
    expect(stateHashOf('list', state({ ...other, entries_hash: null }))).not.toBe(
      stateHashOf('list', WRITTEN),
    );
  });

  test('to disable it, and to delete it', () => {
    const states = [
      stateHashOf('list', COLLECTED),
      stateHashOf('list', 'disabled'),
      stateHashOf('list', 'gone'),
    ];
    expect(new Set(states).size).toBe(3);
  });
});

test('each list has states of its own', () => {
  expect(stateHashOf('other', COLLECTED)).not.toBe(stateHashOf('list', COLLECTED));
  expect(stateHashOf('other', 'gone')).not.toBe(stateHashOf('list', 'gone'));
});

test('what a release lets through is also the content that was brought', () => {
  const [one, other] = [hashesOf('list', COLLECTED), hashesOf('list', state({ content_hash: 'another' }))];
  expect(other.state_hash).toBe(one.state_hash);
  expect(other.hash).not.toBe(one.hash);
});
