/** What a dry run and a plan say would be announced and withdrawn, held against what then happens. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Effect, Plan } from '../../../src/api/revisions/plan.ts';
import { measureEffect } from '../../../src/control/previews/effect.ts';
import { createCommunity } from '../../../src/control/tenants/communities.ts';
import type { TenantTx } from '../../../src/store/database/database.ts';
import { lockTenant } from '../../../src/store/database/locks.ts';
import { takingBack } from '../../../src/store/database/taking-back.ts';
import { plantKey, startService, type Body, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** Builds the revision of what was edited, as the job does. */
async function build(): Promise<void> {
  const { tenant, dependencies } = service;
  await service.database.db.inTenant(tenant.id, (tx) =>
    measureEffect(
      tx,
      { queue: dependencies.queue, secrets: dependencies.secrets, actor: 'key:the operator' },
      () => Promise.resolve(),
    ),
  );
}

async function dry(method: string, path: string, body?: unknown): Promise<Effect> {
  const { body: answer, text, status } = await service.call(method, `${path}?dry_run=true`, { body });
  expect(status, text).toBe(200);
  return answer.effect as Effect;
}

let list: string;

test('a range that is added is announced, with its community, before anybody has it', async () => {
  const community = await service.make('/v1/communities', { community: '65000:7', title: 'Seven' });
  const module = await service.make('/v1/modules', {
    ...{ name: 'ranges', type: 'IP_RANGES', community_id: community.id },
  });
  list = `/v1/modules/${module.id}/ip-range-entries`;
  const effect = await dry('POST', list, { cidr: '8.8.8.0/24' });
  expect(effect).toMatchObject({
    revision: { state: 'ready', prefix_count: { ipv4: 1, ipv6: 0 }, findings: [] },
    summary: { announced: 1, withdrawn: 0, changed: 0 },
    items: [{ prefix: '8.8.8.0/24', change: 'announced', communities_after: [{ community: '65000:7' }] }],
    has_more: false,
  });
  expect((await service.call('GET', '/v1/revisions')).body.items).toEqual([]);
  expect((await service.call('GET', list)).body.items).toEqual([]);
});

test('an entry with several communities is announced with all of them, in place of that of its module', async () => {
  const ids: string[] = [];
  for (const community of ['65000:71', 'blackhole'])
    ids.push((await service.make('/v1/communities', { community, title: community })).id);
  const { items } = await dry('POST', list, {
    items: [{ cidr: '8.8.9.0/24', community_ids: ids }, { cidr: '9.9.9.0/24' }],
  });
  expect(
    items.map(({ prefix, communities_after: after }) => [prefix, after?.map(({ community }) => community)]),
  ).toEqual([
    ['8.8.9.0/24', ['65000:71', 'blackhole']],
    ['9.9.9.0/24', ['65000:7']],
  ]);
});

test('what is deleted is withdrawn, relative to the latest revision', async () => {
  const { id } = await service.make(list, { cidr: '8.8.8.0/24' });
  await service.make(list, { cidr: '9.9.9.0/24' });
  await build();
  expect((await service.call('GET', '/v1/revisions')).body.items).toHaveLength(1);
  const effect = await dry('DELETE', `${list}/${id}`);
  expect(effect.summary).toEqual({ announced: 0, withdrawn: 1, changed: 0 });
  expect(effect.items).toMatchObject([{ prefix: '8.8.8.0/24', change: 'withdrawn' }]);
  expect(effect.other_changes).toBe(0);
});

test('a guardrail that would be broken is reported', async () => {
  const effect = await dry('POST', list, { cidr: '32.0.0.0/3' });
  expect(effect.applied_by_itself).toBe(false);
  const held = effect.revision!.quarantined.flatMap(({ findings }) => findings);
  const codes = [...effect.revision!.findings, ...held].map(({ code }) => code);
  expect(codes).toContain('prefix_too_short');
});

test('what announces nothing has no effect', async () => {
  expect(await dry('POST', '/v1/api-keys', { name: 'k', role: 'viewer' })).toMatchObject({
    revision: null,
    summary: { announced: 0, withdrawn: 0, changed: 0 },
    speakers: [],
  });
});

