import { afterAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { World } from './world.ts';
import { type Failure, type Weather, tellFailure, walkIn } from './walks.ts';

const lacks = requireDaemon('bird') === null;

/** `SEED` begins where another run began; `FUZZ` multiplies how many walks there are. */
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const fuzz = Number(process.env.FUZZ ?? 1);
const path = process.env.LIFE_PATH;
const replay = process.env.LIFE_REPLAY;
const weather = process.env.LIFE_WEATHER;

const HOUR = 3_600_000;

describe.skipIf(lacks)(`the life of lists (seed ${seed}, FUZZ ${fuzz})`, () => {
  const worlds: World[] = [];
  afterAll(() => Promise.all(worlds.map((world) => world.close())));

  /** Side by side in as many places; each has seeds of its own, so that what it finds can be told again alone. */
  async function walk(name: string, how: Weather, places: number, walks: number): Promise<void> {
    if (weather !== undefined && weather !== name) return;
    const world = await World.start(path === undefined ? places : 1, how.isStormy);
    worlds.push(world);
    const each = Math.ceil((walks * fuzz) / places);
    const run = (place: World['places'][number]): Promise<Failure | null> =>
      walkIn(world, place, {
        ...{ ...how, walks: each, seed: seed + place.index, shrinkWithinMs: 120_000 },
        ...(path === undefined ? {} : { path }),
        ...(replay === undefined ? {} : { replay }),
      });
    const failures = (await Promise.all(world.places.map(run))).filter((failure) => failure !== null);
    expect(failures.map((failure) => tellFailure(failure, name)).join('\n\n')).toBe('');
  }

  test.concurrent(
    'is what the oracle says, deed by deed',
    () => walk('calm', { isStormy: false, longest: 12 }, 8, 184),
    HOUR * fuzz,
  );

  test.concurrent(
    'is so when the service is killed on the way',
    () => walk('stormy', { isStormy: true, longest: 10 }, 1, 16),
    HOUR * fuzz,
  );
});
