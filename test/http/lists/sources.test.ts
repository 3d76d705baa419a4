import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Source } from '../../../src/api/entries/sources.ts';
import type { Page } from '../../../src/api/shapes/page.ts';
import { recordFetchOutcome } from '../../../src/store/entries/fetched-entries.ts';
import { makeTenant, startService, type TestService, type TestTenant } from '../service.ts';

let service: TestService;
let tenant: TestTenant;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  tenant = await makeTenant(service.database);
});

const make = (path: string, body: unknown) => service.make(path, body, tenant.keys.operator);

async function list(query = ''): Promise<Page<Source>> {
  const answer = await service.call('GET', `/v1/sources?${query}`, { key: tenant.keys.viewer });
  expect(answer.status, answer.text).toBe(200);
  return answer.body as unknown as Page<Source>;
}

const namesOf = ({ items }: Page<Source>) => items.map(({ name }) => name);

/** What a refresh writes down, so long ago. */
async function read(
  table: 'cdn_source' | 'geofeed_entry',
  id: string,
  hoursAgo: number,
  status: 'ok' | 'stale' | 'failed' = 'ok',
): Promise<void> {
  await service.database.db.inTenant(tenant.id, (tx) =>
    recordFetchOutcome(tx, table, {
      ...{ id, version: 1, modified: false, etag: null, lastModified: null, status },
      ...{ rejected: 0, rejects: [] },
      error: status === 'ok' ? null : 'The server answered 500.',
      prefixCount: status === 'failed' ? { ipv4: 0, ipv6: 0 } : { ipv4: 7, ipv6: 1 },
    }),
  );
  if (status !== 'failed') await age(table, id, hoursAgo);
}

function age(table: string, id: string, hours: number): Promise<unknown> {
  return service.database.admin(
    `UPDATE ${table} SET last_refreshed_at = now() - make_interval(secs => $2) WHERE id = $1`,
    [id, hours * 3600],
  );
}

async function makeSources() {
  const cdn = await make('/v1/modules', {
    name: 'clouds',
    type: 'CDN_SOURCES',
    refresh_interval_seconds: 3600,
  });
  const networks = await make('/v1/modules', { name: 'networks', type: 'AS_PREFIXES' });
  const names = await make('/v1/modules', { name: 'names', type: 'DOMAINS' });
  const ranges = await make('/v1/modules', { name: 'ranges', type: 'IP_RANGES' });
  const lists = `/v1/modules/${cdn.id}/cdn-sources`;
  const [fresh, stale, failed] = [
    await make(lists, { name: 'fresh', url: 'https://example.net/a' }),
    await make(lists, { name: 'stale', url: 'https://example.net/b' }),
    await make(lists, { name: 'failed', url: 'https://example.net/c' }),
  ];
  await make(`/v1/modules/${networks.id}/as-entries`, { asn: 3333 });
  await make(`/v1/modules/${names.id}/domain-entries`, { domain: 'www.example.net' });
  await make(`/v1/modules/${ranges.id}/ip-range-entries`, { cidr: '9.9.9.0/24' });
  await read('cdn_source', fresh.id, 1);
  await read('cdn_source', stale.id, 200);
  await read('cdn_source', stale.id, 200, 'stale');
  await read('cdn_source', failed.id, 0, 'failed');
  return { cdn, networks, names, fresh, stale, failed };
}

