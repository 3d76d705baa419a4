/** Entries as CSV, over the wire. */
import { request } from 'node:http';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Body } from '../service.ts';
import { times } from '../../fuzz.ts';
import { done, useCsv } from './csv-scene.ts';

const csvs = useCsv();
const { newModule, upload, download, list } = csvs;

test('ranges come in with notes, states and communities, and go out in the order of addresses', async () => {
  const module = await newModule('IP_RANGES');
  const csv =
    '\ufeffNote,cidr,Community,enabled\r\n"one, ""two""\r\nthree",9.9.9.0/24,65000:100,TRUE\r\n\r\n,2001:DB9::,,false\n,1.1.1.0/24,,\n,,,\n';
  const answer = await upload(module, csv);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body).toEqual(done({ created: 3 }));
  expect(await list(module, 'ip-range-entries')).toMatchObject([
    { cidr: '9.9.9.0/24', note: 'one, "two"\r\nthree', enabled: true, community_id: csvs.community },
    { cidr: '2001:db9::/128', note: null, enabled: false, community_id: null },
    { cidr: '1.1.1.0/24', note: null, enabled: true, community_id: null },
  ]);
  const exported = await csvs.service.call('GET', `${module}/entries.csv`);
  expect(exported.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
  expect(exported.text).toBe(
    'cidr,note,enabled,community,expires_at\r\n1.1.1.0/24,,true,,\r\n9.9.9.0/24,"one, ""two""\r\nthree",true,65000:100,\r\n2001:db9::/128,,false,,\r\n',
  );
});

test('append updates what differs and leaves the rest; replace also deletes; ids of what stays stay', async () => {
  const module = await newModule('IP_RANGES');
  await upload(module, 'cidr,note\n1.1.1.0/24,a\n2.2.2.0/24,b\n3.3.3.0/24,c\n');
  const before = new Map((await list(module, 'ip-range-entries')).map(({ cidr, id }) => [cidr, id]));
  expect((await upload(module, 'cidr,note\n2.2.2.0/24,B\n3.3.3.0/24,c\n4.4.4.0/24,d\n')).body).toEqual(
    done({ created: 1, updated: 1, unchanged: 1 }),
  );
  // A column that is missing changes nothing.
  expect((await upload(module, 'cidr\n2.2.2.0/24\n')).body).toEqual(done({ unchanged: 1 }));
  const replaced = await upload(
    module,
    'cidr,note\n2.2.2.0/24,B\n3.3.3.0/24,\n5.5.5.0/24,e\n',
    '?mode=replace',
  );
  expect(replaced.body).toEqual(done({ created: 1, updated: 1, unchanged: 1, deleted: 2 }));
  const after = await list(module, 'ip-range-entries');
  expect(new Map(after.map(({ cidr, note }) => [cidr, note]))).toEqual(
    new Map([
      ['2.2.2.0/24', 'B'],
      ['3.3.3.0/24', null],
      ['5.5.5.0/24', 'e'],
    ]),
  );
  for (const { cidr, id } of after.slice(0, 2)) expect(id).toBe(before.get(cidr));
});

test('remove deletes what the file names in any form, whatever else stands there, and nothing more', async () => {
  const module = await newModule('IP_RANGES');
  await upload(module, 'cidr,note\n1.1.1.0/24,a\n2.2.2.2,b\n2001:db9::/32,c\n');
  const csv = 'cidr,note\n2.2.2.2,another\n2001:0DB9::/32,\n10.0.0.0/8,a bogon that is not there\n';
  expect((await upload(module, csv, '?mode=remove&dry_run=true')).body).toEqual(
    done({ deleted: 2, unchanged: 1, dry_run: true }),
  );
  expect((await upload(module, csv, '?mode=remove')).body).toEqual(done({ deleted: 2, unchanged: 1 }));
  expect((await list(module, 'ip-range-entries')).map(({ cidr }) => cidr)).toEqual(['1.1.1.0/24']);
  const sources = await newModule('CDN_SOURCES');
  await upload(sources, 'name,url\nOne,https://one.example/\nTwo,https://two.example/\n');
  expect((await upload(sources, 'name\nOne\n', '?mode=remove')).body).toEqual(done({ deleted: 1 }));
  const refused = await upload(module, 'cidr\nnonsense\n', '?mode=remove');
  expect(refused.status).toBe(422);
  expect((await upload(module, 'note\nx\n', '?mode=remove')).status).toBe(422);
});

