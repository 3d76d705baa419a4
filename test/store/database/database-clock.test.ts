import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/store/database/database.ts';
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
  const reported = clock.now()!.getTime();
  const after = await databaseTime();
  // An answer that takes up to a second leaves half of it open.
  expect(reported).toBeGreaterThanOrEqual(before - 1_000);
  expect(reported).toBeLessThanOrEqual(after + 1_000);
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

test('takes a late answer as long as there is no other, and a soon one in its place', async () => {
  let lateness = 1_500;
  const slow = {
    alone: async (work) => {
      await sleep(lateness); // the answer is late
      return database.db.alone(work);
    },
  } as Pick<Database, 'alone'> as Database;
  const clock = new DatabaseClock(slow);
  await clock.learn();
  const late = clock.now()!.getTime() - (await databaseTime());
  expect(Math.abs(late)).toBeLessThan(10_000);
  lateness = 0;
  const isSoon = async () => clock.learn().then(async () => clock.now()!.getTime() - (await databaseTime()));
  await expect.poll(isSoon, { timeout: 30_000 }).toBeLessThan(500);
  const before = clock.now()!.getTime() - performance.now();
  lateness = 1_500;
  await clock.learn();
  expect(clock.now()!.getTime() - performance.now() - before).toBeLessThan(100);
  clock.close();
});
