import { describe, expect, test } from 'vitest';
import { Problem } from '../../src/api/problems/problem.ts';
import { Cursors } from '../../src/store/database/cursors.ts';

const PLACE = Buffer.from('0001ff', 'hex');
const cursors = new Cursors(['tenant', 'peers', 'limit', null]);
const cursor = cursors.write(PLACE);

const codeOf = (read: () => unknown): string => {
  try {
    read();
    return 'read';
  } catch (error) {
    return error instanceof Problem ? error.code : String(error);
  }
};

test('a cursor says where its page ended, whoever reads it', () => {
  expect(cursors.read(cursor)).toEqual(PLACE);
  expect(new Cursors(['tenant', 'peers', 'limit', null]).read(cursor, PLACE.length)).toEqual(PLACE);
});

describe('a cursor is refused', () => {
  test.each([
    ['of another tenant', ['other', 'peers', 'limit', null]],
    ['of another list', ['tenant', 'speakers', 'limit', null]],
    ['with other filters', ['tenant', 'peers', 'limit', 'true']],
    ['whose names join to the same text', ['tenant', 'peers,limit', null]],
  ])('%s', (_which, names) => {
    expect(codeOf(() => new Cursors(names).read(cursor))).toBe('invalid_cursor');
  });

  test.each([
    ['nothing', ''],
    ['no place', cursors.write(Buffer.alloc(0))],
    ['the same bytes in other letters', `${cursor}=`],
    ['what is no base64', `${cursor} `],
  ])('that is %s', (_what, text) => {
    expect(codeOf(() => cursors.read(text))).toBe('invalid_cursor');
  });

  test('whose place is shorter or longer than those of the list', () => {
    for (const length of [PLACE.length - 1, PLACE.length + 1])
      expect(codeOf(() => cursors.read(cursor, length))).toBe('invalid_cursor');
  });

  test('in the words of its list', () => {
    const prefixes = new Cursors(['x'], { list: 'the prefixes of this revision', kept: 'the revision' });
    expect(() => prefixes.read(cursor)).toThrow(
      'The cursor does not belong to the prefixes of this revision. Take next_cursor of the page before, and keep the revision.',
    );
  });
});
