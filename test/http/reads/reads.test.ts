import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Reads } from '../../../src/http/reads.ts';
import { createTestDatabase, type TestDatabase } from '../../database.ts';

/** A database whose state has a number, a clock, and a reader that counts its looks. */
function reader() {
  const world = { state: 1, now: 0, looks: 0 };
  const reads = new Reads<string>(
    () => Promise.resolve(String(world.state)),
    () => world.now,
  );
  const read = (what = 'list', weight: number | null = 1, tenantId = 'tenant') =>
    reads.current(
      tenantId,
      what,
      () => Promise.resolve(`${what} of ${world.state}, look ${++world.looks}`),
      () => weight,
    );
  return { world, reads, read };
}

describe('current reads', () => {
  test('answers again what was answered, until something was committed', async () => {
    const { world, read } = reader();
    expect([await read(), await read()]).toEqual(['list of 1, look 1', 'list of 1, look 1']);
    world.state = 2;
    expect(await read()).toBe('list of 2, look 2');
    expect(await read('peers')).toBe('peers of 2, look 3');
  });

  test('a second at most, since what is shown may depend on the clock', async () => {
    const { world, read } = reader();
    await read();
    world.now = 999;
    expect(await read()).toBe('list of 1, look 1');
    world.now = 1_000;
    expect(await read()).toBe('list of 1, look 2');
  });

  test('nothing that is not worth its memory, and no more than a thousand', async () => {
    const { world, read } = reader();
    await read('large', null);
    expect(await read('large', null)).toBe('large of 1, look 2');
    await read('first');
    for (let i = 0; i < 1_000; i++) await read(`list ${i}`);
    world.looks = 0;
    await read('list 999');
    expect(world.looks).toBe(0);
    await read('first');
    expect(world.looks).toBe(1);
  });

  test('of a tenant that asks for much, and none of another for it', async () => {
    const { world, read } = reader();
    await read('list', 1, 'quiet');
    await read('peers', 1, 'quiet');
    for (let i = 0; i < 3_000; i++) await read(`list ${i}`, 1, 'loud');
    world.looks = 0;
    await read('list', 1, 'quiet');
    await read('peers', 1, 'quiet');
    expect(world.looks).toBe(0);
    // What is over makes room, whose it was.
    world.now = 1_000;
    await read('list', 1, 'third');
    await read('list', 1, 'third');
    expect(world.looks).toBe(1);
  });

  test('heavy ones are fewer: those of whoever has most go first', async () => {
    const { world, read } = reader();
    await read('list', 1, 'quiet');
    for (let i = 0; i < 300; i++) await read(`list ${i}`, 9, 'loud');
    world.looks = 0;
    await read('list', 1, 'quiet');
    for (let i = 190; i < 300; i++) await read(`list ${i}`, 9, 'loud');
    expect(world.looks).toBe(0);
    await read('list 188', 9, 'loud');
    expect(world.looks).toBe(1);
  });

  test('what is kept is known without a question, and whether it still holds after one', async () => {
    const { world, reads, read } = reader();
    expect(reads.kept('tenant', 'list')).toBeUndefined();
    await read();
    expect(reads.kept('tenant', 'list')).toBe('list of 1, look 1');
    expect(await reads.keptStill('tenant', 'list')).toBe('list of 1, look 1');
    world.state = 2;
    expect(reads.kept('tenant', 'list')).toBe('list of 1, look 1');
    expect(await reads.keptStill('tenant', 'list')).toBeUndefined();
    world.state = 1;
    world.now = 1_000;
    expect(reads.kept('tenant', 'list')).toBeUndefined();
    expect(await reads.keptStill('tenant', 'list')).toBeUndefined();
  });

  test('what is committed while an answer is made is not overlooked by the next', async () => {
    const { world, reads, read } = reader();
    const made = await reads.current(
      'tenant',
      'list',
      () => Promise.resolve(`before ${++world.state}`),
      () => 1,
    );
    expect(made).toBe('before 2');
    expect(await read()).toBe('list of 2, look 1');
  });

  test('a question that fails is reported, and asked again', async () => {
    let fails = true;
    const reads = new Reads<number>(() => (fails ? Promise.reject(new Error('gone')) : Promise.resolve('1')));
    const read = () =>
      reads.current(
        'tenant',
        'list',
        () => Promise.resolve(1),
        () => 1,
      );
    await expect(read()).rejects.toThrow('gone');
    fails = false;
    expect(await read()).toBe(1);
  });
});