test('a dry run counts the same and changes nothing', async () => {
  const module = await newModule('AS_PREFIXES');
  await upload(module, 'asn,note\nAS3333,RIPE\n64496,\n');
  const exported = await download(module);
  const csv = 'asn,note\n3333,ripe\n13335,\n';
  const counts = { created: 1, updated: 1, deleted: 1 };
  expect((await upload(module, csv, '?mode=replace&dry_run=true')).body).toEqual(
    done({ ...counts, dry_run: true }),
  );
  expect(await download(module)).toBe(exported);
  expect((await upload(module, csv, '?mode=replace')).body).toEqual(done(counts));
  expect(await download(module)).toBe(
    'asn,note,enabled,community,expires_at\r\n3333,ripe,true,,\r\n13335,,true,,\r\n',
  );
});

test('domains come in in any form and go out as A-labels', async () => {
  const module = await newModule('DOMAINS');
  const csv = 'domain,note,community\nWWW.Example.COM.,-1,65000:100\nbücher.example,,\n';
  expect((await upload(module, csv)).body).toEqual(done({ created: 2 }));
  const exported = await download(module);
  expect(exported).toBe(
    "domain,note,enabled,community,expires_at\r\nwww.example.com,'-1,true,65000:100,\r\nxn--bcher-kva.example,,true,,\r\n",
  );
  expect((await upload(module, exported, '?mode=replace')).body).toEqual(done({ unchanged: 2 }));
});

test('CDN sources keep their headers, and ask again only where the file asks otherwise', async () => {
  const module = await newModule('CDN_SOURCES');
  const source = (name: string, more: Body = {}) =>
    csvs.service.make(`${module}/cdn-sources`, { name, url: `https://example.net/${name}`, ...more });
  await source('a', { headers: { Authorization: 'Bearer x' }, format: 'json', json_path: '$[*]' });
  await source('b');
  await csvs.service.database.admin("UPDATE cdn_source SET etag = 'E', last_modified = 'M'");
  const exported = await download(module);
  expect(exported).toBe(
    'name,url,format,json_path,csv_column,enabled,community,expires_at\r\na,https://example.net/a,json,$[*],,true,,\r\nb,https://example.net/b,auto,,,true,,\r\n',
  );
  expect((await upload(module, exported, '?mode=replace')).body).toEqual(done({ unchanged: 2 }));
  const changed = exported.replace('a,json', 'a2,json').replace('auto,,,true', 'auto,,,false');
  expect((await upload(module, changed)).body).toEqual(done({ updated: 2 }));
  expect(await list(module, 'cdn-sources')).toMatchObject([
    { name: 'a', url: 'https://example.net/a2', headers: { Authorization: null }, etag: null },
    { name: 'b', enabled: false, etag: 'E' },
  ]);
});

describe('an import of an export changes nothing, and makes the same module of an empty one', () => {
  const texts = fc.oneof(
    fc.string({ maxLength: 40, unit: 'binary' }),
    fc
      .array(
        fc.constantFrom(
          '=',
          '+',
          '-',
          '@',
          "'",
          '"',
          ',',
          '\r',
          '\n',
          '\t',
          ' ',
          '\ufeff',
          'a',
          'é',
          '🙂',
          '＝',
        ),
        {
          maxLength: 12,
        },
      )
      .map((parts) => parts.join('')),
  );
  const note = texts.filter((text) => !text.includes('\0') && text.isWellFormed());

  test('IP_RANGES with notes of any text', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(note, fc.boolean(), fc.boolean()), { minLength: 1, maxLength: 30 }),
        async (rows) => {
          const [from, to] = [await newModule('IP_RANGES'), await newModule('IP_RANGES')];
          const items = rows.map(([text, enabled, tagged], n) => ({
            cidr: `11.0.${n}.0/24`,
            note: text,
            enabled,
            community_id: tagged ? csvs.community : null,
          }));
          expect(
            (await csvs.service.call('POST', `${from}/ip-range-entries`, { body: { items } })).status,
          ).toBe(201);
          const csv = await download(from);
          expect((await upload(from, csv, '?mode=replace')).body).toEqual(done({ unchanged: items.length }));
          const answer = await upload(to, csv);
          expect(answer.body, answer.text).toEqual(done({ created: items.length }));
          const copies = await list(to, 'ip-range-entries');
          expect(copies.map(({ note: text }) => text ?? '')).toEqual(items.map(({ note: text }) => text));
          expect(await download(to)).toBe(csv);
        },
      ),
      { numRuns: times(25, 10) },
    );
  });
});

