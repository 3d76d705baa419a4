import { Problem, fieldProblem } from '../../api/problems/problem.ts';
import { REVISION_NAME, type RevisionName } from '../../api/revisions/revisions.ts';
import { isUuid } from '../../api/shapes/uuid.ts';
import type { TenantTx } from '../../store/database/database.ts';
import {
  findAppliedRevision,
  findLatestReadyRevision,
  findRevision,
  findRevisionNumbered,
  type StoredRevision,
} from '../../store/revisions/stored-revisions.ts';

const NUMBER = /^[1-9]\d{0,8}$/;

/** A revision as a path names it. @throws {Problem} `not_found` */
export async function revisionOfPath(tx: TenantTx, name: string): Promise<StoredRevision> {
  const found = await findNamed(tx, name);
  if (typeof found === 'string') throw new Problem('not_found', found);
  return found;
}

/** A revision as a member of a body names it. @throws {Problem} `validation_failed` */
export async function revisionOfBody(
  tx: TenantTx,
  name: RevisionName,
  pointer = '/revision_id',
): Promise<StoredRevision> {
  const found = await findNamed(tx, String(name));
  if (typeof found === 'string') throw fieldProblem(pointer, found);
  return found;
}

/** A revision as a parameter of the query names it. @throws {Problem} `validation_failed` */
export async function revisionOfQuery(
  tx: TenantTx,
  parameter: string,
  name: string,
): Promise<StoredRevision> {
  const found = await findNamed(tx, name);
  if (typeof found === 'string') throw fieldProblem(`?${parameter}`, found);
  return found;
}

/** Whether the name stands for another revision later. */
export function isMovingName(name: string | undefined): boolean {
  return name === 'latest' || name === 'applied';
}

/** @returns why there is none, for a person, where there is none */
async function findNamed(tx: TenantTx, name: string): Promise<StoredRevision | string> {
  if (name === 'latest')
    return (
      (await findLatestReadyRevision(tx)) ?? 'There is no ready revision yet. Refresh a module to build one.'
    );
  if (name === 'applied')
    return (
      (await findAppliedRevision(tx)) ??
      'No enabled speaker runs a revision yet. Apply one with POST /v1/apply.'
    );
  if (NUMBER.test(name))
    return (
      (await findRevisionNumbered(tx, Number(name))) ??
      `No revision has the number ${name}. List /v1/revisions to see which exist.`
    );
  if (isUuid(name))
    return (
      (await findRevision(tx, name.toLowerCase())) ??
      `No revision has the id ${JSON.stringify(name)}. List /v1/revisions to see which exist.`
    );
  return `${JSON.stringify(name)} names no revision. Give ${REVISION_NAME}.`;
}