describe('GET /v1/sources', () => {
  test('lists what is read from somewhere, the longest not read first', async () => {
    const { cdn, stale } = await makeSources();
    const page = await list();
    expect(namesOf(page)).toEqual(['failed', 'AS3333', 'www.example.net', 'stale', 'fresh']);
    const { next_refresh_at: due, age_seconds: seconds, ...found } = page.items[3]!;
    expect(found).toEqual({
      ...{ id: stale.id, type: 'cdn_source', module_id: cdn.id, module_name: 'clouds', name: 'stale' },
      ...{ enabled: true, status: 'stale', is_too_old: true, last_error: 'The server answered 500.' },
      ...{ prefix_count: { ipv4: 7, ipv6: 1 }, retained: { ipv4: 7, ipv6: 1 } },
      last_refreshed_at: expect.any(String) as string,
    });
    expect(due).not.toBeNull();
    expect(seconds).toBeGreaterThanOrEqual(200 * 3600);
    expect(page.items[0]).toMatchObject({
      ...{ status: 'failed', age_seconds: null, is_too_old: false, retained: null },
      last_refreshed_at: null,
    });
    expect(page.items[1]).toMatchObject({ type: 'as_entry', status: 'pending', next_refresh_at: null });
    expect(page.items[4]).toMatchObject({ status: 'ok', retained: null, is_too_old: false });
  });

  test('by status, kind, module, name, and whether they count; filters may be repeated', async () => {
    const { cdn, names } = await makeSources();
    expect(namesOf(await list('status=stale'))).toEqual(['stale']);
    expect(namesOf(await list('status=stale&status=failed'))).toEqual(['failed', 'stale']);
    expect(namesOf(await list('type=as_entry&type=domain_entry'))).toEqual(['AS3333', 'www.example.net']);
    expect(namesOf(await list(`module_id=${names.id}`))).toEqual(['www.example.net']);
    expect(namesOf(await list('q=as33'))).toEqual(['AS3333']);
    const off = { key: tenant.keys.operator, body: { enabled: false } };
    await service.call('PATCH', `/v1/modules/${cdn.id}`, off);
    expect(namesOf(await list('enabled=true'))).toEqual(['AS3333', 'www.example.net']);
    expect(namesOf(await list('enabled=false'))).toEqual(['failed', 'stale', 'fresh']);
    expect((await list('enabled=false')).items.every(({ enabled }) => !enabled)).toBe(true);
    const wrong = await service.call('GET', '/v1/sources?status=bad', { key: tenant.keys.viewer });
    expect(wrong.status).toBe(422);
  });

  test('is too old as the setting says', async () => {
    await makeSources();
    const old = async () =>
      (await list()).items.filter((source) => source.is_too_old).map(({ name }) => name);
    expect(await old()).toEqual(['stale']);
    const change = async (hours: number) =>
      service.call('PATCH', '/v1/settings', {
        key: tenant.keys.operator,
        body: { guard_stale_max_hours: hours },
      });
    expect((await change(300)).status).toBe(200);
    expect(await old()).toEqual([]);
  });

  test('shows nothing of other tenants', async () => {
    await makeSources();
    const theirs = await service.call('GET', '/v1/sources', { key: service.other.keys.operator });
    expect(theirs.body.items).toEqual([]);
  });

  test('in pages that are the list of a plain sort, of all kinds together', async () => {
    const cdn = await make('/v1/modules', { name: 'a', type: 'CDN_SOURCES' });
    const feeds = await make('/v1/modules', { name: 'b', type: 'GEOFEED' });
    const expected: { id: string; hours: number }[] = [];
    for (let n = 0; n < 24; n++) {
      const isFeed = n % 3 === 1;
      const made = isFeed
        ? await make(`/v1/modules/${feeds.id}/geofeed-entries`, {
            ...{ name: `feed ${n}`, url: 'https://example.net/', countries: ['DE'] },
          })
        : await make(`/v1/modules/${cdn.id}/cdn-sources`, { name: `list ${n}`, url: 'https://example.net/' });
      // Some were read at the same time.
      const hours = (n * 5) % 8;
      if (hours > 0)
        await service.database.admin(
          `UPDATE ${isFeed ? 'geofeed_entry' : 'cdn_source'} SET last_refreshed_at = date_trunc('hour', now()) - make_interval(hours => $2) WHERE id = $1`,
          [made.id, hours],
        );
      expected.push({ id: made.id, hours: hours === 0 ? Infinity : hours });
    }
    expected.sort((a, b) => (a.hours === b.hours ? (a.id < b.id ? -1 : 1) : b.hours - a.hours));
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Page<Source> = await list(`limit=5${cursor === null ? '' : `&cursor=${cursor}`}`);
      ids.push(...page.items.map(({ id }) => id));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(ids).toEqual(expected.map(({ id }) => id));
  });
});

describe('events', () => {
  const events = () =>
    service.database.admin<{ data: Record<string, unknown> }>(
      "SELECT data FROM event WHERE tenant_id = $1 AND kind = 'source' ORDER BY entry",
      [tenant.id],
    );

  test('report each change of a status, and nothing else', async () => {
    const { cdn, stale, fresh } = await makeSources();
    const before = (await events()).length;
    await read('cdn_source', fresh.id, 0);
    await read('cdn_source', stale.id, 0, 'stale');
    expect(await events()).toHaveLength(before);
    await read('cdn_source', stale.id, 0);
    expect((await events()).slice(before)).toEqual([
      {
        data: {
          ...{ module_id: cdn.id, type: 'cdn_source', count: 1 },
          sources: [{ id: stale.id, name: 'stale', status: 'ok', last_error: null }],
        },
      },
    ]);
  });

  test('are one for all that changed at once, and name a hundred', async () => {
    const names = await make('/v1/modules', { name: 'many', type: 'DOMAINS' });
    const items = Array.from({ length: 250 }, (_, n) => ({ domain: `n${n}.example.net` }));
    await service.call('POST', `/v1/modules/${names.id}/domain-entries`, {
      ...{ key: tenant.keys.operator, body: { items } },
    });
    await service.database.admin("UPDATE domain_entry SET status = 'failed' WHERE module_id = $1", [
      names.id,
    ]);
    const [{ data } = { data: {} }, ...more] = await events();
    expect(more).toEqual([]);
    expect(data).toMatchObject({ module_id: names.id, type: 'domain_entry', count: 250 });
    expect(data.sources).toHaveLength(100);
    expect(data.sources).toContainEqual(expect.objectContaining({ name: 'n99.example.net' }));
  });
});
