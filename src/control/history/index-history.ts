import { Problem } from '../../api/problems/problem.ts';
import { loadStored } from '../../store/contents/contents.ts';
import type { Database } from '../../store/database/database.ts';
import {
  claimDueSteps,
  listMissingSteps,
  listTenantsWithDueSteps,
  saveStep,
  settleDueSteps,
} from '../../store/revisions/history.ts';
import { listRevisionInputs } from '../../store/revisions/revision-history.ts';
import { type StepReader, makeStep } from './make-step.ts';

/** Steps that are made of a tenant before others have their turn. */
const STEPS_AT_ONCE = 10;

export interface HistoryTools {
  readonly db: Database;
  readonly onFault: (tenantId: string | null, error: unknown) => void;
}

/**
 * Makes the steps that histories are answered from, of every tenant with revisions that came or went since, the newest first. Nothing waits
 * for it: a history makes what it finds missing. One that fails is tried again after some minutes.
 * @returns whether there is more to make
 */
export async function indexHistory(tools: HistoryTools, signal?: AbortSignal): Promise<boolean> {
  let isMore = false;
  for (const tenantId of await tools.db.alone(listTenantsWithDueSteps)) {
    if (signal?.aborted === true) return false;
    try {
      isMore = (await indexTenant(tools, tenantId, signal)) || isMore;
    } catch (error) {
      tools.onFault(tenantId, error);
    }
  }
  return isMore;
}

async function indexTenant(
  { db, onFault }: HistoryTools,
  tenantId: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const claimed = await db.inTenant(tenantId, claimDueSteps);
  if (claimed.length === 0) return false;
  const reader: StepReader = {
    inputsOf: (id) => db.inTenant(tenantId, (tx) => listRevisionInputs(tx, id)),
    contentOf: (hash) => db.inTenant(tenantId, (tx) => loadStored(tx, hash)),
  };
  const missing = await db.inTenant(tenantId, (tx) => listMissingSteps(tx, STEPS_AT_ONCE + 1));
  let hasFailed = false;
  for (const step of missing.slice(0, STEPS_AT_ONCE)) {
    try {
      const made = await makeStep(reader, step, signal);
      await db.inTenant(tenantId, (tx) => saveStep(tx, step, made));
    } catch (error) {
      if (signal?.aborted === true) return false;
      // One of its revisions was pruned meanwhile, for which there is a look of its own.
      if (error instanceof Problem && error.code === 'not_found') continue;
      hasFailed = true;
      onFault(tenantId, error);
    }
  }
  const isMore = missing.length > STEPS_AT_ONCE;
  if (!hasFailed) await db.inTenant(tenantId, (tx) => settleDueSteps(tx, claimed, isMore));
  return isMore && !hasFailed;
}
