import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../../src/store/database/database.ts';
import { DatabaseClock } from '../../../src/store/database/database-clock.ts';
import { createTestDatabase, type TestDatabase } from '../../database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const databaseTime = async (): Promise<number> => {
  const [row] = await database.admin<{ time: string }>('SELECT clock_timestamp() AS time');
  return Date.parse(row!.time);
};

test('reports the time of the database once that has answered', async () => {
  const clock = new DatabaseClock(database.db);
  expect(clock.now()).toBeNull();
  await expect.poll(async () => clock.learn().then(() => clock.now()), { timeout: 30_000 }).not.toBeNull();
  const before = await databaseTime();
  const told = clock.now()!.getTime();
  const after = await databaseTime();
  // An answer that takes up to a second leaves half of it open.
  expect(told).toBeGreaterThanOrEqual(before - 1_000);
  expect(told).toBeLessThanOrEqual(after + 1_000);
  clock.close();
});

test('goes on while the database does not answer', async () => {
  const db = openDatabase(database.address);
  const clock = new DatabaseClock(db);
  await expect.poll(async () => clock.learn().then(() => clock.now()), { timeout: 30_000 }).not.toBeNull();
  await db.close();
  const before = clock.now()!;
  await clock.learn();
  expect(clock.now()!.getTime()).toBeGreaterThanOrEqual(before.getTime());
  clock.close();
});
