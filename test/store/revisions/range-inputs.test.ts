/** What is kept of ranges between builds is what the tables hold, whatever was edited, by whom, and taken back. */
import fc from 'fast-check';
import { CompiledQuery, sql, type KyselyPlugin } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { TenantTx } from '../../../src/store/database/database.ts';
import { takingBack } from '../../../src/store/database/taking-back.ts';
import { deleteModule, insertModule } from '../../../src/store/modules/modules.ts';
import { insertCommunity } from '../../../src/store/tenants/communities.ts';
import { type EntryInput, listRangeInputs, selectStamps } from '../../../src/store/revisions/range-inputs.ts';
import { listEntryInputs } from '../../../src/store/revisions/revision-inputs.ts';
import { SEED, times } from '../../fuzz.ts';
import { useTenant } from '../../tenant.ts';

const tenant = useTenant();
let communityIds: readonly string[] = [];
let places = 0;

beforeEach(async () => {
  await tenant.run((tx) => tx.sql.deleteFrom('module').where('tenant_id', '=', tx.tenantId).execute());
});

type Edit = (tx: TenantTx, modules: readonly string[], which: number) => Promise<unknown>;

const oneOf = <T>(some: readonly T[], which: number): T => some[which % some.length]!;
const ranges = (tx: TenantTx, moduleId: string, which: number) => sql`
  (SELECT id FROM ip_range_entry WHERE tenant_id = ${tx.tenantId} AND module_id = ${moduleId} ORDER BY id OFFSET ${which % 3} LIMIT 2)`;

const EDITS: Readonly<Record<string, Edit>> = {
  add: (tx, modules, which) =>
    sql`INSERT INTO ip_range_entry (tenant_id, id, module_id, cidr, enabled)
        SELECT ${tx.tenantId}, gen_random_uuid(), ${oneOf(modules, which)}, ('20.0.0.0'::inet + ${++places} * 1024 + i * 256)::cidr, i <> 2
          FROM generate_series(0, 2) i`.execute(tx.sql),
  remove: (tx, modules, which) =>
    sql`DELETE FROM ip_range_entry WHERE tenant_id = ${tx.tenantId}
         AND id IN ${ranges(tx, oneOf(modules, which), which)}`.execute(tx.sql),
  switch: (tx, modules, which) =>
    sql`UPDATE ip_range_entry SET enabled = NOT enabled WHERE tenant_id = ${tx.tenantId}
         AND id IN ${ranges(tx, oneOf(modules, which), which)}`.execute(tx.sql),
  mark: (tx, modules, which) =>
    sql`UPDATE ip_range_entry SET community_ids = ${which % 3 === 0 ? [] : communityIds.slice(0, which % 3)}::uuid[]
         WHERE tenant_id = ${tx.tenantId} AND id IN ${ranges(tx, oneOf(modules, which), which)}`.execute(
      tx.sql,
    ),
  'switch module': (tx, modules, which) =>
    sql`UPDATE module SET enabled = NOT enabled
         WHERE tenant_id = ${tx.tenantId} AND id = ${oneOf(modules, which)}`.execute(tx.sql),
};

/** What the tables say. */
async function listPlainly(tx: TenantTx): Promise<EntryInput[]> {
  const { rows } = await sql<{ id: string; module_id: string; community_ids: string[] }>`
    SELECT entry.id, entry.module_id, entry.community_ids FROM ip_range_entry entry JOIN module ON module.id = entry.module_id
     WHERE entry.tenant_id = ${tx.tenantId} AND entry.enabled AND module.enabled
     ORDER BY entry.module_id, entry.community_ids, entry.id`.execute(tx.sql);
  const groups = Map.groupBy(rows, ({ module_id: id, community_ids: own }) => `${id} ${own.join()}`);
  return Array.from(groups.values(), (some) => ({
    ...{ module_id: some[0]!.module_id, community_ids: some[0]!.community_ids },
    entry_ids: some.map(({ id }) => id).join(','),
  }));
}

const stampsOf = async (tx: TenantTx) =>
  (await selectStamps(tx).orderBy('module_id').execute()).map(({ module_id, text }) => ({
    ...{ module_id, stamp: text },
  }));

async function expectSame(tx: TenantTx): Promise<void> {
  expect(await listRangeInputs(tx, await stampsOf(tx))).toEqual(await listPlainly(tx));
}

const step = fc.record({
  edit: fc.constantFrom(...Object.keys(EDITS)),
  which: fc.nat(99),
  isTakenBack: fc.boolean(),
});

test('every edit is seen, and one that is taken back is not', async () => {
  communityIds = await tenant.run(async (tx) => {
    const made = [];
    for (const community of ['64500:1', '64500:2'])
      made.push((await insertCommunity(tx, { community, title: community })).resource.id);
    return made.sort();
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const modules: string[] = [];
      for (const name of ['one', 'two'])
        modules.push((await tenant.run((tx) => insertModule(tx, { name, type: 'IP_RANGES' }))).resource.id);
      for (const { edit, which, isTakenBack } of steps) {
        const run = async (tx: TenantTx): Promise<void> => {
          await EDITS[edit]!(tx, modules, which);
          await expectSame(tx);
        };
        await tenant.run((tx) => (isTakenBack ? takingBack(tx, () => run(tx)) : run(tx)));
        await tenant.run(expectSame);
      }
      for (const id of modules) await tenant.run((tx) => deleteModule(tx, id, null));
    }),
    { seed: SEED, numRuns: times(15) },
  );
});

test('ranges are not read again where nobody has edited them', async () => {
  const [one, two] = await tenant.run(async (tx) => [
    (await insertModule(tx, { name: 'one', type: 'IP_RANGES' })).resource.id,
    (await insertModule(tx, { name: 'two', type: 'IP_RANGES' })).resource.id,
  ]);
  for (const id of [one, two]) await tenant.run((tx) => EDITS.add!(tx, [id], 0));
  const before = await tenant.run(listEntryInputs);
  await tenant.run((tx) => EDITS.add!(tx, [two], 0));
  const after = await tenant.run(listEntryInputs);
  const of = (inputs: readonly EntryInput[], id: string) => inputs.find((input) => input.module_id === id);
  expect(of(after, one)).toBe(of(before, one));
  expect(of(after, two)?.entry_ids.split(',')).toHaveLength(4);
});

test('the ids of a large module, a value of megabytes, are joined with no row of another', async () => {
  const plans = await tenant.run(async (tx) => {
    await insertModule(tx, { name: 'read', type: 'IP_RANGES' });
    const asked: { sql: string; parameters: readonly unknown[] }[] = [];
    const listening: KyselyPlugin = {
      transformQuery: ({ node, queryId }) => {
        asked.push(tx.sql.getExecutor().compileQuery(node, queryId));
        return node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    };
    const stamps = await stampsOf(tx);
    await listRangeInputs({ ...tx, sql: tx.sql.withPlugin(listening) }, stamps);
    return Promise.all(
      asked.map(async ({ sql: text, parameters }) => {
        const explained = await tx.sql.executeQuery<{ 'QUERY PLAN': string }>(
          CompiledQuery.raw(`EXPLAIN ${text}`, [...parameters]),
        );
        return explained.rows.map((row) => row['QUERY PLAN']).join('\n');
      }),
    );
  });
  expect(plans).toHaveLength(1);
  expect(plans[0]).toContain('ip_range_entry');
  expect(plans[0]).not.toMatch(/Join|Nested Loop/);
});
