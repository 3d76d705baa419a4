/** Removed entries come back by the removal that took them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { forgetRemoved } from '../../../src/store/entries/removed-lists.ts';
import { isThorough } from '../../fuzz.ts';
import { type Body, makeTenant, startService, type TestService } from '../service.ts';
import { aName, listsOf } from './removed-scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const { add, entriesOf, batches, ranges, cidrsOf, empty, remove, restore, putBack, lastBatch } = listsOf(
  () => service,
);

test('come back by the removal that took them, each request its own', async () => {
  const { id } = await ranges(['8.8.8.0/24', '1.1.1.0/24', '9.9.9.0/24']);
  const { body } = await service.call('GET', `/v1/modules/${id}/ip-range-entries`);
  const entries = body.items as Body[];
  await service.call('DELETE', `/v1/modules/${id}/ip-range-entries`, {
    body: { ids: entries.slice(0, 2).map((entry) => entry.id) },
  });
  await service.call('DELETE', `/v1/modules/${id}/ip-range-entries/${String(entries[2]!.id)}`);
  expect(await batches(id)).toMatchObject([
    { entry_count: 1, names: ['9.9.9.0/24'], removed_by: 'key:the operator', restored_at: null },
    { entry_count: 2, names: ['8.8.8.0/24', '1.1.1.0/24'] },
  ]);
  const [last, first] = await batches(id);
  expect((await putBack(id, first!.id)).body).toMatchObject({
    batch: first!.id,
    restored: 2,
    already_there: 0,
  });
  expect((await putBack(id, last!.id)).body).toMatchObject({ restored: 1 });
  const after = await entriesOf(id);
  expect(after.map((entry) => entry.id)).toEqual(entries.map((entry) => entry.id));
  expect(await putBack(id, first!.id)).toMatchObject({ status: 409, body: { code: 'conflict' } });
  expect((await batches(id)).map((batch) => batch.restored_by)).toEqual([
    'key:the operator',
    'key:the operator',
  ]);
  expect(await batches(id)).toMatchObject([{ names: ['9.9.9.0/24'] }, { entry_count: 2 }]);
});

test('are named by the answer to the removal, whatever else is removed meanwhile', async () => {
  const { id } = await ranges(['8.8.8.0/24', '1.1.1.0/24', '9.9.9.0/24']);
  const path = `/v1/modules/${id}/ip-range-entries`;
  const entries = await entriesOf(id);
  const choose = (cidr: string) => ({ ids: entries.filter((one) => one.cidr === cidr).map((one) => one.id) });
  const mine = await service.call('DELETE', path, { body: choose('8.8.8.0/24') });
  const theirs = await service.call('DELETE', path, { body: choose('1.1.1.0/24') });
  expect(theirs.body.batch).toBe(await lastBatch(id));
  expect((await putBack(id, mine.body.batch)).body).toMatchObject({ restored: 1 });
  expect((await cidrsOf(id)).sort()).toEqual(['8.8.8.0/24', '9.9.9.0/24']);
  const headers = { 'content-type': 'text/csv' };
  const csv = { body: 'cidr\r\n9.9.9.0/24\r\n', headers };
  const tried = await service.call('POST', `/v1/modules/${id}/entries.csv?mode=remove&dry_run=true`, csv);
  expect(tried.body).toMatchObject({ deleted: 1, batch: null });
  const imported = await service.call('POST', `/v1/modules/${id}/entries.csv?mode=remove`, csv);
  expect(imported.body).toMatchObject({ deleted: 1, batch: await lastBatch(id) });
  const again = await service.call('POST', `/v1/modules/${id}/entries.csv?mode=remove`, csv);
  expect(again.body).toMatchObject({ deleted: 0, batch: null });
  const none = await service.call('DELETE', path, { body: { filter: { enabled: false } } });
  expect(none.body).toMatchObject({ deleted: 0, batch: null });
});

test.each(['replace', 'remove'])('come back after entries.csv with mode=%s', async (mode) => {
  const { id } = await ranges(['8.8.8.0/24', '1.1.1.0/24', '9.9.9.0/24']);
  const body = mode === 'replace' ? 'cidr\r\n9.9.9.0/24\r\n' : 'cidr\r\n8.8.8.0/24\r\n1.1.1.0/24\r\n';
  const imported = await service.call('POST', `/v1/modules/${id}/entries.csv?mode=${mode}`, {
    ...{ body, headers: { 'content-type': 'text/csv' } },
  });
  expect(imported.body, imported.text).toMatchObject({ deleted: 2 });
  expect((await putBack(id, await lastBatch(id))).body).toMatchObject({ restored: 2 });
  expect((await cidrsOf(id)).sort()).toEqual(['1.1.1.0/24', '8.8.8.0/24', '9.9.9.0/24']);
});

test('are one removal where several writes were carried out together, by module', async () => {
  const one = await ranges(['8.8.8.0/24', '1.1.1.0/24']);
  const two = await ranges(['9.9.9.0/24']);
  const deletions = [];
  for (const { id } of [one, two]) {
    const { body } = await service.call('GET', `/v1/modules/${id}/ip-range-entries`);
    for (const entry of body.items as Body[])
      deletions.push({ method: 'DELETE', path: `/v1/modules/${id}/ip-range-entries/${String(entry.id)}` });
  }
  const done = await service.call('POST', '/v1/changes', { body: { changes: deletions } });
  expect(done.status, done.text).toBe(200);
  expect(await batches(one.id)).toMatchObject([{ entry_count: 2 }]);
  expect(await batches(two.id)).toMatchObject([{ entry_count: 1 }]);
  expect((await putBack(one.id, await lastBatch(one.id))).body).toMatchObject({ restored: 2 });
});

test('that were added again by hand stay as they are, and are counted', async () => {
  const { id } = await ranges(['8.8.8.0/24', '1.1.1.0/24']);
  await empty(id);
  await add(id, ['8.8.8.0/24'], { note: 'by hand' });
  const { body } = await putBack(id, await lastBatch(id));
  expect(body).toMatchObject({ restored: 1, already_there: 1, expired: 0 });
  const after = await entriesOf(id);
  expect(after.map(({ cidr, note }) => [cidr, note]).sort()).toEqual([
    ['1.1.1.0/24', null],
    ['8.8.8.0/24', 'by hand'],
  ]);
});

test('that have expired meanwhile stay away; an end that is to come comes', async () => {
  const { id } = await ranges(['8.8.8.0/24']);
  await add(id, ['1.1.1.0/24'], { expires_at: new Date(Date.now() + 500_000).toISOString() });
  await add(id, ['9.9.9.0/24'], { expires_at: new Date(Date.now() + 600_000).toISOString() });
  await empty(id);
  const batch = await lastBatch(id);
  // As if that end had come since.
  await service.database.admin(
    `UPDATE removed_chunk SET entries = (
       SELECT json_agg(CASE WHEN own ->> 'cidr' = '1.1.1.0/24'
                            THEN own::jsonb || jsonb_build_object('expires_at', now() - interval '1 second') ELSE own::jsonb END)
         FROM json_array_elements(entries) own)
      WHERE batch_id = $1`,
    [batch],
  );
  await service.database.admin(
    "UPDATE past_expiry SET at = now() - interval '1 second' WHERE module_id = $1 AND at < now() + interval '550 seconds'",
    [id],
  );
  expect((await putBack(id, batch)).body).toMatchObject({ restored: 2, expired: 1, already_there: 0 });
  expect((await cidrsOf(id)).sort()).toEqual(['8.8.8.0/24', '9.9.9.0/24']);
  // What remembers ends of deleted entries knows nothing of the one that is back.
  const [{ ends }] = (await service.database.admin<{ ends: number }>(
    'SELECT count(*)::int AS ends FROM past_expiry WHERE module_id = $1 AND at > now()',
    [id],
  )) as [{ ends: number }];
  expect(ends).toBe(0);
});

test('come back once when two restore them at once', async () => {
  const { id } = await ranges(['8.8.8.0/24']);
  await empty(id);
  const batch = await lastBatch(id);
  const answers = await Promise.all([putBack(id, batch), putBack(id, batch)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(await cidrsOf(id)).toEqual(['8.8.8.0/24']);
});

test('that were forgotten meanwhile are gone, and the answer says so', async () => {
  const { id } = await ranges(['8.8.8.0/24']);
  const other = await ranges(['8.8.8.0/24']);
  await empty(id);
  const batch = await lastBatch(id);
  expect((await putBack(other.id, batch)).status).toBe(404);
  await service.database.admin(
    `UPDATE removed_batch SET removed_at = now() - interval '31 days' WHERE id = $1`,
    [batch],
  );
  expect(await batches(id)).toEqual([]);
  await service.dependencies.db.inTenant(service.tenant.id, (tx) => forgetRemoved(tx, 30));
  const gone = await putBack(id, batch);
  expect(gone).toMatchObject({ status: 404, body: { code: 'not_found' } });
  expect(gone.body.detail).toContain('removed-entries');
  expect(await service.database.admin('SELECT FROM removed_chunk WHERE batch_id = $1', [batch])).toEqual([]);
});

test('are of a module that was deleted and restored in between as well', async () => {
  const { id } = await ranges(['8.8.8.0/24', '1.1.1.0/24']);
  const first = (await entriesOf(id))[0]!;
  await service.call('DELETE', `/v1/modules/${id}/ip-range-entries/${String(first.id)}`);
  const batch = await lastBatch(id);
  await remove(id);
  expect((await putBack(id, batch)).status).toBe(404);
  expect((await restore(id)).body).toMatchObject({ restored: 1 });
  expect((await putBack(id, batch)).body).toMatchObject({ restored: 1 });
  expect((await cidrsOf(id)).sort()).toEqual(['1.1.1.0/24', '8.8.8.0/24']);
});

test('of a dry run are not kept, and a dry run of a restore shows its routes', async () => {
  const { id } = await ranges(['7.7.7.0/24']);
  await service.call('DELETE', `/v1/modules/${id}/ip-range-entries?dry_run=true`, {
    body: { filter: { enabled: true } },
  });
  expect(await batches(id)).toEqual([]);
  await empty(id);
  const body = { batch: await lastBatch(id) };
  const planned = await service.call('POST', `/v1/modules/${id}/entries/restore?dry_run=true`, { body });
  expect(planned.body, planned.text).toMatchObject({
    body: { restored: 1 },
    effect: { summary: { withdrawn: 0 } },
  });
  expect(await cidrsOf(id)).toEqual([]);
  expect((await putBack(id, body.batch)).status).toBe(200);
});

test('are built again from what was collected of them, also where they cannot be read now', async () => {
  const module = await service.make('/v1/modules', { name: aName(), type: 'AS_PREFIXES' });
  const entry = await service.make(`/v1/modules/${module.id}/as-entries`, { asn: 3333 });
  await service.call('DELETE', `/v1/modules/${module.id}/as-entries/${entry.id}`);
  await service.database.admin('DELETE FROM pending_change WHERE module_id = $1', [module.id]);
  await putBack(module.id, await lastBatch(module.id));
  const [pending] = await service.database.admin(
    'SELECT bool_or(needs_build) AS build, bool_or(needs_collect) AS collect FROM pending_change WHERE module_id = $1',
    [module.id],
  );
  expect(pending).toEqual({ build: true, collect: true });
});

test('are recorded with their names', async () => {
  const { id, name } = await ranges(['8.8.8.0/24', '1.1.1.0/24']);
  await empty(id);
  await putBack(id, await lastBatch(id));
  const { body } = await service.call('GET', `/v1/audit?action=module.restore_entries&resource_id=${id}`);
  expect(body.items).toMatchObject([
    {
      resource: { id, name },
      changes: { after: { restored: 2, restored_entries: ['8.8.8.0/24', '1.1.1.0/24'] } },
    },
  ]);
});
test('every kind of entries comes back as it was', async () => {
  const kinds = [
    [
      'CDN_SOURCES',
      'cdn-sources',
      { name: 's', url: 'https://example.net/list', format: 'json', json_path: '$.a' },
    ],
    ['AS_PREFIXES', 'as-entries', { asn: 3333, note: 'n' }],
    ['DOMAINS', 'domain-entries', { domain: 'www.example.com', note: 'n' }],
    ['GEOFEED', 'geofeed-entries', { name: 'g', url: 'https://example.net/feed', countries: ['DE'] }],
  ] as const;
  for (const [type, path, entry] of kinds) {
    const module = await service.make('/v1/modules', { name: aName(), type });
    const made = await service.make(`/v1/modules/${module.id}/${path}`, entry);
    const list = `/v1/modules/${module.id}/${path}`;
    await service.call('DELETE', `${list}/${made.id}`);
    const [batch] = await batches(module.id);
    expect(batch!.names).toEqual([
      type === 'AS_PREFIXES'
        ? 'AS3333'
        : (('name' in entry ? entry.name : null) ?? (entry as { domain: string }).domain),
    ]);
    expect((await putBack(module.id, batch!.id)).body).toMatchObject({ restored: 1 });
    const { updated_at: _, ...same } = made;
    expect((await service.call('GET', `${list}/${made.id}`)).body).toMatchObject(same);
    await remove(module.id);
    expect((await restore(module.id)).body).toMatchObject({ restored: 1 });
    expect((await service.call('GET', `${list}/${made.id}`)).body).toMatchObject(same);
  }
});

test('a deletion of many entries is one removal, a row for each thousand, and comes back whole', async () => {
  const { id } = await ranges([]);
  const count = isThorough ? 10_000 : 3_000;
  const cidrs = Array.from({ length: count }, (_, index) => `20.${index >> 8}.${index & 255}.0/24`);
  await add(id, cidrs);
  await empty(id);
  const [batch] = await batches(id);
  expect(batch).toMatchObject({ entry_count: count, names: cidrs.slice(0, 3) });
  const chunks = await service.database.admin('SELECT FROM removed_chunk WHERE batch_id = $1', [batch!.id]);
  expect(chunks).toHaveLength(count / 1_000);
  expect((await putBack(id, batch!.id)).body).toMatchObject({ restored: count });
  expect((await service.call('GET', `/v1/modules/${id}`)).body.entry_count).toBe(count);
});

test('a tenant keeps no more removed entries than it may have entries, the newest removals', async () => {
  const tenant = service.other;
  const key = tenant.keys.operator;
  const module = await service.make('/v1/modules', { name: 'bounded', type: 'IP_RANGES' }, key);
  const path = `/v1/modules/${module.id}/ip-range-entries`;
  const cidrs = Array.from({ length: 1_000 }, (_, index) => `21.${index >> 8}.${index & 255}.0/24`);
  await service.database.admin(
    `UPDATE tenant_quota SET maximum = 2500 WHERE tenant_id = $1 AND resource = 'entries'`,
    [tenant.id],
  );
  for (let time = 0; time < 4; time++) {
    await service.call('POST', path, { key, body: { items: cidrs.map((cidr) => ({ cidr })) } });
    await service.call('DELETE', path, { key, body: { filter: { enabled: true } } });
  }
  const { body } = await service.call('GET', `/v1/modules/${module.id}/removed-entries`, { key });
  expect((body.items as Body[]).map((batch) => batch.entry_count)).toEqual([1_000, 1_000]);
});

test('a tenant keeps no more deleted modules than it may have modules, those deleted last', async () => {
  const tenant = await makeTenant(service.database);
  const key = tenant.keys.operator;
  await service.database.admin(
    `UPDATE tenant_quota SET maximum = 2 WHERE tenant_id = $1 AND resource = 'modules'`,
    [tenant.id],
  );
  const stays = await service.make('/v1/modules', { name: 'stays', type: 'IP_RANGES' }, key);
  for (const name of ['first', 'second', 'third', 'fourth']) {
    const { id } = await service.make('/v1/modules', { name, type: 'IP_RANGES' }, key);
    const path = `/v1/modules/${id}`;
    await service.make(`${path}/ip-range-entries`, { cidr: '8.8.8.0/24' }, key);
    expect((await service.call('DELETE', path, { key })).status).toBe(204);
  }
  await service.call('DELETE', `/v1/modules/${stays.id}/ip-range-entries`, {
    ...{ key, body: { filter: { enabled: true } } },
  });
  await service.dependencies.db.inTenant(tenant.id, (tx) => forgetRemoved(tx, 30));
  const { body } = await service.call('GET', '/v1/removed-modules', { key });
  expect((body.items as Body[]).map(({ name }) => name)).toEqual(['fourth', 'third']);
  const [last] = body.items as { id: string }[];
  expect((await service.call('POST', `/v1/modules/${last!.id}/restore`, { key })).status).toBe(200);
});
