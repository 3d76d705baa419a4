/** What a process that answers lookups asks after each commit: the first request after it waits for that. */
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readLookupState } from '../../../src/control/lookup/read-lookup-state.ts';
import type { LookupState } from '../../../src/control/lookup/lookup-state.ts';
import { createTestDatabase, type TestDatabase } from '../../database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  vi.restoreAllMocks();
  await database.close();
});

/** Beginning and end of a transaction, and whose it is. */
const FRAME = /^(BEGIN|COMMIT|SET|SELECT set_config)/i;

async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const spy = vi.spyOn(pg.Client.prototype, 'query');
  await work();
  const texts = spy.mock.calls.map(([query]) =>
    typeof query === 'string' ? query : (query as { readonly text: string }).text,
  );
  spy.mockRestore();
  return texts.map((text) => text.trim().replaceAll(/\s+/g, ' ')).filter((text) => !FRAME.test(text));
}

test('six statements, where its lists are known and each peer has what its speaker announces', async () => {
  const tenantId = await database.createTenant('looked-up');
  const read = (): Promise<LookupState> => database.db.inTenant(tenantId, readLookupState);
  const state = await read();
  expect(state).toMatchObject({ isFrozen: false, dropsBogons: true, peers: { hasSome: false } });
  const sent = await statementsOf(read);
  expect(sent.length, sent.map((text) => text.slice(0, 160)).join('\n')).toBe(6);
});
