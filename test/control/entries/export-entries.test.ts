import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportEntries } from '../../../src/control/entries/export-entries.ts';
import { importEntries } from '../../../src/control/entries/import-entries.ts';
import { createModule } from '../../../src/control/lists/modules.ts';
import type { InTenant } from '../../../src/control/in-tenant.ts';
import { createTestDatabase, type TestDatabase } from '../../database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.close());

const COUNT = 2_200;

async function fill(tenantId: string): Promise<string> {
  const lines = Array.from({ length: COUNT }, (_, n) => `11.${n >> 8}.${n & 255}.0/24`).join('\r\n');
  return database.db.inTenant(tenantId, async (tx) => {
    const { resource } = await createModule(tx, { name: 'ranges', type: 'IP_RANGES' });
    const file = Buffer.from(`cidr\r\n${lines}\r\n`);
    await importEntries(tx, resource.id, file, { mode: 'append', dryRun: false });
    return resource.id;
  });
}

test('of a tenant that exports much at once one page is read at a time, and others do not wait for it', async () => {
  const [loud, quiet] = (await Promise.all([1, 2].map(() => database.createTenant()))) as [string, string];
  const modules = new Map([
    [loud, await fill(loud)],
    [quiet, await fill(quiet)],
  ]);
  const reading = new Map<string, number>();
  const most = new Map<string, number>();
  let together = 0;
  const within =
    (tenantId: string): InTenant =>
    async (work) => {
      reading.set(tenantId, (reading.get(tenantId) ?? 0) + 1);
      most.set(tenantId, Math.max(most.get(tenantId) ?? 0, reading.get(tenantId)!));
      together = Math.max(together, (reading.get(loud) ?? 0) + (reading.get(quiet) ?? 0));
      try {
        return await database.db.inTenant(tenantId, work);
      } finally {
        reading.set(tenantId, reading.get(tenantId)! - 1);
      }
    };
  const exported = async (tenantId: string): Promise<number> => {
    let text = '';
    await database.db.inTenant(tenantId, async (tx) => {
      for await (const piece of exportEntries(tx, within(tenantId), modules.get(tenantId)!)) text += piece;
    });
    return text.split('\r\n').length;
  };
  const lines = await Promise.all([...Array.from({ length: 4 }, () => exported(loud)), exported(quiet)]);
  expect(new Set(lines)).toEqual(new Set([COUNT + 2]));
  expect(most.get(loud)).toBe(1);
  expect(together).toBeGreaterThan(1);
});
