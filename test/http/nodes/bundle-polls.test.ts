import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../../daemons/wait.ts';
import { startNodeService, type NodeService } from './node-service.ts';
import { plantKey } from '../service.ts';

let service: NodeService;
beforeAll(async () => {
  service = await startNodeService();
  await service.apply(await service.revisionOf(['10.0.0.0/8']));
});
afterAll(() => service.close());

/** Zero lets nobody but the superuser in. */
async function connectionLimit(limit: number): Promise<void> {
  const [row] = await service.database.admin<{ name: string }>('SELECT current_database() AS name');
  await service.database.admin(`ALTER DATABASE ${row!.name} CONNECTION LIMIT ${limit}`);
}

describe('a node that waits', () => {
  test('is answered as soon as something is applied, and to everyone alike', async () => {
    const { etag } = await service.assigned();
    const polls = Array.from({ length: 20 }, () => service.latest('?wait=50', { 'if-none-match': etag }));
    await new Promise((resolve) => setTimeout(resolve, 200)); // so that they wait
    const begun = performance.now();
    const revision = await service.revisionOf(['60.0.0.0/8']);
    await service.apply(revision);
    const answers = await Promise.all(polls);
    // Long before the wait is over: how long exactly, the load of the machine says.
    expect(performance.now() - begun).toBeLessThan(20_000);
    for (const { status, body } of answers)
      expect({ status, revision: body.revision_id }).toEqual({ status: 200, revision });
  });

  test('that has gone takes nothing: what is applied then waits until it asks again', async () => {
    const { etag } = await service.assigned();
    const gone = new AbortController();
    const url = `${service.url}/v1/speakers/${service.speakerId}/revisions/latest?wait=50`;
    const headers = { authorization: `Bearer ${service.tenant.keys.node}`, 'if-none-match': etag };
    const poll = fetch(url, { headers, signal: gone.signal }).catch(() => null);
    await new Promise((resolve) => setTimeout(resolve, 200)); // so that it waits
    gone.abort();
    await poll;
    await new Promise((resolve) => setTimeout(resolve, 200)); // so that the service knows
    const revision = await service.revisionOf(['61.0.0.0/8']);
    const states = async (): Promise<unknown[]> => {
      const query = 'SELECT state FROM speaker_apply WHERE speaker_id = $1 AND revision_id = $2';
      const rows = await service.database.admin<{ state: string }>(query, [service.speakerId, revision]);
      return rows.map(({ state }) => state);
    };
    await service.apply(revision);
    // Longer than a look takes that needs no hint.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(await states()).toEqual(['queued']);
    expect((await service.latest()).body.revision_id).toBe(revision);
    expect(await states()).toEqual(['running']);
  });

  test('is answered without a hint too', async () => {
    const { etag } = await service.assigned();
    const poll = service.latest('?wait=50', { 'if-none-match': etag });
    await new Promise((resolve) => setTimeout(resolve, 100)); // so that it waits
    await service.database.admin(
      "INSERT INTO setting (tenant_id, key, value) VALUES ($1, 'guard_no_export', 'false')" +
        " ON CONFLICT (tenant_id, key) DO UPDATE SET value = 'false'",
      [service.tenant.id],
    );
    expect((await poll).status).toBe(200);
  });

  test('is answered 304 when nothing has changed until the end', async () => {
    const { etag } = await service.assigned();
    const begun = performance.now();
    const { status, text } = await service.latest('?wait=1', { 'if-none-match': etag });
    expect({ status, text }).toEqual({ status: 304, text: '' });
    expect(performance.now() - begun).toBeGreaterThan(900);
  });

  test.each(['-1', '61', 'x', '1.5'])('may not wait %s seconds', async (wait) => {
    expect((await service.latest(`?wait=${wait}`)).status).toBe(422);
  });

  test('is answered 401 soon after its key is taken back', async () => {
    const { database, tenant } = service;
    const { id, secret } = await plantKey(database, tenant.id, 'node');
    await database.admin('UPDATE api_key SET speaker_id = $1 WHERE id = $2', [service.speakerId, id]);
    const { etag } = await service.assigned();
    const path = `/v1/speakers/${service.speakerId}/revisions/latest?wait=50`;
    const poll = service.call('GET', path, { key: secret, headers: { 'if-none-match': etag } });
    await new Promise((resolve) => setTimeout(resolve, 200)); // so that it waits
    const begun = performance.now();
    expect((await service.call('DELETE', `/v1/api-keys/${id}`)).status).toBe(204);
    expect((await poll).status).toBe(401);
    expect(performance.now() - begun).toBeLessThan(20_000);
  });

  test('is answered 503 when the database goes away, and goes on afterwards', async () => {
    const { etag } = await service.assigned();
    const poll = service.latest('?wait=50', { 'if-none-match': etag });
    await new Promise((resolve) => setTimeout(resolve, 200)); // so that it waits
    await connectionLimit(0);
    try {
      const cut = waitFor(
        async () => {
          await service.database.dropConnections();
          return (await Promise.race([poll, Promise.resolve(null)])) ?? false;
        },
        { what: 'the poll to end' },
      );
      const { status, headers } = await cut;
      expect(status).toBe(503);
      expect(headers.get('retry-after')).toBeTruthy();
    } finally {
      await connectionLimit(-1);
    }
    await waitFor(async () => (await service.latest()).status === 200, { what: 'the service to be back' });
  });
});
