import { expect, test } from 'vitest';
import { Type } from 'typebox';
import { tenantRoute, type TenantRoute } from '../../../src/http/route.ts';
import { ROUTES } from '../../../src/http/server/route-table.ts';

test.each(ROUTES.filter(({ method }) => method !== 'GET'))(
  '$method $path says what the audit log calls it, or why it needs no record',
  ({ audit }) => {
    const name = typeof audit === 'object' && 'written' in audit ? audit.written : audit;
    const isNamed = typeof name === 'string' && /^[a-z_]+\.[a-z_]+$/.test(name);
    const isExcused = typeof name === 'object' && name.none.length > 10;
    expect(isNamed || isExcused, JSON.stringify(audit)).toBe(true);
  },
);

test('a route that only reads names no record', () => {
  expect(ROUTES.filter(({ method, audit }) => method === 'GET' && audit !== undefined)).toEqual([]);
});

const recorded = ROUTES.filter((route): route is TenantRoute => typeof route.audit === 'string');

test.each(recorded)('$method $path reads what it changes, or says why not', (route) => {
  const { method, params, isOfList } = route;
  const kind = typeof route.read;
  if (typeof route.read === 'object') expect(route.read.none.length).toBeGreaterThan(10);
  else expect(kind).toBe('function');
  // What a path names was there before, and a record without it would not say what was lost. A list's record says which were meant.
  if (method !== 'POST' && isOfList !== true) expect({ params, kind }).toEqual({ params, kind: 'function' });
});

test('the compiler refuses a recorded route that does not say how to read what it changes', () => {
  const route = {
    method: 'PATCH',
    path: '/v1/things/{id}',
    operation: 'changeThing',
    permission: 'bgp:lists:write',
    tag: 'things',
    summary: 'Change a thing',
    status: 200,
    params: { id: 'thing' },
    response: Type.Object({}),
    handler: () => Promise.resolve({}),
  } as const;
  // @ts-expect-error: no `read`
  expect(tenantRoute({ ...route, audit: 'thing.change' })).toBeDefined();
  const read = (): Promise<{ resource: object; version: number }> =>
    Promise.resolve({ resource: {}, version: 1 });
  expect(tenantRoute({ ...route, audit: 'thing.change', read })).toBeDefined();
  expect(tenantRoute({ ...route, audit: { none: 'It changes nothing.' } })).toBeDefined();
});