test('one question serves for a quarter of a second, unless something was changed here or it failed', async () => {
  let now = 0;
  let state = 1;
  let fails = false;
  const reads = new Reads<never, string>(
    () => (fails ? Promise.reject(new Error('gone')) : Promise.resolve(String(state))),
    () => now,
  );
  const recent = () => reads.recent('tenant', 'lookup', () => Promise.resolve(String(state)));
  const known = () => reads.knownRecent('tenant', 'lookup') ?? null;
  expect(known()).toBeNull();
  const asked = recent();
  expect(known(), 'the answer is not there yet').toBeNull();
  expect(await asked).toBe('1');
  state = 2;
  now = 249;
  expect(known()).toBe('1');
  expect(await recent()).toBe('1');
  now = 250;
  expect(known()).toBeNull();
  expect(await recent()).toBe('2');
  state = 3;
  reads.committed();
  expect(known()).toBeNull();
  expect(await recent()).toBe('3');
  fails = true;
  now = 1_000;
  await expect(recent()).rejects.toThrow('gone');
  fails = false;
  expect(await recent()).toBe('3');
});

test('whoever reads on waits for no question and no state, and sees nothing older than a quarter of a second', async () => {
  const world = { now: 0, changedAt: [0], questions: 0, looks: 0 };
  const version = () => world.changedAt.length - 1;
  const reads = new Reads<never, number>(
    () => (world.questions++, Promise.resolve(String(version()))),
    () => world.now,
  );
  const look = () => (world.looks++, Promise.resolve(version()));
  await reads.recent('tenant', 'lookup', look);
  for (let at = 5; at <= 10_000; at += 5) {
    world.now = at;
    // Something is committed elsewhere, first now and then, at last each time.
    if (at % 700 === 0 || at > 9_000) world.changedAt.push(at);
    const known = reads.knownRecent('tenant', 'lookup');
    expect(known, `at ${at}`).toBeDefined();
    const staleSince = world.changedAt[known! + 1] ?? at;
    expect(at - staleSince, `at ${at}`).toBeLessThanOrEqual(250);
    // What was asked for is there before the next reader comes.
    await new Promise(setImmediate);
  }
  // One question for each 175 ms, and a look for each state that one found, or after 750 ms.
  expect(world.questions).toBeLessThan(62);
  expect(world.looks).toBeLessThan(40);
});

test('a renewal that fails leaves the next reader to ask, who meets the fault', async () => {
  const world = { now: 0, fails: false };
  const reads = new Reads<never, string>(
    () => Promise.resolve('1'),
    () => world.now,
  );
  const look = () => (world.fails ? Promise.reject(new Error('gone')) : Promise.resolve(`at ${world.now}`));
  const recent = () => reads.recent('tenant', 'lookup', look);
  await recent();
  world.fails = true;
  for (world.now = 100; world.now < 1_000; world.now += 100) {
    if (reads.knownRecent('tenant', 'lookup') === undefined) await recent();
    await new Promise(setImmediate);
  }
  expect(reads.knownRecent('tenant', 'lookup'), 'too old').toBeUndefined();
  await expect(recent()).rejects.toThrow('gone');
  world.fails = false;
  expect(await recent()).toBe('at 1000');
});

describe('the name of what is committed', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.close());

  test('stays while others only read, and changes with every commit', async () => {
    const { db } = database;
    const tenantId = await database.createTenant();
    const read = () => db.inTenant(tenantId, (tx) => tx.sql.selectFrom('setting').selectAll().execute());
    const set = (key: string) =>
      db.inTenant(tenantId, (tx) =>
        tx.sql.insertInto('setting').values({ tenant_id: tenantId, key, value: '1' }).execute(),
      );
    // Other test files commit to databases of the same server.
    const staysWhileRead = async (): Promise<boolean> => {
      const before = await db.snapshot();
      await read();
      return (await db.snapshot()) === before;
    };
    await expect.poll(staysWhileRead, { interval: 5 }).toBe(true);
    const names = [await db.snapshot()];
    for (let i = 0; i < 5; i++) {
      await set(`k${i}`);
      names.push(await db.snapshot());
    }
    expect(new Set(names).size).toBe(names.length);
  });

  test('changes when what was begun before it commits', async () => {
    const { db } = database;
    const tenantId = await database.createTenant();
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = db.inTenant(tenantId, async (tx) => {
      await tx.sql.insertInto('setting').values({ tenant_id: tenantId, key: 'a', value: '1' }).execute();
      begun.resolve();
      await end.promise;
    });
    await begun.promise;
    const before = await db.snapshot();
    end.resolve();
    await slow;
    expect(await db.snapshot()).not.toBe(before);
  });
});
