import type { ApplyOutcome } from '../speaker.ts';
import { FamilyPlan } from './plan.ts';
import type { RoutesVersion } from '../routes-version.ts';
import { AdjRibOut, sameMeaning } from './adj-rib-out.ts';

/** The Adj-RIB-Out of a peer that receives everything, with a next hop of its own: counts changes that the labels alone do not show. */
const EVERYTHING = {
  labels: null,
  nextHop: { ipv4: null, ipv6: null },
  self: { ipv4: '192.0.2.1', ipv6: '2001:db8::1' },
  isBird: false,
} as const;

/** What an apply changes, in routes: shown before it as a preview, and after it as its outcome. */
export function outcomeOf(before: RoutesVersion, after: RoutesVersion): ApplyOutcome {
  const rows = ({ table }: RoutesVersion): number => table.ipv4.size + table.ipv6.size;
  if (rows(before) === 0) return { announced: rows(after), withdrawn: 0, changed: 0 };
  const from = AdjRibOut.of(before, EVERYTHING);
  const to = AdjRibOut.of(after, EVERYTHING);
  if (sameMeaning(from, to)) {
    const { announced, withdrawn, changed } = after.diffFrom(before);
    return { announced, withdrawn, changed };
  }
  const outcome = { announced: 0, withdrawn: 0, changed: 0 };
  for (const family of ['ipv4', 'ipv6'] as const) {
    const plan = FamilyPlan.of(family, from, to);
    while (!plan.done) plan.step();
    outcome.announced += plan.fresh;
    outcome.changed += plan.size - plan.fresh;
    outcome.withdrawn += plan.withdraw.length;
  }
  return outcome;
}
