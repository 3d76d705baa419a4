/** Apart from the shapes that name them: the command line starts without the library of schemas. */
import type { ProblemCode } from '../problems/problem.ts';

/** Codes of the guardrails that hold a module or a revision, and that a release or an apply may override. */
export const GUARDRAIL_CODES = [
  'default_route_forbidden',
  'coverage_exceeded',
  'prefix_too_short',
  'bogon_prefix',
  'protected_prefix',
  'max_change_exceeded',
  'rolled_back',
  'large_withdrawal',
  'max_prefixes_exceeded',
  'tenant_policy',
] as const satisfies readonly ProblemCode[];

/** Those that only super roles override. */
export const SUPER_GUARDRAILS: readonly string[] = [
  'default_route_forbidden',
  'tenant_policy',
] satisfies (typeof GUARDRAIL_CODES)[number][];
