import { afterAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { FUZZ, SEED, times } from '../fuzz.ts';
import { World } from './world.ts';
import { type Failure, type Weather, tellFailure, walkIn } from './walks.ts';

const lacks = requireDaemon('bird') === null;

const path = process.env.LIFE_PATH;
const replay = process.env.LIFE_REPLAY;
const only = process.env.LIFE_KIND;
/** How long a failing walk is made shorter. */
const shrinkSeconds = Number(process.env.LIFE_SHRINK ?? 120);

/** The longer a walk, the fewer of its deeds are new: the soak takes longer ones, of which there are more as well. */
const isLong = FUZZ > 1;

const HOUR = 3_600_000;

describe.skipIf(lacks)(`the life of lists (seed ${SEED}, FUZZ ${FUZZ})`, () => {
  const worlds: World[] = [];
  afterAll(() => Promise.all(worlds.map((world) => world.close())));

  /** Side by side in as many places; each has seeds of its own, so that what it finds can be told again alone. */
  async function walk(how: Weather, places: number, count: number): Promise<void> {
    const { kind } = how;
    if (only !== undefined && only !== kind) return;
    const world = await World.start(path === undefined ? places : 1, kind === 'stormy');
    worlds.push(world);
    const each = Math.ceil(times(count) / places);
    // Thousands of walks take hours: whoever waits is told of a failure when it is found.
    let hasFailed = false;
    const run = async (place: World['places'][number]): Promise<Failure | null> => {
      const failure = await walkIn(world, place, {
        ...{ ...how, walks: each, seed: SEED + place.index, shrinkWithinMs: shrinkSeconds * 1000 },
        ...(path === undefined ? {} : { path }),
        ...(replay === undefined ? {} : { replay }),
        isOver: () => hasFailed,
        onFailure: () => (hasFailed = true),
      });
      if (failure !== null) console.error(tellFailure(failure, kind));
      return failure;
    };
    const failures = (await Promise.all(world.places.map(run))).filter((failure) => failure !== null);
    expect(failures.map((failure) => tellFailure(failure, kind)).join('\n\n')).toBe('');
    expect(world.faults).toEqual([]);
  }

  const walks = (title: string, how: Weather, places: number, count: number): void =>
    test.concurrent(title, () => walk(how, places, count), HOUR * Math.max(1, FUZZ));

  walks('is what the oracle says, deed by deed', { kind: 'calm', longest: isLong ? 14 : 7 }, 8, 104);
  walks('is so when large lists change and come back', { kind: 'lists', longest: isLong ? 12 : 6 }, 2, 24);
  walks('is so when edits take much away', { kind: 'slips', longest: isLong ? 12 : 7 }, 2, 24);
  walks('is so when people decide what guardrails hold', { kind: 'held', longest: isLong ? 8 : 4 }, 2, 16);
  walks('is so when routers change', { kind: 'routers', longest: isLong ? 16 : 10 }, 2, 16);
  walks('is so when the service is killed on the way', { kind: 'stormy', longest: isLong ? 10 : 8 }, 1, 16);
});
