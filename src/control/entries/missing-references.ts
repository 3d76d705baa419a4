/** What something that is to be put back refers to, and was deleted meanwhile. */
import { Problem } from '../../api/problems/problem.ts';

/** What takes the place of references. */
export interface Replaced {
  /** By the id of what is gone, the id of what is called so now; null: there is none. */
  readonly ids: ReadonlyMap<string, string | null>;
  /** Names of those that there is nothing for. */
  readonly missing: readonly string[];
}

/** Finds what is gone by its name. Pure. @param remembered names by id @param present ids by name */
export function replaceMissing(
  remembered: Readonly<Record<string, string>>,
  present: ReadonlyMap<string, string>,
): Replaced {
  const known = new Set(present.values());
  const gone = Object.entries(remembered).filter(([id]) => !known.has(id));
  const ids = new Map(gone.map(([id, name]) => [id, present.get(name) ?? null]));
  const missing = gone.flatMap(([, name]) => (present.has(name) ? [] : [name]));
  return { ids, missing: [...new Set(missing)].sort() };
}

/**
 * Routes without a community may be taken for something else, a blackhole for a destination: so nothing comes back without one by itself.
 * @throws {Problem} `conflict`
 */
export function refuseMissing(noun: string, path: string, missing: readonly string[]): void {
  const [first] = missing;
  if (first === undefined) return;
  const more = missing.length > 1 ? ` and ${missing.length - 1} more` : '';
  throw new Problem(
    'conflict',
    `The ${noun} ${first}${more} was deleted meanwhile. Create it again in ${path}, and restore then; ` +
      'or restore without it, by /leave_out_missing.',
    {
      errors: missing.slice(0, 100).map((name) => ({
        pointer: '/leave_out_missing',
        detail: `The ${noun} ${name} was deleted meanwhile.`,
      })),
    },
  );
}
