/**
 * How much of generated input the tests try, and which. `SEED` begins where another run began; `FUZZ` multiplies how much there is:
 * 1 in `npm test`, 50 in `npm run test:soak`.
 */
import fc from 'fast-check';

export const FUZZ = Number(process.env.FUZZ ?? 1);

/** Whether there is time for what repeats in another mode: in the soak. */
export const isThorough = FUZZ > 1;

/** Continuous integration tries the same each time, so that it tells what a change broke; other runs look for what is new. */
const CI_SEED = 20_261_122;

export const SEED = Number(
  process.env.SEED ?? (process.env.CI === 'true' ? CI_SEED : Math.floor(Math.random() * 2 ** 31)),
);

/** That many, as often as `FUZZ` says. @param few how many where each takes long and this is no soak */
export function times(count: number, few = count): number {
  return Math.ceil((isThorough ? count : few) * FUZZ);
}

// Of each property of fast-check that says nothing else. A failure prints its seed.
fc.configureGlobal({ seed: SEED, numRuns: times(100) });
