/** Entries with an end and with several communities: every kind of them, as the API takes and tells them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expireEntries } from '../../../src/control/collection/expire-entries.ts';
import { type Body, NOBODY, startService, type TestService } from '../service.ts';

let service: TestService;
let blackhole: string;
let other: string;
beforeAll(async () => {
  service = await startService();
  blackhole = (await service.make('/v1/communities', { community: 'blackhole', title: 'Blackhole' })).id;
  other = (await service.make('/v1/communities', { community: '65000:1', title: 'One' })).id;
});
afterAll(() => service.close());

const KINDS: readonly (readonly [type: string, path: string, body: Body])[] = [
  ['CDN_SOURCES', 'cdn-sources', { name: 'list', url: 'https://lists.example/a' }],
  ['AS_PREFIXES', 'as-entries', { asn: 3333 }],
  ['DOMAINS', 'domain-entries', { domain: 'www.example.com' }],
  ['IP_RANGES', 'ip-range-entries', { cidr: '9.9.9.9' }],
  ['GEOFEED', 'geofeed-entries', { name: 'feed', url: 'https://lists.example/geo', countries: ['DE'] }],
];
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

let modules = 0;
const newModule = async (type: string): Promise<string> =>
  `/v1/modules/${(await service.make('/v1/modules', { name: `${type} ${modules++}`, type })).id}`;

/** Lets the time of the entry be over, and whoever looks by the clock look. */
async function expire(table: string, id: string): Promise<number | null> {
  await service.database.admin(`UPDATE ${table} SET expires_at = now() - interval '1 second' WHERE id = $1`, [
    id,
  ]);
  const { db, queue } = service.dependencies;
  return expireEntries({ db, queue, onFault: (_tenant, error) => expect.fail(String(error)) });
}

describe.each(KINDS)('%s', (type, path, body) => {
  let list: string;
  beforeAll(async () => {
    list = `${await newModule(type)}/${path}`;
  });

  test('422: an end that is over, communities that are not there, and a contradiction, at creation and later', async () => {
    const kept = await service.make(list, body);
    const wrong: readonly (readonly [Body, string])[] = [
      [{ expires_at: '2020-01-01T00:00:00Z' }, '/expires_at'],
      [{ community_ids: [blackhole, NOBODY] }, '/community_ids/1'],
      [{ community_ids: [NOBODY] }, '/community_ids/0'],
      [{ community_ids: [blackhole, other], community_id: other }, '/community_id'],
      [{ community_ids: [], community_id: other }, '/community_id'],
    ];
    for (const [more, pointer] of wrong) {
      const changed = await service.call('PATCH', `${list}/${kept.id}`, { body: more });
      expect(changed, changed.text).toMatchObject({ status: 422, body: { errors: [{ pointer }] } });
      const made = await service.call('POST', list, { body: { ...body, ...more } });
      expect(made, made.text).toMatchObject({ status: 422, body: { errors: [{ pointer }] } });
    }
    await service.call('DELETE', `${list}/${kept.id}`);
  });

  test('communities are reported in both ways, and written in either', async () => {
    const end = inAnHour();
    const made = await service.make(list, { ...body, community_ids: [blackhole, other], expires_at: end });
    expect(made).toMatchObject({
      ...{ community_id: blackhole, community_ids: [blackhole, other] },
      expires_at: end,
    });
    const change = async (patch: Body): Promise<Body> =>
      (await service.call('PATCH', `${list}/${made.id}`, { body: patch })).body;
    expect(await change({ community_id: other })).toMatchObject({ community_ids: [other] });
    expect(await change({ community_id: null })).toMatchObject({ community_id: null, community_ids: [] });
    const both = { community_id: other, community_ids: [other, blackhole] };
    expect(await change(both)).toMatchObject(both);
    expect(await change({ expires_at: null })).toMatchObject({ ...both, expires_at: null });
    for (const id of [other, blackhole])
      expect(await service.call('DELETE', `/v1/communities/${id}`)).toMatchObject({
        ...{ status: 409, body: { code: 'in_use' } },
      });
    await service.call('DELETE', `${list}/${made.id}`);
  });

  test('an entry whose time is over leaves, with a record and what makes the revision', async () => {
    const table = path.replaceAll('-', '_').replace(/ies$/, 'y').replace(/s$/, '');
    const stays = await service.make(list, body);
    await service.call('PATCH', `${list}/${stays.id}`, { body: { expires_at: inAnHour() } });
    const nextIn = await expire('as_entry', NOBODY);
    expect(nextIn).toBeGreaterThan(3_000_000);
    expect((await service.call('GET', `${list}/${stays.id}`)).status).toBe(200);
    await expire(table, stays.id);
    expect((await service.call('GET', `${list}/${stays.id}`)).status).toBe(404);
    const { body: audit } = await service.call(
      'GET',
      `/v1/audit?resource_id=${stays.id}&action=${table}.expire`,
    );
    expect(audit.items).toMatchObject([
      { actor: 'auto:scheduler', action: `${table}.expire`, severity: 'notice', changes: { after: null } },
    ]);
    const jobs = await service.database.admin<{ cause: string }>(
      "SELECT input ->> 'cause' AS cause FROM job WHERE tenant_id = $1 ORDER BY created_at DESC LIMIT 1",
      [service.tenant.id],
    );
    expect(jobs).toEqual([{ cause: 'expiry' }]);
  });
});

