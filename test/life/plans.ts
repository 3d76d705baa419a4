/** Which edits are planned before they are made, and what is kept of the plan. */
import type { Effect } from '../../src/api/revisions/plan.ts';
import type { RevisionModel } from './model.ts';

/** A plan of the last edit of a step. */
export interface Planned {
  readonly request: string;
  readonly effect: Effect;
  /** What its difference is to. */
  readonly before: RevisionModel | null;
  /** Whether the step has no other edit. */
  readonly isOnly: boolean;
}

/** Edits of lists, communities, speakers and peers; what else there is starts something that a plan does not foresee. */
const EDIT =
  /^\/v1\/(modules|communities|speakers|peers)(\/[^/]+(\/[a-z-]+entries|\/cdn-sources)?(\/[^/]+)?)?$/;
const NO_EDIT = /\/(refresh|release|restore)$/;

/** Whether what the write leads to follows at once, from what is there already. */
export function isPlanned(method: string, path: string, body: object | undefined): boolean {
  if (method === 'GET' || !EDIT.test(path) || NO_EDIT.test(path)) return false;
  // It leaves by itself, later.
  return !JSON.stringify(body ?? {}).includes('expires_at');
}
