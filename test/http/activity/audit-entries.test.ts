import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AuditRecord } from '../../../src/api/activity/audit.ts';
import { subjectText } from '../../../src/api/activity/audit-entries.ts';
import { isThorough } from '../../fuzz.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

async function recordsOf(query: string): Promise<AuditRecord[]> {
  const { status, body } = await service.call('GET', `/v1/audit?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.items as AuditRecord[];
}
const latest = async (): Promise<AuditRecord> => (await recordsOf('limit=1'))[0]!;
const actions = async (query: string): Promise<string[]> =>
  (await recordsOf(query)).map(({ action }) => action);

const KINDS = [
  {
    type: 'IP_RANGES',
    path: 'ip-range-entries',
    noun: 'ip_range_entry',
    key: 'cidr',
    values: ['45.83.64.0/24', '45.83.65.7/32', '2a09::/32'],
    more: {},
  },
  {
    type: 'AS_PREFIXES',
    path: 'as-entries',
    noun: 'as_entry',
    key: 'asn',
    values: ['AS13335', 'AS15169', 'AS64496'],
    more: {},
  },
  {
    type: 'DOMAINS',
    path: 'domain-entries',
    noun: 'domain_entry',
    key: 'domain',
    values: ['a.example', 'b.example', 'c.example'],
    more: {},
  },
  {
    type: 'CDN_SOURCES',
    path: 'cdn-sources',
    noun: 'cdn_source',
    key: 'name',
    values: ['one', 'two', 'three'],
    more: { url: 'https://lists.example/prefixes' },
  },
  {
    type: 'GEOFEED',
    path: 'geofeed-entries',
    noun: 'geofeed_entry',
    key: 'name',
    values: ['first', 'second', 'third'],
    more: { url: 'https://lists.example/geofeed', countries: ['DE'] },
  },
] as const;

describe.each(KINDS)('records of $noun name what they touched', ({ type, path, noun, key, values, more }) => {
  test('one and several that are made, changed and deleted', async () => {
    const module = await service.make('/v1/modules', { name: `named ${type}`, type });
    const list = `/v1/modules/${module.id}/${path}`;
    const [first, ...others] = values;
    const item = (value: string) => ({ ...more, [key]: value });

    const one = await service.call('POST', list, { body: { items: [item(first)] } });
    expect(one.status, JSON.stringify(one.body)).toBe(201);
    const [{ id }] = one.body.items as [{ id: string }];
    expect(await latest()).toMatchObject({
      action: `${noun}.create`,
      resource: { type: noun, id, name: first },
      changes: { after: { module_id: module.id, created: 1, created_entries: [first] } },
    });

    await service.call('POST', list, { body: { items: others.map(item) } });
    const made = await latest();
    expect(made).toMatchObject({
      resource: { id: null, name: null },
      changes: { after: { created: 2, created_entries: others } },
    });
    expect(subjectText(made)).toBe(others.join(', '));

    await service.call('PATCH', `${list}/${id}`, { body: { enabled: false } });
    expect(await latest()).toMatchObject({ action: `${noun}.change`, resource: { id, name: first } });

    const patch = { filter: { enabled: true }, patch: { enabled: false } };
    await service.call('PATCH', list, { body: patch });
    expect((await latest()).changes.after).toMatchObject({ changed: 2, changed_entries: others });

    await service.call('DELETE', `${list}/${id}`);
    expect(await latest()).toMatchObject({ action: `${noun}.delete`, resource: { id, name: first } });
    await service.call('DELETE', list, { body: { filter: { enabled: false } } });
    expect((await latest()).changes.after).toMatchObject({ deleted: 2, deleted_entries: others });

    expect(await actions(`resource_type=${noun}&q=${encodeURIComponent(others[0])}`)).toEqual(
      ['delete', 'change', 'create'].map((verb) => `${noun}.${verb}`),
    );
  });
});

describe('records are found by a prefix', () => {
  test('that an entry equals or contains, whoever made, imported, edited or deleted it', async () => {
    const module = await service.make('/v1/modules', { name: 'blackhole', type: 'IP_RANGES' });
    const list = `/v1/modules/${module.id}/ip-range-entries`;
    const items = [{ cidr: '141.98.11.0/24' }, { cidr: '141.98.11.7/32' }];
    await service.call('POST', list, { body: { items } });
    const csv = { headers: { 'content-type': 'text/csv' }, body: 'cidr\n141.98.0.0/16\n' };
    await service.call('POST', `/v1/modules/${module.id}/entries.csv`, csv);
    const made = await service.call('POST', list, { body: { cidr: '2a0b:1::/32' } });
    await service.call('DELETE', `${list}/${String(made.body.id)}`);

    expect(await actions('prefix=141.98.11.7')).toEqual(['module.import', 'ip_range_entry.create']);
    expect(await actions('prefix=141.98.11.0/24')).toEqual(['module.import', 'ip_range_entry.create']);
    expect(await actions('prefix=141.98.12.0/24')).toEqual(['module.import']);
    expect(await actions('prefix=141.98.0.0/15')).toEqual([]);
    expect(await actions('prefix=2A0B:1:0::5')).toEqual(['ip_range_entry.delete', 'ip_range_entry.create']);
    expect(await actions('prefix=141.98.11.7&action=module.import')).toEqual(['module.import']);
  });

  test('page by page', async () => {
    const module = await service.make('/v1/modules', { name: 'often', type: 'IP_RANGES' });
    const list = `/v1/modules/${module.id}/ip-range-entries`;
    for (let round = 0; round < 3; round++) {
      const { body } = await service.call('POST', list, { body: { cidr: '46.1.0.0/24' } });
      await service.call('DELETE', `${list}/${String(body.id)}`);
    }
    const found: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const next = cursor === '' ? '' : `&cursor=${cursor}`;
      const { body } = await service.call('GET', `/v1/audit?prefix=46.1.0.9&limit=4${next}`);
      found.push(...(body.items as AuditRecord[]).map(({ id }) => id));
      cursor = body.next_cursor as string | null;
    }
    expect(new Set(found).size).toBe(6);
    expect(found).toHaveLength(6);
  });

  test('not by what is no prefix', async () => {
    const { status, body } = await service.call('GET', '/v1/audit?prefix=141.98.11.7/33');
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'validation_failed' });
    expect(body.errors).toMatchObject([{ pointer: '?prefix' }]);
  });
});

test('an import of many names the first hundred, and counts the others', async () => {
  const module = await service.make('/v1/modules', { name: 'many', type: 'IP_RANGES' });
  const count = isThorough ? 20_000 : 2_000;
  const cidrs = Array.from({ length: count }, (_, i) => `47.${i >> 8}.${i & 255}.0/24`);
  const csv = { headers: { 'content-type': 'text/csv' }, body: `cidr\n${cidrs.join('\n')}\n` };
  const { status } = await service.call('POST', `/v1/modules/${module.id}/entries.csv`, csv);
  expect(status).toBe(200);
  const record = await latest();
  expect(record.changes.after).toMatchObject({ created: count, more_entries: count - 100 });
  expect(record.changes.after!.created_entries).toEqual(cidrs.slice(0, 100));
  expect(subjectText(record)).toBe(
    `many: ${cidrs.slice(0, 3).join(', ')} … and ${isThorough ? '19,997' : '1,997'} more`,
  );
  expect(JSON.stringify(record).length).toBeLessThan(10_000);
});

test('names that are long are bounded by their length', async () => {
  const module = await service.make('/v1/modules', { name: 'long', type: 'DOMAINS' });
  const label = 'a'.repeat(60);
  const items = Array.from({ length: 100 }, (_, i) => ({
    domain: `n${i}.${label}.${label}.${label}.example`,
  }));
  const made = await service.call('POST', `/v1/modules/${module.id}/domain-entries`, { body: { items } });
  expect(made.status).toBe(201);
  const { after } = (await latest()).changes;
  const named = after!.created_entries as string[];
  expect(named).toEqual(items.slice(0, named.length).map(({ domain }) => domain));
  expect(named.join('').length).toBeLessThanOrEqual(8_192);
  expect(after!.more_entries).toBe(100 - named.length);
});