test('speakers and peers: who would be sent what', async () => {
  const speaker = await service.make('/v1/speakers', { name: 'edge', local_asn: 64512 });
  const peer = await service.make('/v1/peers', { name: 'router', address: '192.0.2.9', remote_asn: 64500 });
  const { body: latest } = await service.call('GET', '/v1/revisions/latest');
  await service.database.admin(
    'UPDATE speaker SET applied_revision_id = $1, applied_at = now() WHERE id = $2',
    [latest.id, speaker.id],
  );
  const effect = await dry('POST', list, { cidr: '7.7.7.0/24' });
  expect(effect.speakers).toEqual([
    {
      ...{ speaker_id: speaker.id, name: 'edge', announced: 1, withdrawn: 0, changed: 0 },
      peers: [
        {
          ...{ peer_id: peer.id, name: 'router' },
          before: { ipv4: 2, ipv6: 0 },
          after: { ipv4: 3, ipv6: 0 },
          ...{ updated: 1, withdrawn: 0, fitted: null, unfitted: null, unfitted_cost: null, session: 'same' },
        },
      ],
    },
  ]);
  // As many routes, but with another community, or another route: the peer is named all the same.
  const [community] = (await service.call('GET', '/v1/communities?limit=500')).body.items as Body[];
  const renamed = await dry('PATCH', `/v1/communities/${String(community!.id)}`, { community: '65000:8' });
  expect(renamed.speakers).toMatchObject([
    {
      changed: 2,
      peers: [{ name: 'router', before: { ipv4: 2 }, after: { ipv4: 2 }, updated: 2, withdrawn: 0 }],
    },
  ]);
  // Another next hop is in no revision, and changes what routers are sent all the same.
  const hopped = await dry('PATCH', `/v1/communities/${String(community!.id)}`, {
    next_hop_ipv4: '192.0.2.66',
  });
  expect(hopped).toMatchObject({
    revision: null,
    speakers: [{ announced: 0, withdrawn: 0, changed: 2, peers: [{ name: 'router', updated: 2 }] }],
  });
  const titled = await dry('PATCH', `/v1/communities/${String(community!.id)}`, { title: 'another' });
  expect(titled.speakers).toEqual([]);
  const [one] = (await service.call('GET', list)).body.items as Body[];
  const moved = await dry('PATCH', `${list}/${String(one!.id)}`, { cidr: '6.6.6.0/24' });
  expect(moved.speakers).toMatchObject([
    {
      announced: 1,
      withdrawn: 1,
      peers: [{ before: { ipv4: 2 }, after: { ipv4: 2 }, updated: 1, withdrawn: 1 }],
    },
  ]);
  expect((await dry('PATCH', `${list}/${String(one!.id)}`, { note: 'the same' })).speakers).toEqual([]);
  const gone = await dry('DELETE', `/v1/peers/${peer.id}`);
  expect(gone.revision).toBeNull();
  expect(gone.speakers).toMatchObject([
    {
      announced: 0,
      peers: [{ peer_id: peer.id, before: { ipv4: 2 }, after: { ipv4: 0, ipv6: 0 }, withdrawn: 2 }],
    },
  ]);
});

test('of a peer that is to be sent a cover, a plan says what it would cost, and where', async () => {
  const [peer] = (await service.call('GET', '/v1/peers')).body.items as { id: string }[];
  await service.call('POST', list, { body: { items: [{ cidr: '12.0.0.0/24' }, { cidr: '12.0.2.0/24' }] } });
  await build();
  const { body: latest } = await service.call('GET', '/v1/revisions/latest');
  await service.database.admin("UPDATE speaker SET applied_revision_id = $1 WHERE name = 'edge'", [
    latest.id,
  ]);
  const limit = (latest.prefix_count as { ipv4: number }).ipv4 - 1;
  const covered = async (): Promise<unknown> => {
    const body = { max_prefixes_out: limit, when_too_many: 'fit' };
    const { speakers } = await dry('PATCH', `/v1/peers/${peer!.id}`, body);
    return speakers[0]!.peers[0];
  };
  const cost = {
    added_addresses: '512',
    added_percent: 50,
    optimal: true,
    added_prefixes: ['12.0.1.0/24', '12.0.3.0/24'],
  };
  expect(await covered()).toMatchObject({
    ...{ fitted: null, unfitted: expect.stringContaining('512 foreign IPv4 addresses') as string },
    unfitted_cost: { ipv4: cost, ipv6: null },
  });
  await service.call('PATCH', '/v1/settings', { body: { fit_max_added_percent: 100 } });
  expect(await covered()).toMatchObject({
    ...{ after: { ipv4: limit }, unfitted: null, unfitted_cost: null },
    fitted: { ipv4: cost, ipv6: null },
  });
  await service.call('PATCH', '/v1/settings', { body: { fit_max_added_percent: null } });
  await service.call('DELETE', list, { body: { filter: { contains: '12.0.0.0/24' } } });
  await service.call('DELETE', list, { body: { filter: { contains: '12.0.2.0/24' } } });
  await build();
  const { body: after } = await service.call('GET', '/v1/revisions/latest');
  await service.database.admin("UPDATE speaker SET applied_revision_id = $1 WHERE name = 'edge'", [after.id]);
});

