import type { ProblemCode } from '../../api/problems/problem.ts';
import type { PrefixSet } from '../../core/sets/prefix-set.ts';

/** What a look for bad rows has found. */
export interface Bad {
  readonly code: ProblemCode;
  readonly community: string | null;
  readonly examples: string[];
  readonly count: number;
  readonly first: number;
  readonly routes: PrefixSet;
}

/** Looks for the rows of one family that break the guardrail of this code; null where there are none. */
export type Find = (code: ProblemCode, isBad: (row: number) => boolean) => Bad | null;
