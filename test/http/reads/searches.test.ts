import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

test('one search of a tenant is at the database at a time while others are present, and its other reads pass', async () => {
  const { database, tenant, other } = service;
  const { id } = await service.make('/v1/modules', {
    name: 'searched',
    type: 'IP_RANGES',
  });
  const path = `/v1/modules/${id}/ip-range-entries`;
  await service.make(path, { cidr: '8.8.8.0/24', note: 'found' });
  const waiting = async (): Promise<number> => {
    const rows = await database.admin(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`,
    );
    return rows.length;
  };
  const lock = await database.db.connectApart();
  const statuses = new Set<number>();
  let isOver = false;
  let ending = (): Promise<unknown> => Promise.resolve();
  try {
    await lock.query('BEGIN; LOCK TABLE prefixcast.ip_range_entry IN ACCESS EXCLUSIVE MODE');
    const present = () => service.call('GET', '/v1/communities', { key: other.keys.operator });
    expect((await present()).status).toBe(200);
    // Who has gone for a second is no longer present, and a busy machine may take that long to bring the searches in: one of these is always at the door.
    const coming = Array.from({ length: 4 }, async () => {
      while (!isOver) statuses.add((await present()).status);
    });
    ending = () => Promise.all(coming);
    const searches = Array.from({ length: 5 }, (_, n) =>
      service.call('GET', `${path}?q=found&limit=${n + 1}`),
    );
    await expect.poll(waiting).toBe(1);
    // Long enough for another to begin, if it could.
    for (let n = 0; n < 5; n++) expect((await present()).status).toBe(200);
    expect(await waiting()).toBe(1);
    expect(
      (
        await service.call('GET', '/v1/communities', {
          key: tenant.keys.viewer,
        })
      ).status,
    ).toBe(200);
    await lock.query('COMMIT');
    for (const { status, text, body } of await Promise.all(searches)) {
      expect(status, text).toBe(200);
      expect(body.items).toHaveLength(1);
    }
  } finally {
    isOver = true;
    await ending();
    await lock.end();
  }
  expect([...statuses]).toEqual([200]);
});
