import { expect, test } from 'vitest';
import { createIpRangeEntries } from '../../../src/control/entries/ip-range-entries.ts';
import { RuleContents } from '../../../src/control/firewall/rule-contents.ts';
import { changeModule } from '../../../src/control/lists/modules.ts';
import { formatPrefix } from '../../../src/core/prefix.ts';
import { prefixesOf } from '../../../src/core/sets/prefix-set.ts';
import { applied, scattered, useGuarded } from '../guards/guarded.ts';

const guarded = useGuarded();

test('what a rule lists of a revision stays the same, whatever its module is for by now', async () => {
  const { plane } = guarded;
  const { db } = plane.database;
  await applied(guarded, scattered(200));
  const out = await guarded.addModule('out', { purpose: 'exclude', type: 'IP_RANGES' });
  await plane.run((tx) => createIpRangeEntries(tx, out, [{ cidr: '9.9.9.0/24' }], () => ''));
  const revision = await guarded.refresh(out);
  // Another process has not looked at it before.
  const listed = async (): Promise<string[]> => {
    const rule = { module_ids: [out], community_ids: [], cidrs: [] };
    const { ipv4 } = await new RuleContents(db).sets(plane.tenantId, revision, rule);
    return Array.from(prefixesOf(ipv4.set), formatPrefix);
  };
  expect(await listed()).toEqual(['9.9.9.0/24']);
  await plane.run((tx) => changeModule(tx, out, { purpose: 'announce' }, null));
  expect(await listed()).toEqual(['9.9.9.0/24']);
});