test('ten thousand rows and more are exported over several pages, each once', async () => {
  const module = await newModule('IP_RANGES');
  const cidrs = Array.from({ length: 12_345 }, (_, n) => `12.${n >> 8}.${n & 255}.0/24`);
  expect((await upload(module, `cidr\n${cidrs.join('\n')}`)).body).toEqual(done({ created: 12_345 }));
  const lines = (await download(module)).trimEnd().split('\r\n');
  expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(cidrs);
});

test('406, 415, 404: other media types, other tenants', async () => {
  const module = await newModule('IP_RANGES');
  const json = await csvs.service.call('POST', `${module}/entries.csv`, { body: { items: [] } });
  expect(json).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
  const csv = await csvs.service.call('POST', `${module}/ip-range-entries`, {
    body: 'cidr\n1.1.1.1\n',
    headers: { 'content-type': 'text/csv' },
  });
  expect(csv).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
  const foreign = await upload(module, 'cidr\n1.1.1.1\n', '', csvs.service.other.keys.operator);
  expect(foreign.status).toBe(404);
  const wrong = await csvs.service.call('GET', `${module}/entries.csv`, {
    headers: { accept: 'application/json' },
  });
  expect(wrong).toMatchObject({ status: 406, body: { code: 'not_acceptable' } });
});

test('a repetition under one Idempotency-Key gets the first answer; another file under it is refused', async () => {
  const module = await newModule('IP_RANGES');
  const send = (csv: string) =>
    csvs.service.call('POST', `${module}/entries.csv`, {
      body: csv,
      headers: { 'content-type': 'text/csv', 'idempotency-key': 'csv-1' },
    });
  expect((await send('cidr\n1.1.1.1\n')).body).toEqual(done({ created: 1 }));
  expect((await send('cidr\n1.1.1.1\n')).body).toEqual(done({ created: 1 }));
  expect(await send('cidr\n2.2.2.2\n')).toMatchObject({
    status: 422,
    body: { code: 'idempotency_key_reused' },
  });
});

test('of two files at once that replace a module, one comes after the other', async () => {
  const module = await newModule('IP_RANGES');
  const files = [11, 13].map((octet) =>
    Array.from({ length: 3_000 }, (_, n) => `${octet}.${n >> 8}.${n & 255}.0/24`),
  );
  const answers = await Promise.all(
    files.map((cidrs) => upload(module, `cidr\n${cidrs.join('\n')}\n`, '?mode=replace')),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const deleted = answers.map(({ body }) => body.deleted);
  expect(deleted.sort()).toEqual([0, 3_000]);
  const left = (await download(module)).split('\r\n').slice(1, -1);
  expect(left).toHaveLength(3_000);
  expect(new Set(left.map((line) => line.slice(0, 2))).size).toBe(1);
});

test('409: what is beyond the quota is not imported, and a file that replaces may use what it frees', async () => {
  const key = csvs.service.other.keys.operator;
  const module = `/v1/modules/${(await csvs.service.make('/v1/modules', { name: 'small', type: 'IP_RANGES' }, key)).id}`;
  await csvs.service.database.admin(
    "UPDATE tenant_quota SET maximum = 3 WHERE tenant_id = $1 AND resource = 'entries'",
    [csvs.service.other.id],
  );
  expect((await upload(module, 'cidr\n1.1.1.1\n2.2.2.2\n3.3.3.3\n', '', key)).body).toEqual(
    done({ created: 3 }),
  );
  const beyond = await upload(module, 'cidr\n4.4.4.4\n', '', key);
  expect(beyond).toMatchObject({ status: 409, body: { code: 'quota_exceeded' } });
  const replaced = await upload(module, 'cidr\n4.4.4.4\n5.5.5.5\n1.1.1.1\n', '?mode=replace', key);
  expect(replaced.body).toEqual(done({ created: 2, unchanged: 1, deleted: 2 }));
});

test('413: a file over 64 MiB is refused by its length', async () => {
  const module = await newModule('IP_RANGES');
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const asked = request(
    `${csvs.service.url}${module}/entries.csv`,
    {
      method: 'POST',
      headers: {
        authorization: `Bearer ${csvs.service.tenant.keys.operator}`,
        'content-type': 'text/csv',
        'content-length': 64 * 1024 * 1024 + 1,
      },
    },
    (answer) => resolve(answer.statusCode),
  );
  asked.once('error', reject);
  asked.flushHeaders();
  expect(await promise).toBe(413);
  asked.destroy();
});
