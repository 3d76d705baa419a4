import { expect, test } from 'vitest';
import { entityTag, expectedVersion, matchesAny } from '../../../src/http/etag.ts';

test('a tag names version and representation', () => {
  const tag = entityTag(3, '{"a":1}');
  expect(tag).toMatch(/^"3-[\w-]{16}"$/);
  expect(entityTag(3, '{"a":1}')).toBe(tag);
  expect(entityTag(3, '{"a":2}')).not.toBe(tag);
  expect(entityTag(4, '{"a":1}')).not.toBe(tag);
});

test('If-None-Match takes a list, weak tags and *', () => {
  const tag = entityTag(1, 'x');
  expect(matchesAny(undefined, tag)).toBe(false);
  expect(matchesAny(tag, tag)).toBe(true);
  expect(matchesAny(`"other", W/${tag}`, tag)).toBe(true);
  expect(matchesAny('*', tag)).toBe(true);
  expect(matchesAny('"other"', tag)).toBe(false);
});

test('If-Match looks at the version alone', () => {
  expect(expectedVersion(undefined)).toBeNull();
  expect(expectedVersion('*')).toBeNull();
  expect(expectedVersion(entityTag(7, 'x'))).toBe(7);
});

test.each(['"7"', 'W/"7-AAAAAAAAAAAAAAAA"', '7-AAAAAAAAAAAAAAAA', '"99999999999-AAAAAAAAAAAAAAAA"', ''])(
  'If-Match: %s is a tag of nothing here',
  (header) => {
    expect(() => expectedVersion(header)).toThrow(expect.objectContaining({ code: 'precondition_failed' }));
  },
);
