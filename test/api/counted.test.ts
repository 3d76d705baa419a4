import { expect, test } from 'vitest';
import { counted } from '../../src/api/shapes/counted.ts';
import { counted as grouped } from '../../src/api/activity/operator-events.ts';

test.each([
  [1, 'route', '1 route'],
  [0, 'route', '0 routes'],
  [1, 'IPv4 prefix', '1 IPv4 prefix'],
  [2, 'IPv4 prefix', '2 IPv4 prefixes'],
  [1, 'entry', '1 entry'],
  [2, 'entry', '2 entries'],
  [2, 'day', '2 days'],
  [1234, 'address', '1234 addresses'],
])('%i of %s', (count, noun, text) => {
  expect(counted(count, noun)).toBe(text);
});

test('in a log, large numbers are grouped', () => {
  expect(grouped(1_234, 'prefix')).toBe('1,234 prefixes');
  expect(grouped(1, 'prefix')).toBe('1 prefix');
});
