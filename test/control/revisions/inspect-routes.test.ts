/** Guardrails that have changed since a revision was built. */
import { expect, test } from 'vitest';
import fc from 'fast-check';
import { inspectTable } from '../../../src/control/guards/guard.ts';
import type { Guardrails } from '../../../src/control/guards/guardrails.ts';
import { inspectRoutes } from '../../../src/control/revisions/inspect-routes.ts';
import { tableCache } from '../../../src/control/tables/table-cache.ts';
import { encodeTable } from '../../../src/core/stored/table-codec.ts';
import type { PrefixTable } from '../../../src/core/tables/prefix-table.ts';
import { storeTable } from '../../../src/store/contents/contents.ts';
import { tables } from '../../bundle/sample.ts';
import { times } from '../../fuzz.ts';
import { bigTable } from '../../speakers/builtin/models.ts';
import { useTenant } from '../../tenant.ts';
import { guardrailsOf } from '../guards/guardrails.ts';

const tenant = useTenant();

const store = (table: PrefixTable): Promise<string> =>
  tenant.run((tx) => storeTable(tx, encodeTable(table), { ipv4: table.ipv4.size, ipv6: table.ipv6.size }));

const guardrails: fc.Arbitrary<Guardrails> = fc
  .record({
    protected: fc.array(
      fc.constantFrom(
        '10.0.0.1',
        '0.0.0.0/0',
        '16.0.0.0/20',
        '192.0.2.0/24',
        '2001:db8::/32',
        '::/1',
        '8.8.8.8/32',
      ),
      { maxLength: 3 },
    ),
    minLength: fc.record({ ipv4: fc.integer({ min: 0, max: 24 }), ipv6: fc.integer({ min: 0, max: 48 }) }),
    bogons: fc.constantFrom('drop' as const, 'allow' as const),
    allowDefaultRoute: fc.boolean(),
    maxPrefixes: fc.integer({ min: 0, max: 20 }),
  })
  .map((rest) =>
    guardrailsOf({ ...rest, protected: rest.protected.map((prefix) => ({ prefix, of: 'a peer' })) }),
  );

test('the same is found as by a look at every route, whatever was found before', () =>
  fc.assert(
    fc.asyncProperty(tables, fc.array(guardrails, { minLength: 1, maxLength: 4 }), async (table, some) => {
      const contentHash = await store(table);
      for (const one of some) {
        const found = await tenant.run((tx) => inspectRoutes(tx, contentHash, one));
        expect(found).toEqual(inspectTable(table, one));
      }
    }),
    { numRuns: times(60) },
  ));

test('a peer that comes or goes costs a lookup among the routes, not a walk through them', async () => {
  const contentHash = await store(bigTable(30_000, ['65000:100']));
  const inspect = (address: string) =>
    tenant.run((tx) => {
      const peer = { prefix: address, of: 'the peer edge' };
      return inspectRoutes(tx, contentHash, guardrailsOf({ protected: [peer] }));
    });
  expect(await inspect('192.0.2.1')).toEqual([]);
  const table = await tenant.run((tx) => tableCache.load(tx, contentHash));
  // What is walked through again would be read from the database again, which has it no more.
  await tenant.database.admin('DELETE FROM prefixcast.content_block');
  expect(await inspect('192.0.2.2')).toEqual([]);
  expect(await inspect('192.0.2.3')).toEqual([]);
  expect(table.ipv4.size).toBe(30_000);
  await expect(inspect('16.0.0.5')).rejects.toThrow();
});
