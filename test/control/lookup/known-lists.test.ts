/** What lookups know of modules and entries, beside all that there is: after any commits of several processes, in whatever order they end. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { v7 as uuid } from 'uuid';
import { sql } from 'kysely';
import { ListReader } from '../../../src/control/lookup/known-lists.ts';
import { openDatabase, type Database, type TenantTx } from '../../../src/store/database/database.ts';
import { listLookupEntries, listLookupModules } from '../../../src/store/lookup/lookup.ts';
import { createTestDatabase, type TestDatabase } from '../../database.ts';
import { times } from '../../fuzz.ts';

let database: TestDatabase;
let other: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  other = openDatabase(database.address);
});
afterAll(async () => {
  await other.close();
  await database.close();
});

const HASHES = [1, 2].map((byte) => Buffer.alloc(32, byte));
const MODULES = 5;

/** A tenant, two processes that write, and two that look things up. */
class Scene {
  readonly #tenantId: string;
  readonly #readers = [new ListReader(), new ListReader()];
  readonly #ids = Array.from({ length: MODULES }, () => uuid());
  /** Transactions that have written and not ended, each of a module of its own. */
  readonly #open: (() => Promise<unknown>)[] = [];
  #count = 0;

  constructor(tenantId: string) {
    this.#tenantId = tenantId;
  }

