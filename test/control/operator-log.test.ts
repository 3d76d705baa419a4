import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OperatorEvent } from '../../src/api/activity/operator-events.ts';
import { OperatorLog } from '../../src/control/operator-log.ts';
import { createModule } from '../../src/control/lists/modules.ts';
import { encodeTable } from '../../src/core/stored/table-codec.ts';
import { PrefixTableBuilder } from '../../src/core/tables/prefix-table.ts';
import { storeTable } from '../../src/store/contents/contents.ts';
import { openDatabase } from '../../src/store/database/database.ts';
import { insertRevision } from '../../src/store/revisions/revisions.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.close());

const up: OperatorEvent = { event: 'session_up', text: 'The session is up', fields: {} };

test('lines name the tenant, but for those of the home tenant, and warn of what is worse than usual', async () => {
  const lines: [string, string][] = [];
  const log = new OperatorLog(database.db, {
    info: (_fields, text) => lines.push(['info', text]),
    warn: (_fields, text) => lines.push(['warn', text]),
  });
  log.write(await database.createTenant('acme'), up);
  log.write(await database.createTenant('default'), { ...up, level: 'warn' });
  await log.close();
  expect(lines).toEqual([
    ['info', 'Tenant acme: The session is up'],
    ['warn', 'The session is up'],
  ]);
});

test('the names of a thousand tenants are remembered, whoever comes and goes', async () => {
  const lines: string[] = [];
  const note = (_fields: object, text: string): number => lines.push(text);
  const log = new OperatorLog(database.db, { info: note, warn: note });
  const id = await database.createTenant('early');
  const rename = (slug: string) => database.admin('UPDATE tenant SET slug = $2 WHERE id = $1', [id, slug]);
  const written = async (): Promise<string> => {
    log.write(id, up);
    await log.close();
    return lines.at(-1)!;
  };
  expect(await written()).toBe('Tenant early: The session is up');
  await rename('late');
  expect(await written()).toBe('Tenant early: The session is up');
  for (let other = 0; other < 1_000; other++) log.write(crypto.randomUUID(), up);
  await log.close();
  expect(await written()).toBe('Tenant late: The session is up');
});

test('a held revision is reported with the modules that its findings are about', async () => {
  const tenantId = await database.createTenant();
  const reported: OperatorEvent[] = [];
  const db = openDatabase(database.address, { onEvents: (_tenant, events) => reported.push(...events) });
  try {
    const id = await db.inTenant(tenantId, async (tx) => {
      const { resource } = await createModule(tx, { name: 'clouds', type: 'CDN_SOURCES' });
      const none = { ipv4: 0, ipv6: 0 };
      const about = { entry_id: null, community: null, examples: [], measured: null, limit: null };
      await insertRevision(tx, {
        ...{ state: 'held', parent_id: null, rollback_of: null, communities: [], warnings: [] },
        content_hash: await storeTable(tx, encodeTable(new PrefixTableBuilder().build()), none),
        trigger: { kind: 'edit', module_id: null, job_id: null, actor: null },
        prefix_count: none,
        findings: [{ ...about, code: 'large_withdrawal', detail: 'Too many.', module_id: resource.id }],
      });
      return resource.id;
    });
    expect(reported.at(-1)).toMatchObject({
      event: 'revision_held',
      text: 'Revision 1 of 0 routes is held because of the module clouds (large_withdrawal), and speakers keep what they run. Too many.',
      fields: { modules: ['clouds'], module_ids: [id] },
    });
  } finally {
    await db.close();
  }
});
