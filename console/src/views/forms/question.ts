/** What is asked before the changes of a form are saved. */
import type { Module } from '../../service/queries.ts';
import {
  mayChangeRoutes,
  planUnlessRefused,
  type Members,
  type Plan,
  type Write,
} from '../../service/writes.ts';
import { limitsPeer, takesAway } from '../revisions/harm.ts';

/** What else is to be known before changes are saved; null: nothing. */
export type WarningOf = (changes: Members) => string | null | Promise<string | null>;

export interface Question {
  /** Null: no route has to do with it. */
  readonly plan: Plan | null;
  readonly warning: string | null;
}

/** Null: it is saved at once. What would be refused says so best itself. */
export async function questionOf(
  write: Write,
  warningOf: WarningOf,
  readModules: () => Promise<readonly Module[]>,
): Promise<Question | null> {
  const warning = await warningOf(write.body as Members);
  if (!mayChangeRoutes(write)) return warning === null ? null : { plan: null, warning };
  const plan = await planUnlessRefused(write);
  if (plan === null) return null;
  const isAsked = warning !== null || limitsPeer(plan, write.path) || takesAway(plan, await readModules());
  return isAsked ? { plan, warning } : null;
}