  async begin(): Promise<void> {
    await this.#write(0, async (tx) => {
      for (const hash of HASHES)
        await sql`INSERT INTO content (tenant_id, content_hash, manifest, block_hashes, prefix_count_ipv4, prefix_count_ipv6)
                  VALUES (${tx.tenantId}, ${hash}, '', '{}', 0, 0)`.execute(tx.sql);
    });
  }

  /** @param process which one writes @param place of the module @param more another number, for what else there is to choose */
  async do(step: Step, process: number, place: number, more: number): Promise<void> {
    const id = this.#ids[place % MODULES]!;
    switch (step) {
      case 'end one':
        await this.#open.splice(more % (this.#open.length || 1), 1)[0]?.();
        return;
      case 'begin one':
        if (this.#open.length < 2) await this.#beginOne(process);
        return;
      default:
        await this.#write(process, (tx) => this.#change(tx, step, id, more));
    }
  }

  async #change(
    tx: TenantTx,
    step: Exclude<Step, 'begin one' | 'end one'>,
    id: string,
    more: number,
  ): Promise<void> {
    const of = sql`tenant_id = ${tx.tenantId} AND module_id = ${id}`;
    const there = sql`FROM module WHERE tenant_id = ${tx.tenantId} AND id = ${id}`;
    const is = sql`tenant_id = ${tx.tenantId} AND id = ${id}`;
    const statements = {
      // What was deleted comes back with its id.
      create: sql`INSERT INTO module (tenant_id, id, name, type) VALUES (${tx.tenantId}, ${id}, ${id}, 'IP_RANGES') ON CONFLICT DO NOTHING`,
      delete: sql`DELETE ${there}`,
      rename: sql`UPDATE module SET name = ${`${id} ${more}`} WHERE ${is}`,
      switch: sql`UPDATE module SET enabled = NOT enabled WHERE ${is}`,
      exclude: sql`UPDATE module SET purpose = CASE purpose WHEN 'exclude' THEN 'announce' ELSE 'exclude' END WHERE ${is}`,
      collect: sql`INSERT INTO snapshot (tenant_id, module_id, content_hash) SELECT tenant_id, id, ${HASHES[more % 2]!} ${there}
                   ON CONFLICT (tenant_id, module_id) DO UPDATE SET content_hash = EXCLUDED.content_hash`,
      hold: sql`INSERT INTO held_withdrawal (tenant_id, module_id, name, hash, state_hash, findings)
                SELECT tenant_id, id, name, ${HASHES[0]!}, ${HASHES[0]!}, '[]' ${there} ON CONFLICT DO NOTHING`,
      release: sql`DELETE FROM held_withdrawal WHERE ${of}`,
      'add a range': sql`INSERT INTO ip_range_entry (tenant_id, id, module_id, cidr)
                         SELECT tenant_id, ${uuid()}, id, set_masklen(${`11.0.${more}.0`}::inet, 24)::cidr ${there} ON CONFLICT DO NOTHING`,
      'add a domain': sql`INSERT INTO domain_entry (tenant_id, id, module_id, domain)
                          SELECT tenant_id, ${uuid()}, id, ${`d${more}.example`} ${there} ON CONFLICT DO NOTHING`,
      'edit a range': sql`UPDATE ip_range_entry SET cidr = set_masklen(${`12.${++this.#count % 250}.${more}.0`}::inet, 24)::cidr WHERE ${of}
                           AND id = (SELECT id FROM ip_range_entry WHERE ${of} ORDER BY id LIMIT 1)`,
      'switch entries': sql`UPDATE ip_range_entry SET enabled = NOT enabled WHERE ${of}`,
      'read domains': sql`UPDATE domain_entry SET last_refreshed_at = clock_timestamp() WHERE ${of}`,
      'remove a range': sql`DELETE FROM ip_range_entry WHERE ${of} AND id = (SELECT id FROM ip_range_entry WHERE ${of} ORDER BY id DESC LIMIT 1)`,
      'replace a range': sql`WITH gone AS (DELETE FROM ip_range_entry WHERE ${of}
                                           AND id = (SELECT id FROM ip_range_entry WHERE ${of} ORDER BY id LIMIT 1) RETURNING 1)
                             INSERT INTO domain_entry (tenant_id, id, module_id, domain)
                             SELECT tenant_id, ${uuid()}, id, ${`e${more}.example`} ${there} AND EXISTS (SELECT FROM gone) ON CONFLICT DO NOTHING`,
      nothing: sql`SELECT pg_current_xact_id()`,
    };
    await statements[step].execute(tx.sql);
  }

  /** It writes first, and ends when it is told to: what was written later may be committed before it. */
  async #beginOne(process: number): Promise<void> {
    const id = uuid();
    await this.#write(process, async (tx) => {
      await this.#change(tx, 'create', id, 0);
      await this.#change(tx, 'add a range', id, 1);
    });
    const [written, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const whole = this.#write(process, async (tx) => {
      // What counts in quotas would make the others wait.
      for (const step of ['rename', 'edit a range', 'hold'] as const) await this.#change(tx, step, id, 2);
      written.resolve();
      await end.promise;
    });
    await Promise.race([written.promise, whole]);
    this.#open.push(() => (end.resolve(), whole));
  }

  async close(): Promise<void> {
    for (const end of this.#open.splice(0)) await end();
  }

  #write<T>(process: number, work: (tx: TenantTx) => Promise<T>): Promise<T> {
    return (process % 2 === 0 ? database.db : other).inTenant(this.#tenantId, work);
  }

  /** One process, which may not have looked for long. */
  async look(at: number): Promise<void> {
    const lists = await database.db.inTenant(this.#tenantId, (tx) => this.#readers[at % 2]!.read(tx));
    const [modules, entries] = await database.db.inTenant(this.#tenantId, async (tx) => [
      await listLookupModules(tx),
      (await listLookupEntries(tx, 5_000))!,
    ]);
    expect([...lists.modules.values()]).toEqual(modules);
    expect([...lists.modules.keys()]).toEqual(modules.map(({ id }) => id));
    const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);
    expect([...lists.held!.byId.values()].sort(byId)).toEqual([...entries.values()].sort(byId));
    const ranges = [...entries.values()].filter(({ kind }) => kind === 'ip_range_entry');
    const { ipv4, labelSets } = lists.held!.ranges;
    const labelled = Array.from(ipv4.labels, (set) => labelSets[set]!).flat();
    expect(labelled.sort()).toEqual(ranges.map(({ id }) => id).sort());
    expect(ipv4.size).toBe(new Set(ranges.map(({ value }) => value)).size);
  }
}

const STEPS = [
  ...(['create', 'delete', 'rename', 'switch', 'exclude', 'collect', 'hold', 'release'] as const),
  ...(['add a range', 'add a domain', 'edit a range', 'switch entries', 'read domains'] as const),
  ...(['remove a range', 'replace a range', 'nothing', 'begin one', 'end one'] as const),
] as const;
type Step = (typeof STEPS)[number];

test('is what there is, whoever committed what and when', async () => {
  const deed = fc.tuple(fc.constantFrom(...STEPS), fc.nat(1), fc.nat(MODULES - 1), fc.nat(7), fc.nat(3));
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { minLength: 5, maxLength: 40 }), async (deeds) => {
      const scene = new Scene(await database.createTenant());
      await scene.begin();
      try {
        for (let place = 0; place < MODULES; place++) await scene.do('create', 0, place, 0);
        await scene.look(0);
        await scene.look(1);
        for (const [step, process, place, more, look] of deeds) {
          await scene.do(step, process, place, more);
          if (look < 2) await scene.look(look);
        }
        await scene.close();
        await scene.look(0);
        await scene.look(1);
      } finally {
        await scene.close();
      }
    }),
    { numRuns: times(40, 12) },
  );
});