test('a session that ends by it is named, although its peer is to be sent the same routes', async () => {
  const ofPeer = async (path: string, body: object) =>
    (await dry('PATCH', path, body)).speakers.flatMap(({ peers }) =>
      peers.map(({ name, after, session }) => ({ name, routes: after.ipv4, session })),
    );
  const [peer] = (await service.call('GET', '/v1/peers')).body.items as { id: string }[];
  const speakers = (await service.call('GET', '/v1/speakers')).body.items as { id: string; name: string }[];
  const speaker = speakers.find(({ name }) => name === 'edge');
  const [asPeer, asSpeaker] = [`/v1/peers/${peer!.id}`, `/v1/speakers/${speaker!.id}`];
  const router = { name: 'router', routes: 2 };
  expect(await ofPeer(asPeer, { hold_time: 30 })).toEqual([{ ...router, session: 'restarted' }]);
  expect(await ofPeer(asPeer, { address: '192.0.2.10' })).toEqual([{ ...router, session: 'replaced' }]);
  expect(await ofPeer(asPeer, { remote_asn: 64501 })).toEqual([{ ...router, session: 'replaced' }]);
  expect(await ofPeer(asSpeaker, { local_asn: 64999 })).toEqual([{ ...router, session: 'replaced' }]);
  expect(await ofPeer('/v1/settings', { bgp_restart_time: 240 })).toEqual([
    { ...router, session: 'restarted' },
  ]);
  expect(await ofPeer(asPeer, { description: 'the same' })).toEqual([]);
});

test('a plan carries writes out one after the other, and takes all of it back', async () => {
  const before = await service.call('GET', `${list}?limit=500`);
  const [first] = before.body.items as (Body & { id: string })[];
  const { status, body, text } = await service.call('POST', '/v1/revisions/plan', {
    body: {
      changes: [
        { method: 'POST', path: list, body: { items: [{ cidr: '6.6.6.0/24' }, { cidr: '5.5.5.0/24' }] } },
        { method: 'DELETE', path: `${list}/${first!.id}` },
        {
          method: 'POST',
          path: `${list.replace('ip-range-entries', 'entries.csv')}`,
          body: 'cidr\n4.4.4.0/24\n',
        },
      ],
    },
  });
  expect(status, text).toBe(200);
  const { answers, effect } = body as unknown as Plan;
  expect(answers.map((answer) => answer.status)).toEqual([201, 204, 200]);
  expect(effect.summary).toEqual({ announced: 3, withdrawn: 1, changed: 0 });
  expect((await service.call('GET', `${list}?limit=500`)).body).toEqual(before.body);
});

test('a trial within a trial takes back its own part, and the other the whole', async () => {
  const { db } = service.database;
  const titles = (tx: TenantTx) =>
    tx.sql.selectFrom('community').select('title').where('title', 'like', 'trial %').execute();
  await db.inTenant(service.tenant.id, async (tx) => {
    const add = (n: number) => createCommunity(tx, { community: `65009:${n}`, title: `trial ${n}` });
    await takingBack(tx, async () => {
      await add(1);
      await takingBack(tx, () => add(2));
      expect(await titles(tx)).toEqual([{ title: 'trial 1' }]);
    });
    expect(await titles(tx)).toEqual([]);
  });
});

test('a plan that holds a dry run is refused, and nothing of it stays', async () => {
  const { status, body } = await service.call('POST', '/v1/revisions/plan', {
    body: {
      changes: [
        { method: 'POST', path: '/v1/communities', body: { community: '65009:3', title: 'planned' } },
        {
          method: 'POST',
          path: `${list.replace('/ip-range-entries', '')}/entries.csv?dry_run=true`,
          body: 'cidr\n9.9.9.0/24\n',
        },
      ],
    },
  });
  expect({ status, detail: body.detail }).toEqual({
    status: 422,
    detail: expect.stringContaining('leave dry_run out') as unknown,
  });
  const { body: communities } = await service.call('GET', '/v1/communities?limit=500');
  expect((communities.items as Body[]).map(({ title }) => title)).not.toContain('planned');
});

