import type pg from 'pg';
import { Problem } from '../../api/problems/problem.ts';
import { QUOTAS, type QuotaName } from '../../api/access/tenants.ts';

/** The code with which the triggers of migration 9 refuse a row. */
export const QUOTA_EXCEEDED = 'PC001';

/** What a quota allows, what the tenant has, and how much more it asked for. */
export interface Refusal {
  readonly resource: QuotaName;
  readonly maximum: number;
  readonly used: number;
  readonly more: number;
}

/** The refusal of a trigger. */
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
