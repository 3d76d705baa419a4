/** What a plan says of routes, where there are more than are named, and where a router has none of them. */
import { expect, test } from 'vitest';
import { planLines } from '../../../src/cli/declared/plan-text.ts';
import { sessionKey } from '../../../src/cli/session/without-session.ts';

type Plan = Parameters<typeof planLines>[0];

const routes = (ipv4: number) => ({ ipv4, ipv6: 0 });
const peer = {
  ...{ peer_id: 'p1', name: 'edge2', before: routes(8), after: routes(5), updated: 0 },
  ...{ lost: 3, fitted_before: null, fitted: null, unfitted: null, unfitted_cost: null, session: 'same' },
};
const effect = {
  revision: null,
  summary: { announced: 4, withdrawn: 7, changed: 1 },
  by_community: [],
  items: [{ prefix: '9.9.9.0/24', change: 'withdrawn', communities_before: [], communities: [] }],
  has_more: true,
  speakers: [{ speaker_id: 's1', name: 'builtin', announced: 4, withdrawn: 7, changed: 1, peers: [peer] }],
  uncollected_module_ids: [],
};
const planWith = (down: Plan['down']): Plan =>
  ({
    ...{ changes: [], settings: [], left: [], untried: 0, effect, down },
    standing: { snapshots: new Map(), names: new Map(), contextWords: '', ofLatest: [] },
  }) as unknown as Plan;

test('routes that are not named are counted', () => {
  expect(planLines(planWith(new Map()))).toContain('  … and 11 more');
});

test('a router without a session has no routes now', () => {
  expect(planLines(planWith(new Map()))).toContain('edge2 at builtin: 8 routes now, 5 then');
  const down = new Map([[sessionKey('s1', 'p1'), 'active']]);
  expect(planLines(planWith(down))).toContain('edge2 at builtin: no session now (active), 5 then');
});
