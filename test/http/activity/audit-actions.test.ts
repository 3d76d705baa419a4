/** What the audit log is said to have: whoever asks for anything else is refused, so that nothing may be missing. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AUDIT_ACTIONS } from '../../../src/api/activity/audit-actions.ts';
import { ROUTES } from '../../../src/http/server/route-table.ts';

const SRC = join(import.meta.dirname, '../../../src');
/** Lines that name an action which no route does. */
const NAMED = /(?:action: |record\(tx, .*|inParts\(run, |writeRecord\(.*)'([a-z_]+\.[a-z_]+)'/g;

test('every action of a route, and of what the service does by itself, is known', () => {
  const ofRoutes = ROUTES.flatMap((route): string[] => {
    const audit = 'audit' in route ? (route.audit as unknown) : undefined;
    if (typeof audit === 'string') return [audit];
    const { written } = (audit ?? {}) as { readonly written?: string };
    return written === undefined ? [] : [written];
  });
  const ofService = ['control', 'store', 'jobs', 'http'].flatMap((room) =>
    readdirSync(join(SRC, room), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) =>
        [...readFileSync(join(SRC, room, name), 'utf8').matchAll(NAMED)].map(([, one]) => one!),
      ),
  );
  expect(ofRoutes.length).toBeGreaterThan(70);
  expect(ofService.length).toBeGreaterThan(10);
  const known = new Set<string>(AUDIT_ACTIONS);
  expect([...new Set([...ofRoutes, ...ofService])].filter((action) => !known.has(action))).toEqual([]);
  expect(known.size).toBe(AUDIT_ACTIONS.length);
});