test('a file has both, and reading is the inverse of writing', async () => {
  const [from, to] = [await newModule('IP_RANGES'), await newModule('IP_RANGES')];
  const end = inAnHour();
  await service.make(`${from}/ip-range-entries`, {
    ...{ cidr: '9.9.9.9', community_ids: [other, blackhole], expires_at: end },
  });
  const { text } = await service.call('GET', `${from}/entries.csv`);
  expect(text).toBe(
    `cidr,note,enabled,community,expires_at\r\n9.9.9.9/32,,true,65000:1 blackhole,${end}\r\n`,
  );
  const upload = { body: text, headers: { 'content-type': 'text/csv' } };
  expect((await service.call('POST', `${to}/entries.csv`, upload)).body).toMatchObject({ created: 1 });
  expect((await service.call('POST', `${to}/entries.csv`, upload)).body).toMatchObject({ unchanged: 1 });
  expect((await service.call('GET', `${to}/entries.csv`)).text).toBe(text);
});

test('lookups report them', async () => {
  const module = await newModule('IP_RANGES');
  const end = inAnHour();
  await service.make(`${module}/ip-range-entries`, {
    ...{ cidr: '9.8.7.6', community_ids: [other, blackhole], expires_at: end },
  });
  const { body } = await service.call('GET', '/v1/lookup?q=9.8.7.6');
  expect(body.matches).toMatchObject([
    {
      entry: { expires_at: end },
      community: { value: '65000:1' },
      communities: [{ value: '65000:1' }, { value: 'blackhole' }],
    },
  ]);
});

test('a community that is the second of an entry cannot be deleted while somebody writes it', async () => {
  const module = await newModule('IP_RANGES');
  const { id } = await service.make('/v1/communities', { community: '65000:77', title: 'Short' });
  const { database } = service;
  await database.admin(
    `CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN
         -- Otherwise a request waits for no lock for longer than three seconds.
         PERFORM set_config('lock_timeout', '0', true), pg_advisory_xact_lock(7);
         RETURN NEW;
       END $$;
     CREATE TRIGGER z_hold BEFORE INSERT ON ip_range_entry FOR EACH ROW EXECUTE FUNCTION hold()`,
  );
  const waiting = async (): Promise<number> =>
    (
      await database.admin(
        'SELECT FROM pg_stat_activity WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0',
      )
    ).length;
  const holder = await database.db.connectApart();
  try {
    await holder.query('BEGIN; SELECT pg_advisory_xact_lock(7)');
    const adding = service.call('POST', `${module}/ip-range-entries`, {
      body: { cidr: '9.8.7.5', community_ids: [other, id] },
    });
    await expect.poll(waiting).toBe(1);
    const deleting = service.call('DELETE', `/v1/communities/${id}`);
    await expect.poll(waiting).toBe(2);
    await holder.query('COMMIT');
    expect((await adding).status).toBe(201);
    expect(await deleting).toMatchObject({ status: 409, body: { code: 'in_use' } });
  } finally {
    await holder.end();
    await database.admin('DROP TRIGGER z_hold ON ip_range_entry');
  }
});

test('an entry leaves when its time is over, also where no job can be queued', async () => {
  const module = await newModule('IP_RANGES');
  const { id } = await service.make(`${module}/ip-range-entries`, { cidr: '9.8.7.6' });
  const { database, tenant } = service;
  const [before] = await database.admin<{ maximum: string }>(
    "SELECT maximum FROM tenant_quota WHERE tenant_id = $1 AND resource = 'jobs_queued'",
    [tenant.id],
  );
  const allow = (maximum: string | number) =>
    database.admin("UPDATE tenant_quota SET maximum = $2 WHERE tenant_id = $1 AND resource = 'jobs_queued'", [
      ...[tenant.id, maximum],
    ]);
  await allow(0);
  try {
    await expire('ip_range_entry', id);
    expect((await service.call('GET', `${module}/ip-range-entries/${id}`)).status).toBe(404);
    // That it was made and that it left: whoever follows edits builds the revision when there is room.
    expect((await service.call('GET', module)).body).toMatchObject({ pending_changes: { count: 2 } });
  } finally {
    await allow(before!.maximum);
  }
});
