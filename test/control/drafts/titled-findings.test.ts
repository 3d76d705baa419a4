/** Findings name the entry that they are about as people do. */
import { expect, test } from 'vitest';
import type { Finding } from '../../../src/api/revisions/revisions.ts';
import { withTitles } from '../../../src/control/drafts/titled-findings.ts';
import { createIpRangeEntries } from '../../../src/control/entries/ip-range-entries.ts';
import { createModule } from '../../../src/control/lists/modules.ts';
import { useTenant } from '../../tenant.ts';

const tenant = useTenant();
const GONE = '00000000-0000-4000-8000-000000000001';
const of = (entry_id: string | null) => ({ detail: 'It is too short.', entry_id }) as Finding;

test('of a revision, and of lists that are held; one that is gone has no name', async () => {
  const id = await tenant.run(async (tx) => {
    const { resource } = await createModule(tx, { name: 'list', type: 'IP_RANGES' });
    const [made] = await createIpRangeEntries(tx, resource.id, [{ cidr: '9.9.9.0/24' }], () => '');
    return made!.resource.id;
  });
  const found = {
    findings: [of(id), of(null), of(GONE)],
    held: [{ module_id: 'list', snapshot: 'hash', findings: [of(id)] }],
  };
  const titled = await withTitles(found, (work) => tenant.run(work));
  const said = titled.findings.map(({ detail }) => detail);
  expect(said.slice(1)).toEqual(['It is too short.', 'It is too short.']);
  expect(said[0]).toMatch(/^It is too short\. Look at .*9\.9\.9\.0\/24\.$/);
  expect(titled.held).toMatchObject([{ module_id: 'list', findings: [{ detail: said[0] }] }]);
});
