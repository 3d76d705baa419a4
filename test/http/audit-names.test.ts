import { expect, test } from 'vitest';
import { ROUTES } from '../../src/http/server/route-table.ts';

test.each(ROUTES.filter(({ method }) => method !== 'GET'))(
  '$method $path says what the audit log calls it, or why it needs no record',
  ({ audit }) => {
    const isNamed = typeof audit === 'string' && /^[a-z_]+\.[a-z_]+$/.test(audit);
    const isExcused = typeof audit === 'object' && audit.none.length > 10;
    expect(isNamed || isExcused, JSON.stringify(audit)).toBe(true);
  },
);

test('a route that only reads names no record', () => {
  expect(ROUTES.filter(({ method, audit }) => method === 'GET' && audit !== undefined)).toEqual([]);
});
