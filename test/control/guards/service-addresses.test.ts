/** Who is named the addresses of the service and its database. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readGuardrails } from '../../../src/control/guards/guardrails.ts';
import { createTestDatabase, type TestDatabase } from '../../database.ts';

const DATABASE = { prefix: '45.45.45.45', of: 'the database' };

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.close());

const guardrailsOfTenant = (tenantId: string) =>
  database.db.inTenant(tenantId, (tx) =>
    readGuardrails(Object.assign(Object.create(tx) as typeof tx, { ownAddresses: [DATABASE] })),
  );

test('the home tenant; no route of any tenant may have them', async () => {
  const [home, other] = [await database.createTenant('default'), await database.createTenant()];
  const guardrails = [await guardrailsOfTenant(home), await guardrailsOfTenant(other)];
  expect(guardrails.map(({ namesService }) => namesService)).toEqual([true, false]);
  for (const { protected: some } of guardrails)
    expect(some).toContainEqual({ ...DATABASE, isOfService: true });
});
