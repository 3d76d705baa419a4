import { appendFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { nextRun, scheduleFault } from '../../../src/control/maintenance/cron.ts';
import { cleanScheduledLogs } from '../../../src/control/maintenance/schedule-log-cleanup.ts';
import { LogDirectory } from '../../../src/logs/log-directory.ts';
import { listAuditRecords } from '../../../src/store/audit/audit.ts';
import { openDatabase } from '../../../src/store/database/database.ts';
import { putSettings } from '../../../src/store/tenants/settings.ts';
import { createTestDatabase, type TestDatabase } from '../../database.ts';

let database: TestDatabase;
let home: string;
let path: string;
let logs: LogDirectory;
beforeAll(async () => {
  database = await createTestDatabase();
  home = await database.createTenant('default');
  path = mkdtempSync(join(tmpdir(), 'prefixcast-logs-'));
  logs = new LogDirectory(path);
});
afterAll(async () => {
  rmSync(path, { recursive: true, force: true });
  await database.close();
});
beforeEach(async () => {
  await set({ runtime_logs_auto_enabled: false, runtime_logs_max_file_bytes: 3 });
  await look();
  writeFileSync(join(path, 'a.log'), 'four');
});

const set = (values: Record<string, unknown>): Promise<void> =>
  database.db.inTenant(home, (tx) => putSettings(tx, values));
const look = (): Promise<void> => cleanScheduledLogs(database.db, logs);
const size = (): number => statSync(join(path, 'a.log')).size;
/** Has the last look be that much longer ago. */
const wait = (interval: string): Promise<unknown> =>
  database.admin(`UPDATE duty SET done_at = done_at - interval '${interval}' WHERE name = 'runtime_logs'`);
const records = async (): Promise<number> =>
  (await database.db.inTenant(home, (tx) => listAuditRecords(tx, { resource_type: 'runtime_logs' }))).items
    .length;

test('nothing is cleaned while the schedule is off, nor when it is switched on', async () => {
  await look();
  await set({ runtime_logs_auto_enabled: true });
  await look();
  await look();
  expect(size()).toBe(4);
});

test('once when due, by whichever of several processes, and once for all times that were missed', async () => {
  const others = [1, 2, 3].map(() => openDatabase(database.address));
  await set({ runtime_logs_auto_enabled: true });
  await look();
  const before = await records();
  const all = (): Promise<void[]> => Promise.all(others.map((db) => cleanScheduledLogs(db, logs)));
  await wait('3 days');
  await all();
  expect(size()).toBe(0);
  expect(await records()).toBe(before + 1);
  appendFileSync(join(path, 'a.log'), 'again');
  await all();
  expect(size()).toBe(5);
  await wait('1 day');
  await all();
  expect(size()).toBe(0);
  const { items } = await database.db.inTenant(home, (tx) =>
    listAuditRecords(tx, { resource_type: 'runtime_logs' }),
  );
  expect(items).toHaveLength(before + 2);
  expect(items[0]).toMatchObject({
    ...{ actor: 'auto:scheduler', action: 'runtime_logs.clean' },
    changes: { after: { requested_by: null, cleaned: 1, freed_bytes: 5 } },
  });
  await Promise.all(others.map((db) => db.close()));
});

test('a volume that is away when it is due is cleaned when it is back', async () => {
  await set({ runtime_logs_auto_enabled: true });
  await look();
  await wait('1 day');
  const away = new LogDirectory(join(path, 'away'));
  await expect(cleanScheduledLogs(database.db, away)).rejects.toMatchObject({
    code: 'runtime_logs_unavailable',
  });
  await look();
  expect(size()).toBe(0);
});

test.each([
  ['0 3 * * *', '2026-11-23T03:00:00.000Z', '2026-11-24T03:00:00.000Z'],
  ['*/15 * * * *', '2026-11-23T02:59:59.000Z', '2026-11-23T03:00:00.000Z'],
  ['0 0 29 2 *', '2026-01-01T00:00:00.000Z', '2028-02-29T00:00:00.000Z'],
  ['30 2 * * 0', '2026-03-28T12:00:00.000Z', '2026-03-29T02:30:00.000Z'],
])('%s comes after %s at %s, in UTC', (schedule, from, at) => {
  expect(nextRun(schedule, new Date(from))?.toISOString()).toBe(at);
  expect(scheduleFault(schedule)).toBeNull();
});

test.each([
  '',
  'daily',
  '@daily',
  '0 3 * *',
  '0 0 3 * * *',
  '60 3 * * *',
  '0 0 31 2 *',
  ' 0 3 * * *',
  '0 3 * * x',
])('no schedule: %j', (schedule) => {
  expect(scheduleFault(schedule)).toContain(JSON.stringify(schedule));
});
