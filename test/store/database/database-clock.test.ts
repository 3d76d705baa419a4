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

/** In milliseconds. */
const databaseTime = async (): Promise<number> => {
  const text = 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS time';
  const [row] = await database.admin<{ time: number }>(text);
  return row!.time;
};

test('reports the time of the database once that has answered', async () => {
  const clock = new DatabaseClock(database.db);
  expect(clock.now()).toBeNull();
  let took = 0;
  const learned = async (): Promise<Date | null> => {
    const asked = performance.now();
    await clock.learn();
    took = performance.now() - asked;
    return clock.now();
  };
  await expect.poll(learned).not.toBeNull();
  const before = await databaseTime();
  const reported = clock.now()!.getTime();
  const after = await databaseTime();
  // The time was read at some moment while it was waited for, which leaves half of that open, and milliseconds are rounded.
  const open = took / 2 + 5;
  expect(reported).toBeGreaterThanOrEqual(before - open);
  expect(reported).toBeLessThanOrEqual(after + open);
  clock.close();
});

test('goes on while the database does not answer', async () => {
  const db = openDatabase(database.address);
  const clock = new DatabaseClock(db);
  await expect.poll(async () => clock.learn().then(() => clock.now())).not.toBeNull();
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
  await expect.poll(isSoon).toBeLessThan(500);
  const before = clock.now()!.getTime() - performance.now();
  lateness = 1_500;
  await clock.learn();
  expect(clock.now()!.getTime() - performance.now() - before).toBeLessThan(100);
  clock.close();
});
