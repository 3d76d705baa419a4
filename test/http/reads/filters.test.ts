/** Filters of several values, and lists that turn round. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeFixtures, makeRevision } from '../fixtures.ts';
import { startService, type Body, type TestService } from '../service.ts';

let service: TestService;
let lists: string;
beforeAll(async () => {
  service = await startService();
  const ids = await makeFixtures(service, service.tenant);
  for (let n = 0; n < 3; n++) await makeRevision(service, service.tenant, ids.community!, [`9.1.${n}.0/24`]);
  await service.database.admin(
    `UPDATE revision SET state = 'held' WHERE tenant_id = $1 AND number = (SELECT min(number) FROM revision WHERE tenant_id = $1)`,
    [service.tenant.id],
  );
  const { id } = await service.make('/v1/modules', { name: 'several', type: 'CDN_SOURCES' });
  lists = `/v1/modules/${id}/cdn-sources`;
  for (const [n, status] of ['ok', 'failed', 'stale', 'ok', 'failed'].entries()) {
    const source = await service.make(lists, { name: `s${n}`, url: `https://example.net/${n}` });
    await service.database.admin('UPDATE cdn_source SET status = $2 WHERE id = $1', [source.id, status]);
  }
  for (const state of ['failed', 'cancelled', 'cancelled', 'failed'])
    await service.database.admin(
      `INSERT INTO job (tenant_id, id, type, input, state, created_at) VALUES ($1, gen_random_uuid(), 'revision_prune', '{}', $2, clock_timestamp())`,
      [service.tenant.id, state],
    );
});
afterAll(() => service.close());

/** Every item, two to a page. */
async function all(path: string): Promise<Body[]> {
  const items: Body[] = [];
  for (let cursor = ''; ;) {
    const { status, body, text } = await service.call('GET', `${path}&limit=2${cursor}`);
    expect(status, text).toBe(200);
    items.push(...(body.items as Body[]));
    if (body.next_cursor === null) return items;
    cursor = `&cursor=${body.next_cursor as string}`;
  }
}

const CASES = [
  ['/v1/modules?', 'type', ['CDN_SOURCES', 'DOMAINS']],
  ['/v1/revisions?', 'state', ['held', 'ready']],
  ['/v1/jobs?', 'state', ['failed', 'cancelled']],
  ['/v1/jobs?state=failed&state=queued&', 'type', ['revision_prune', 'apply', 'router_reload']],
  ['/v1/audit?', 'action', ['module.create', 'cdn_source.create']],
  ['/v1/audit?', 'severity', ['info', 'notice', 'warning']],
] as const;

test.each(CASES)(
  '%s%s of several values has what each of them has, in the order of the list',
  async (base, name, values) => {
    const whole = await all(base);
    const of = (value: unknown): boolean => (values as readonly unknown[]).includes(value);
    const several = values.map((value) => `${name}=${value}`).join('&');
    const wanted = whole.filter((item) => of(item[name]));
    expect(wanted.length).toBeGreaterThan(1);
    expect(await all(`${base}${several}`)).toEqual(wanted);
    expect(await all(`${base}${name}=${values[0]}`)).toEqual(
      whole.filter((item) => item[name] === values[0]),
    );
  },
);

test('entries of several statuses, in a list and as what is meant by a change of many', async () => {
  const whole = await all(`${lists}?`);
  const wanted = whole.filter(({ status }) => status !== 'ok');
  expect(await all(`${lists}?status=failed&status=stale`)).toEqual(wanted);
  expect(await all(`${lists}?status=stale&status=failed&q=example`)).toEqual(wanted);
  expect(await all(`${lists}?status=stale&status=failed&sort=-created_at`)).toEqual(wanted.toReversed());
  const changed = await service.call('PATCH', lists, {
    body: { filter: { status: ['failed', 'stale'] }, patch: { enabled: false } },
  });
  expect((changed.body.items as Body[]).map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
});

test.each(['/v1/modules?', '/v1/audit?', '/v1/sources?'])('%s turns round', async (base) => {
  const [rising, falling] =
    base === '/v1/audit?'
      ? ['at', '-at']
      : base === '/v1/sources?'
        ? ['last_refreshed_at', '-last_refreshed_at']
        : ['created_at', '-created_at'];
  const ids = async (sort: string) => (await all(`${base}sort=${sort}`)).map(({ id }) => id);
  const up = await ids(rising);
  expect(up.length).toBeGreaterThan(3);
  expect(await ids(falling)).toEqual(up.toReversed());
});

test('what is searched for turns round as well', async () => {
  const ids = async (sort: string) => (await all(`${lists}?q=example&sort=${sort}`)).map(({ id }) => id);
  const up = await ids('created_at');
  expect(up.length).toBeGreaterThan(1);
  expect(await ids('-created_at')).toEqual(up.toReversed());
});
