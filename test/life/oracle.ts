/**
 * The oracle: what the routes of a tenant are to be, worked out plainly. It shares no code with the service: addresses are BigInts, sets
 * are lists of ranges (test/oracle/), and every step recalculates everything.
 */
import { AddressRanges } from '../oracle/address-ranges.ts';
import type { Routes } from './model.ts';
import type { Life } from './life.ts';
import { judgeWith, keptStays, type Stay, type Verdict, routesWith } from './judging.ts';
import { parsed } from './prefixes.ts';
import { slipsNow } from './slips.ts';

/**
 * A module that would break a guardrail is held, or what a rollback took back; what was accepted of it takes its place.
 * @param isJustRolledBack who rolls back looks at contents alone
 */
export function judge(life: Life, isJustRolledBack = false): Verdict[] {
  return isJustRolledBack ? judgeWith(life, keptStays(life), true) : judgeWith(life, staysNow(life));
}

/** These, and those of slips. */
function staysNow(life: Life): Stay[] {
  return [...keptStays(life), ...slipsNow(life).values()];
}

/** The routes of a revision that is built now. */
export function routesOf(life: Life): Routes {
  return routesWith(life, staysNow(life));
}

/** Whether the prefix has addresses that the routes cover. */
export function meetsRoutes(routes: Routes, text: string): boolean {
  const prefix = parsed(text);
  const others = [...routes.keys()].map(parsed).filter(({ family }) => family === prefix.family);
  return (
    others.length > 0 && AddressRanges.of(others).intersect(AddressRanges.of([prefix])).ranges.length > 0
  );
}
