import type pg from 'pg';
import { Problem } from '../../api/problems/problem.ts';
import { QUOTAS, type QuotaName } from '../../api/access/tenants.ts';

/** The code with which the triggers of migration 9 refuse a row. */
export const QUOTA_EXCEEDED = 'PC001';

/** The refusal of a trigger in words. */
export function quotaProblem(error: pg.DatabaseError): Problem {
  const { resource, maximum, used, more } = JSON.parse(error.detail ?? '{}') as {
    resource: QuotaName;
    maximum: number;
    used: number;
    more: number;
  };
  return new Problem(
    'quota_exceeded',
    `${QUOTAS[resource]}: the tenant may have ${maximum} and has ${used}; ${more} more would be too many. ` +
      'Delete some, or ask the operator of the service for more.',
  );
}
