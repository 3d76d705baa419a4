import { expect, test } from 'vitest';
import { negotiate } from '../../../src/http/request/accept.ts';

const OFFERED = ['application/json', 'text/plain', 'text/csv'];

test.each([
  [undefined, 'application/json'],
  ['', 'application/json'],
  ['*/*', 'application/json'],
  ['text/*', 'text/plain'],
  ['text/csv', 'text/csv'],
  ['TEXT/CSV; charset=utf-8', 'text/csv'],
  ['text/plain;q=0.5, text/csv', 'text/csv'],
  ['text/csv;q=0, */*', 'application/json'],
  ['application/json;q=0, */*;q=0.1', 'text/plain'],
  ['text/html, */*;q=0.1', 'application/json'],
  ['image/png', null],
  ['text/csv;q=0', null],
  ['nonsense', null],
])('Accept: %s', (header, expected) => {
  expect(negotiate(header, OFFERED)).toBe(expected);
});
