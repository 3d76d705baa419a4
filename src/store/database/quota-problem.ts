import type pg from 'pg';
import { Problem } from '../../api/problems/problem.ts';
import { QUOTAS, type QuotaName } from '../../api/access/tenants.ts';

/** The error code of the quota triggers (migration 9). */
export const QUOTA_EXCEEDED = 'PC001';

/** The quota, what the tenant has, and how much more it requested. */
export interface Refusal {
  readonly resource: QuotaName;
  readonly maximum: number;
  readonly used: number;
  readonly more: number;
}

/** The refusal in a trigger's error. */
export function refusalOf(error: pg.DatabaseError): Refusal {
  return JSON.parse(error.detail ?? '{}') as Refusal;
}

/** A refusal in words. */
export function quotaProblem({ resource, maximum, used, more }: Refusal): Problem {
  return new Problem(
    'quota_exceeded',
    `${QUOTAS[resource]}: the tenant may have ${maximum} and has ${used}; ${more} more would be too many. ` +
      'Delete some, or ask the operator of the service for more.',
  );
}
