/** What is kept of ranges between builds is what the tables hold, whatever was edited, by whom, and taken back. */
import fc from 'fast-check';
import { CompiledQuery, sql, type KyselyPlugin } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type { TenantTx } from '../../../src/store/database/database.ts';
import { takingBack } from '../../../src/store/database/taking-back.ts';
import { deleteModule, insertModule } from '../../../src/store/modules/modules.ts';
import { insertCommunity } from '../../../src/store/tenants/communities.ts';
import {
  type EntryInput,
  knowRanges,
  listRangeInputs,
  selectStamps,
} from '../../../src/store/revisions/range-inputs.ts';
import { forgetSteps } from '../../../src/store/revisions/range-steps.ts';
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

/** What `work` asks the database, each statement as it would be planned. */
async function plansOf(tx: TenantTx, work: (tx: TenantTx) => Promise<unknown>): Promise<string[]> {
  const asked: { sql: string; parameters: readonly unknown[] }[] = [];
  const listening: KyselyPlugin = {
    transformQuery: ({ node, queryId }) => {
      asked.push(tx.sql.getExecutor().compileQuery(node, queryId));
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
  await work({ ...tx, sql: tx.sql.withPlugin(listening) });
  return Promise.all(
    asked.map(async ({ sql: text, parameters }) => {
      const explained = await tx.sql.executeQuery<{ 'QUERY PLAN': string }>(
        CompiledQuery.raw(`EXPLAIN ${text}`, [...parameters]),
      );
      return explained.rows.map((row) => row['QUERY PLAN']).join('\n');
    }),
  );
}

test('the ids of a large module, a value of megabytes, are joined with no row of another', async () => {
  const plans = await tenant.run(async (tx) => {
    await insertModule(tx, { name: 'read', type: 'IP_RANGES' });
    const stamps = await stampsOf(tx);
    return plansOf(tx, (listened) => listRangeInputs(listened, stamps));
  });
  expect(plans).toHaveLength(1);
  expect(plans[0]).toContain('ip_range_entry');
  expect(plans[0]).not.toMatch(/Join|Nested Loop/);
});

describe('after an edit', () => {
  /** Whether all ranges were read, in a transaction that has edited them. */
  async function readsAll(tx: TenantTx): Promise<boolean> {
    const stamps = await stampsOf(tx);
    const plans = await plansOf(tx, (listened) => listRangeInputs(listened, stamps));
    return plans.some((plan) => /(?:Group|Hash)Aggregate/.test(plan) && plan.includes('ip_range_entry'));
  }

  let id: string;
  beforeEach(async () => {
    id = await tenant.run(async (tx) => {
      const made = (await insertModule(tx, { name: 'read', type: 'IP_RANGES' })).resource.id;
      for (let n = 0; n < 5; n++) await EDITS.add!(tx, [made], 0);
      return made;
    });
    expect(await tenant.run(readsAll)).toBe(true);
    expect(await tenant.run(readsAll)).toBe(false);
  });

  test.each(['add', 'remove', 'switch', 'mark'])('the entries that it touched are read: %s', async (edit) => {
    for (const isTakenBack of [true, false, true, false]) {
      const run = async (tx: TenantTx): Promise<void> => {
        await EDITS[edit]!(tx, [id], 1);
        expect(await readsAll(tx)).toBe(false);
        await expectSame(tx);
      };
      await tenant.run((tx) => (isTakenBack ? takingBack(tx, () => run(tx)) : run(tx)));
    }
    expect(await tenant.run(readsAll)).toBe(false);
  });

  test('trial after trial begins with what was there before them', async () => {
    for (let round = 0; round < 8; round++)
      await tenant.run(async (tx) => {
        await knowRanges(tx);
        await takingBack(tx, async () => {
          await EDITS.add!(tx, [id], 0);
          // At first so much that all of it is read.
          if (round < 6) await sql`UPDATE range_step SET entry_ids = NULL`.execute(tx.sql);
          expect(await readsAll(tx)).toBe(round < 6);
          await expectSame(tx);
        });
      });
  });

  test('all are, where several thousand were touched, or nobody knows any more which', async () => {
    await tenant.run(async (tx) => {
      await sql`INSERT INTO ip_range_entry (tenant_id, id, module_id, cidr)
                SELECT ${tx.tenantId}, gen_random_uuid(), ${id}, ('30.0.0.0'::inet + i * 256)::cidr FROM generate_series(1, 1001) i`.execute(
        tx.sql,
      );
      expect(await readsAll(tx)).toBe(true);
      await expectSame(tx);
    });
    await tenant.run(async (tx) => {
      await EDITS.add!(tx, [id], 0);
      await sql`UPDATE range_step SET made_at = now() - interval '2 hours'`.execute(tx.sql);
      await forgetSteps(tx);
      expect(await readsAll(tx)).toBe(true);
      await expectSame(tx);
    });
  });

  test('two that are made at the same time are both seen, whichever is committed first', async () => {
    for (const isFirst of [true, false]) {
      const both = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const edits = both.map(({ promise }, at) =>
        tenant.run(async (tx) => {
          // Of other entries; whoever adds some waits for whoever does, because of the quota.
          await EDITS.switch!(tx, [id], 2 * at);
          await promise;
        }),
      );
      for (const at of isFirst ? [0, 1] : [1, 0]) {
        both[at]!.resolve();
        await edits[at];
        await tenant.run(expectSame);
      }
    }
    expect(await tenant.run(readsAll)).toBe(false);
  });
});