test('a plan says which of its writes would be refused, and a key plans only what it may do', async () => {
  const change = { method: 'POST', path: list, body: { cidr: '3.3.3.0/24' } };
  const wrong = { changes: [change, { ...change, body: { cidr: '3.3.3.3/24' } }] };
  const refused = await service.call('POST', '/v1/revisions/plan', { body: wrong });
  expect(refused.body).toMatchObject({ status: 422, errors: [{ pointer: '/changes/1/body/cidr' }] });
  const viewer = await plantKey(service.database, service.tenant.id, 'viewer');
  const forbidden = await service.call('POST', '/v1/revisions/plan', {
    ...{ key: viewer.secret, body: { changes: [change] } },
  });
  expect(forbidden.body).toMatchObject({ status: 422, errors: [{ pointer: '/changes/0' }] });
  expect(forbidden.body.detail).toContain('forbidden');
  const unknown = await service.call('POST', '/v1/revisions/plan', {
    body: { changes: [{ method: 'POST', path: '/v1/nothing' }] },
  });
  expect(unknown.body.detail).toContain('not_found');
});

test('a trial whose client has gone is given up before it works, and keeps nobody from the lock', async () => {
  const { tenant, database } = service;
  // What a sequence counts stays, although trials are taken back.
  await database.admin('CREATE SEQUENCE trials');
  await database.admin(
    "CREATE FUNCTION count_trial() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN PERFORM nextval(''trials''); RETURN NULL; END'",
  );
  await database.admin(
    'CREATE TRIGGER count_trials AFTER INSERT ON ip_range_entry FOR EACH STATEMENT EXECUTE FUNCTION count_trial()',
  );
  const free = Promise.withResolvers<undefined>();
  const locked = Promise.withResolvers<undefined>();
  const building = database.db.inTenant(tenant.id, async (tx) => {
    await lockTenant(tx, 'revision');
    locked.resolve(undefined);
    await free.promise;
  });
  await locked.promise;
  const leaving = new AbortController();
  const trial = fetch(`${service.url}${list}?dry_run=true`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tenant.keys.super_admin}`, 'content-type': 'application/json' },
    body: JSON.stringify({ cidr: '7.7.7.0/24' }),
    signal: leaving.signal,
  });
  // Other files have databases of their own on the same server.
  const waits =
    "SELECT FROM pg_locks JOIN pg_database ON oid = database WHERE locktype = 'advisory' AND NOT granted AND datname = current_database()";
  await expect.poll(() => database.admin(waits), { timeout: 60_000 }).toHaveLength(1);
  leaving.abort();
  await expect(trial).rejects.toThrow('abort');
  // The service learns of it with the end of the connection.
  await expect.poll(async () => (await service.call('GET', '/v1/version')).status).toBe(200);
  free.resolve(undefined);
  await building;
  await dry('POST', list, { cidr: '7.7.8.0/24' });
  expect(await database.admin('SELECT last_value, is_called FROM trials')).toEqual([
    { last_value: '1', is_called: true },
  ]);
  await database.admin('DROP TRIGGER count_trials ON ip_range_entry');
});

test('a peer that is to be sent other routes in place of its own loses these, be they as many', async () => {
  const all = (await service.call('GET', '/v1/communities?limit=500')).body.items as Body[];
  const own = all.find(({ community }) => community === '65000:7')!;
  const other = await service.make('/v1/communities', { community: '65000:9', title: 'Nine' });
  const module = await service.make('/v1/modules', {
    ...{ name: 'others', type: 'IP_RANGES', community_id: other.id },
  });
  await service.make(`/v1/modules/${module.id}/ip-range-entries`, {
    items: [{ cidr: '13.0.0.0/24' }, { cidr: '13.0.2.0/24' }],
  });
  await build();
  const { body: latest } = await service.call('GET', '/v1/revisions/latest');
  await service.database.admin("UPDATE speaker SET applied_revision_id = $1 WHERE name = 'edge'", [
    latest.id,
  ]);
  const [peer] = (await service.call('GET', '/v1/peers')).body.items as { id: string }[];
  const path = `/v1/peers/${peer!.id}`;
  await service.call('PATCH', path, { body: { community_ids: [own.id] } });
  const ofPeer = async (body: object) => (await dry('PATCH', path, body)).speakers[0]!.peers;
  expect(await ofPeer({ community_ids: [other.id] })).toMatchObject([
    { before: { ipv4: 2 }, after: { ipv4: 2 }, updated: 2, withdrawn: 2 },
  ]);
  expect(await ofPeer({ community_ids: [] })).toMatchObject([
    { before: { ipv4: 2 }, after: { ipv4: 4 }, updated: 2, withdrawn: 0 },
  ]);
  expect(await ofPeer({ families: ['ipv6'] })).toMatchObject([
    { before: { ipv4: 2 }, after: { ipv4: 0 }, updated: 0, withdrawn: 2 },
  ]);
});
