/** What an apply changes, in routes, where a label that stays comes to mean something else. */
import { expect, test } from 'vitest';
import { outcomeOf } from '../../../src/speakers/exports/outcome.ts';
import { RoutesVersion } from '../../../src/speakers/routes-version.ts';
import { routesModel, tableOf } from '../builtin/models.ts';

const LABEL = '65000:1';

test('routes that stay with another community are changed, those that come are not', () => {
  const before = new RoutesVersion(
    routesModel(tableOf({ '192.0.2.0/25': [LABEL], '192.0.2.128/25': [LABEL], '2001:db8::/48': [LABEL] })),
  );
  const table = tableOf({ '192.0.2.0/25': [LABEL], '198.51.100.0/24': [LABEL], '2001:db8:1::/48': [LABEL] });
  const renamed = { [LABEL]: { community: '65000:2', nextHopIpv4: null, nextHopIpv6: null } };
  const after = new RoutesVersion(routesModel(table, { labels: renamed }));
  expect(outcomeOf(before, after)).toEqual({ announced: 2, withdrawn: 2, changed: 1 });
  expect(outcomeOf(after, before)).toEqual({ announced: 2, withdrawn: 2, changed: 1 });
});

test('where labels mean the same, their tables are compared', () => {
  const [before, after] = [
    { '192.0.2.0/25': [LABEL], '192.0.2.128/25': [LABEL] },
    { '192.0.2.0/25': [], '198.51.100.0/24': [LABEL] },
  ].map((routes) => new RoutesVersion(routesModel(tableOf(routes)))) as [RoutesVersion, RoutesVersion];
  expect(outcomeOf(before, after)).toEqual({ announced: 1, withdrawn: 1, changed: 1 });
  const empty = new RoutesVersion(routesModel(tableOf({})));
  expect(outcomeOf(empty, after)).toEqual({ announced: 2, withdrawn: 0, changed: 0 });
  expect(outcomeOf(after, empty)).toEqual({ announced: 0, withdrawn: 2, changed: 0 });
});
