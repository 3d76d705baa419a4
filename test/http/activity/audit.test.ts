import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AuditRecord } from '../../../src/api/activity/audit.ts';
import { makeRevision } from '../fixtures.ts';
import { callApi, startService, type Body, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

async function readAuditLog(query = ''): Promise<AuditRecord[]> {
  const { body } = await service.call('GET', `/v1/audit?limit=500${query}`);
  return body.items as AuditRecord[];
}

const latest = async (query = ''): Promise<AuditRecord> => (await readAuditLog(query))[0]!;

describe('a record reports', () => {
  test('who did what to which resource, from where, in which request', async () => {
    const answer = await service.call('POST', '/v1/communities', {
      body: { community: '65000:1', title: 'Clouds' },
      headers: { 'x-request-id': 'req-17' },
    });
    expect(await latest()).toMatchObject({
      actor: 'key:the operator',
      action: 'community.create',
      severity: 'info',
      resource: { type: 'community', id: answer.body.id, name: '65000:1 Clouds' },
      changes: { before: null, after: { community: '65000:1', title: 'Clouds' } },
      request_id: 'req-17',
      address: '127.0.0.1',
      policy_id: null,
    });
  });

  test('only what a PATCH changed, before and after', async () => {
    const module = await service.make('/v1/modules', { name: 'a', type: 'IP_RANGES', description: 'old' });
    await service.call('PATCH', `/v1/modules/${module.id}`, { body: { description: 'new', enabled: true } });
    expect((await latest()).changes).toEqual({
      before: { description: 'old' },
      after: { description: 'new' },
    });
    expect((await latest()).resource).toEqual({ type: 'module', id: module.id, name: 'a' });
  });

  test('the id as it is, however the path writes it', async () => {
    const module = await service.make('/v1/modules', { name: 'capitals', type: 'IP_RANGES' });
    await service.call('PATCH', `/v1/modules/${module.id.toUpperCase()}`, { body: { enabled: false } });
    expect(await latest()).toMatchObject({
      resource: { type: 'module', id: module.id, name: 'capitals' },
      changes: { before: { enabled: true }, after: { enabled: false } },
    });
  });

  test('what was asked for, where the answer is a job', async () => {
    const speaker = await service.make('/v1/speakers', { name: 'asked', local_asn: 64512 });
    const community = await service.make('/v1/communities', { community: '65000:7', title: 'Seven' });
    const revision = await makeRevision(service, service.tenant, community.id, ['8.8.8.0/24']);
    const body = { revision_id: revision, speaker_ids: [speaker.id] };
    const job = await service.call('POST', '/v1/apply', { body });
    expect(await latest()).toMatchObject({
      action: 'revision.apply',
      severity: 'notice',
      resource: { type: 'revision', id: revision },
      changes: { before: null, after: { ...body, job_id: job.body.id, job_type: 'apply' } },
    });
    await service.call('DELETE', `/v1/speakers/${speaker.id}`);
  });

  test('a rollback at the revision that was asked for, with the new one', async () => {
    const [revision] = (await service.call('GET', '/v1/revisions')).body.items as { id: string }[];
    const made = await service.call('POST', `/v1/revisions/${revision!.id}/rollback`);
    expect(await latest()).toMatchObject({
      action: 'revision.rollback',
      severity: 'notice',
      resource: { type: 'revision', id: revision!.id, name: '1' },
      changes: { before: null, after: { id: made.body.id, number: 2, rollback_of: revision!.id } },
    });
  });

  test('an import of entries at its module, with counts; a dry run not at all', async () => {
    const module = await service.make('/v1/modules', { name: 'csv', type: 'IP_RANGES' });
    const path = `/v1/modules/${module.id}/entries.csv`;
    const csv = { headers: { 'content-type': 'text/csv' }, body: 'cidr\n8.8.4.0/24\n1.0.0.0/24\n' };
    await service.call('POST', `${path}?dry_run=true`, csv);
    expect((await latest()).action).toBe('module.create');
    expect((await service.call('POST', path, csv)).status).toBe(200);
    expect(await latest()).toMatchObject({
      action: 'module.import',
      resource: { type: 'module', id: module.id, name: 'csv' },
      changes: {
        before: null,
        after: { created: 2, deleted: 0, created_entries: ['8.8.4.0/24', '1.0.0.0/24'] },
      },
    });
    const next = 'cidr,note\n8.8.4.0/24,resolver\n1.1.1.0/24,\n';
    await service.call('POST', `${path}?mode=replace`, { ...csv, body: next });
    expect((await latest()).changes.after).toMatchObject({
      ...{ created: 1, created_entries: ['1.1.1.0/24'] },
      ...{ updated: 1, updated_entries: ['8.8.4.0/24'] },
      ...{ deleted: 1, deleted_entries: ['1.0.0.0/24'] },
    });
  });

  test('what a DELETE took away, as notice', async () => {
    const module = await service.make('/v1/modules', { name: 'gone', type: 'DOMAINS' });
    await service.call('DELETE', `/v1/modules/${module.id}`);
    expect(await latest()).toMatchObject({
      action: 'module.delete',
      severity: 'notice',
      resource: { type: 'module', id: module.id, name: 'gone' },
      changes: { before: { id: module.id, name: 'gone', type: 'DOMAINS' }, after: null },
    });
  });

  test('one setting of all, as notice', async () => {
    await service.call('PATCH', '/v1/settings', { body: { auto_apply: false } });
    const record = await latest();
    expect(record).toMatchObject({ action: 'settings.change', severity: 'notice' });
    expect(record.resource).toEqual({ type: 'settings', id: null, name: 'auto_apply' });
    expect(record.changes).toMatchObject({
      before: { settings: { auto_apply: true } },
      after: { settings: { auto_apply: false } },
    });
  });

  test('the job that was queued, at what it works on', async () => {
    const module = await service.make('/v1/modules', { name: 'refreshed', type: 'IP_RANGES' });
    const job = await service.call('POST', `/v1/modules/${module.id}/refresh`);
    expect(await latest()).toMatchObject({
      action: 'module.refresh',
      resource: { type: 'module', id: module.id, name: 'refreshed' },
      changes: { before: null, after: { job_id: job.body.id, job_type: 'module_refresh' } },
    });
    await service.call('POST', `/v1/jobs/${String(job.body.id)}/cancel`);
    expect(await latest()).toMatchObject({
      action: 'job.cancel',
      changes: { before: { state: 'queued' }, after: { state: 'cancelled' } },
    });
  });

  test('how many entries a bulk made, the first ones, and in which module, as one record', async () => {
    const module = await service.make('/v1/modules', { name: 'bulk', type: 'IP_RANGES' });
    const items = Array.from({ length: 300 }, (_, i) => ({ cidr: `9.${i >> 8}.${i & 255}.0/24` }));
    const made = await service.call('POST', `/v1/modules/${module.id}/ip-range-entries`, { body: { items } });
    expect(made.status).toBe(201);
    const records = await readAuditLog('&action=ip_range_entry.create');
    expect(records.map(({ changes }) => changes.after)).toEqual([
      {
        ...{ module_id: module.id, created: 300, more_entries: 200 },
        created_entries: items.slice(0, 100).map(({ cidr }) => cidr),
      },
    ]);
  });
});

describe('a secret is never in it', () => {
  test('of a peer: that the password changed, not what it is', async () => {
    // No speaker is there yet that could not sign its sessions.
    const peer = await service.make('/v1/peers', {
      name: 'p',
      address: '192.0.2.9',
      remote_asn: 64500,
      password: 'planted-one',
    });
    expect((await latest()).changes.after).toMatchObject({ password: '***', has_password: true });
    await service.call('PATCH', `/v1/peers/${peer.id}`, { body: { password: 'planted-two' } });
    expect((await latest()).changes).toEqual({ before: {}, after: { password: '***' } });
    await service.call('PATCH', `/v1/peers/${peer.id}`, { body: { password: null } });
    expect((await latest()).changes).toMatchObject({
      before: { has_password: true },
      after: { has_password: false, password: null },
    });
    expect(JSON.stringify(await readAuditLog())).not.toContain('planted');
  });

  test('of a source: the names of headers only', async () => {
    const module = await service.make('/v1/modules', { name: 'cdn', type: 'CDN_SOURCES' });
    await service.make(`/v1/modules/${module.id}/cdn-sources`, {
      name: 's',
      url: 'https://example.net/',
      headers: { 'X-Key': 'planted-header' },
    });
    expect((await latest()).changes.after).toMatchObject({ headers: { 'X-Key': '***' } });
    expect(JSON.stringify(await readAuditLog())).not.toContain('planted');
  });

  test('of an API key: its public start only, as notice; taking it back is a warning', async () => {
    const key = await service.make('/v1/api-keys', { name: 'reader', role: 'viewer' });
    const record = await latest();
    expect(record).toMatchObject({ action: 'api_key.create', severity: 'notice' });
    expect(record.changes.after).toMatchObject({ secret: '***', prefix: key.prefix });
    await service.call('DELETE', `/v1/api-keys/${key.id}`);
    expect(await latest()).toMatchObject({ action: 'api_key.revoke', severity: 'warning' });
    expect(JSON.stringify(await readAuditLog())).not.toContain(String(key.secret));
  });
});

test('refusals and repetitions leave no record', async () => {
  const before = (await readAuditLog()).length;
  const body = { name: 'once', type: 'IP_RANGES' };
  const headers = { 'idempotency-key': 'audit-once' };
  for (let i = 0; i < 3; i++)
    expect((await service.call('POST', '/v1/modules', { body, headers })).status).toBe(201);
  expect((await service.call('POST', '/v1/modules', { body })).status).toBe(409);
  expect((await service.call('POST', '/v1/modules', { body: { name: 1 } })).status).toBe(422);
  const viewer = service.tenant.keys.viewer;
  expect((await service.call('POST', '/v1/modules', { body, key: viewer })).status).toBe(403);
  expect((await readAuditLog()).length - before).toBe(1);
});

test('changes side by side report every state once, each beginning where another ended', async () => {
  const module = await service.make('/v1/modules', { name: 'raced', type: 'IP_RANGES', description: '-1' });
  const path = `/v1/modules/${module.id}`;
  await Promise.all(
    Array.from({ length: 20 }, (_, i) => service.call('PATCH', path, { body: { description: String(i) } })),
  );
  const records = (await readAuditLog(`&resource_id=${module.id}&action=module.change`)).map(
    ({ changes }) => [changes.before!.description, changes.after!.description],
  );
  const ends = new Map(records as [string, string][]);
  const seen = ['-1'];
  for (let at = ends.get('-1'); at !== undefined && seen.length < 30; at = ends.get(at)) seen.push(at);
  expect(seen.sort()).toEqual(Array.from({ length: 21 }, (_, i) => String(i - 1)).sort());
});

describe('the list', () => {
  test('shows nothing of another tenant', async () => {
    const key = service.other.keys.operator;
    await service.make('/v1/modules', { name: 'theirs', type: 'IP_RANGES' }, key);
    const { body } = await service.call('GET', '/v1/audit', { key });
    expect((body.items as AuditRecord[]).map(({ resource }) => resource.name)).toEqual(['theirs']);
    expect(JSON.stringify(await readAuditLog())).not.toContain('theirs');
  });

  test('goes through all records once, the newest first, while others are added', async () => {
    const all = await readAuditLog();
    const seen: AuditRecord[] = [];
    let cursor = '';
    for (let page = 0; page < all.length; page++) {
      const { body }: { body: Body } = await service.call('GET', `/v1/audit?limit=3${cursor}`);
      seen.push(...(body.items as AuditRecord[]));
      await service.make('/v1/communities', { community: `65001:${page}`, title: 'while reading' });
      if (body.has_more !== true) break;
      cursor = `&cursor=${String(body.next_cursor)}`;
    }
    expect(seen.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
    const moments = seen.map(({ at, id }) => at + id);
    expect(moments).toEqual([...moments].sort().reverse());
  });

  test('filters by action, severity, actor, resource, text and time', async () => {
    const viewer = service.tenant.keys.viewer;
    const { body } = await callApi(service.url, 'GET', '/v1/audit?severity=warning', { key: viewer });
    expect((body.items as AuditRecord[]).map(({ action }) => action)).toEqual(['api_key.revoke']);
    const all = await readAuditLog();
    const matching = async (query: string, wanted: (record: AuditRecord) => boolean) => {
      const got = (await readAuditLog(query)).map(({ id }) => id);
      expect(got.length, query).toBeGreaterThan(0);
      expect(got, query).toEqual(all.filter(wanted).map(({ id }) => id));
    };
    const one = all.find(({ action }) => action === 'module.delete')!;
    await matching('&action=module.create', ({ action }) => action === 'module.create');
    await matching('&resource_type=peer', ({ resource }) => resource.type === 'peer');
    await matching(`&resource_id=${one.resource.id}`, ({ resource }) => resource.id === one.resource.id);
    await matching('&q=RAC', ({ resource }) => resource.name === 'raced');
    await matching('&actor=key%3Athe%20operator', ({ actor }) => actor === 'key:the operator');
    await matching(`&since=${one.at}`, ({ at }) => at >= one.at);
    await matching(`&until=${one.at}`, ({ at }) => at < one.at);
    expect(await readAuditLog('&policy_id=0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77')).toEqual([]);
    for (const bad of ['severity=loud', 'since=yesterday', 'policy_id=1', 'x=1'])
      expect((await service.call('GET', `/v1/audit?${bad}`)).status, bad).toBe(422);
  });

  test.each([
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00+23:59',
    '9999-12-31T23:59:59.999999999Z',
    '9999-12-31T23:59:60-23:59',
    '2026-06-30T23:59:60Z',
    '2026-01-01t00:00:00z',
  ])('takes or refuses the moment %s, and does not fail', async (moment) => {
    for (const name of ['since', 'until']) {
      const path = `/v1/audit?${name}=${encodeURIComponent(moment)}`;
      expect([200, 422]).toContain((await service.call('GET', path)).status);
    }
  });
});
