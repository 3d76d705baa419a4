/** Names: one canonical form, unique without case, nothing in them that cannot be seen. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type Body, type TestService } from '../service.ts';

let service: TestService;
let sources: string;
beforeAll(async () => {
  service = await startService();
  const { id } = await service.make('/v1/modules', { name: 'holds sources', type: 'CDN_SOURCES' });
  sources = `/v1/modules/${id}/cdn-sources`;
});
afterAll(() => service.close());

let serial = 0;
const nextAddress = () => `192.0.2.${++serial}`;

/** Every resource whose name is unique, and the rest of a body that makes one. */
const UNIQUE: readonly (readonly [path: () => string, rest: () => Body])[] = [
  [() => '/v1/modules', () => ({ type: 'IP_RANGES' })],
  [() => sources, () => ({ url: 'https://example.net/list' })],
  [() => '/v1/speakers', () => ({ local_asn: 64512 })],
  [() => '/v1/peers', () => ({ address: nextAddress(), remote_asn: 64500 })],
  [() => '/v1/doh-profiles', () => ({ url: 'https://dns.example/dns-query' })],
];

describe.each(UNIQUE.map(([path, rest]) => ({ path, rest })))('$path', ({ path, rest }) => {
  const make = (name: string) => service.call('POST', path(), { body: { name, ...rest() } });

  test('stores a name trimmed and composed', async () => {
    const { status, body } = await make('  Zu\u0308rich edge \u00a0');
    expect({ status, name: body.name }).toEqual({ status: 201, name: 'Zürich edge' });
    const read = await service.call('GET', `${path()}/${String(body.id)}`);
    expect(read.body.name).toBe('Zürich edge');
  });

  test.each(['ZÜRICH EDGE', 'Zürich\u00a0edge', 'zürich ｅｄｇｅ'])('409: %s', async (name) => {
    const { status, body } = await make(name);
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'conflict' });
    expect((body.errors as Body[])[0]!.pointer).toMatch(/^\/(items\/0\/)?name$/);
    expect(body.detail).toContain(name.normalize('NFC').trim());
    expect(body.detail).toContain('Choose another name');
  });

  test('renaming to another case of itself is no conflict, to that of another is one', async () => {
    const made = await make('first of two');
    const other = await make('second of two');
    const rename = (id: unknown, name: string) =>
      service.call('PATCH', `${path()}/${String(id)}`, { body: { name } });
    expect((await rename(made.body.id, 'FIRST of two')).body.name).toBe('FIRST of two');
    expect((await rename(other.body.id, 'First Of Two')).status).toBe(409);
    expect((await rename(made.body.id, 'third of three')).status).toBe(200);
    expect((await rename(other.body.id, 'First Of Two')).status).toBe(200);
  });

  test.each([
    ['a\u202eb', 'U+202E'],
    ['a\u200bb', 'U+200B'],
    ['a\nb', 'U+000A'],
    ['a\u0007b', 'U+0007'],
    ['\u2067a', 'U+2067'],
    ['a\u{e0041}', 'U+E0041'],
  ])('422: %j, which names the character', async (name, character) => {
    const { status, body } = await make(name);
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'validation_failed' });
    expect(body.detail).toContain(character);
  });

  test('422: nothing but blanks', async () => {
    const { status, body } = await make(' \t\u3000 ');
    expect(status).toBe(422);
    expect(body.detail).toContain('must not be empty');
  });
});

test('names of another tenant, and of another module, do not count', async () => {
  await service.make('/v1/modules', { name: 'mine', type: 'CDN_SOURCES' });
  const theirs = { name: 'MINE', type: 'CDN_SOURCES' };
  const { id } = await service.make('/v1/modules', theirs, service.other.keys.operator);
  await service.make(`${sources}`, { name: 'of a module', url: 'https://example.net/' });
  const elsewhere = `/v1/modules/${id}/cdn-sources`;
  const source = { name: 'Of A Module', url: 'https://example.net/' };
  await service.make(elsewhere, source, service.other.keys.operator);
});

test('i, I and the dotless ı are one letter on every server, İ another', async () => {
  await service.make('/v1/modules', { name: 'istanbul', type: 'IP_RANGES' });
  const make = (name: string) => service.call('POST', '/v1/modules', { body: { name, type: 'IP_RANGES' } });
  expect((await make('ISTANBUL')).status).toBe(409);
  expect((await make('ıstanbul')).status).toBe(409);
  expect((await make('İstanbul')).status).toBe(201);
  expect((await make('Οδός')).status).toBe(201);
  expect((await make('ΟΔΌΣ')).status).toBe(409);
});

test('many at once: each that is taken is reported with its place, and none is made', async () => {
  await service.make(sources, { name: 'Taken', url: 'https://example.net/' });
  const items = ['new', 'taken', 'NEW'].map((name) => ({ name, url: 'https://example.net/' }));
  const { status, body } = await service.call('POST', sources, { body: { items } });
  expect(status).toBe(409);
  expect((body.errors as Body[]).map(({ pointer }) => pointer)).toEqual(['/items/1/name', '/items/2/name']);
  const { body: list } = await service.call('GET', `${sources}?q=new&limit=500`);
  expect(list.items).toEqual([]);
});

test('names in a file are of the same kind', async () => {
  const path = sources.replace('cdn-sources', 'entries.csv');
  const load = (name: string) =>
    service.call('POST', path, {
      body: `name,url\r\n${name},https://example.net/\r\n`,
      headers: { 'content-type': 'text/csv' },
    });
  expect((await load('  From a file ')).status).toBe(200);
  const { body } = await service.call('GET', `${sources}?q=from a file`);
  expect((body.items as Body[]).map(({ name }) => name)).toEqual(['From a file']);
  const again = await load('FROM A FILE');
  expect(again.status).toBe(409);
  expect(again.body.detail).toContain('Choose another name');
  const hidden = await load('from\u202efile');
  expect(hidden.status).toBe(422);
  expect(hidden.body.detail).toContain('U+202E');
});

test.each([
  ['/v1/communities', { community: '65000:77', title: ' a\u202eb ' }, '/title'],
  ['/v1/api-keys', { name: 'a\u200fb', role: 'viewer' }, '/name'],
  ['/v1/speakers', { name: 'labelled', label: 'a\u0000b', local_asn: 64512 }, '/label'],
])('%s takes none of these characters either', async (path, body, pointer) => {
  const answer = await service.call('POST', path, { body });
  expect(answer.status).toBe(422);
  expect((answer.body.errors as Body[]).map((fault) => fault.pointer)).toEqual([pointer]);
});
