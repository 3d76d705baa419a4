import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { TableSource } from '../../../src/sources/asn/table.ts';
import { askFor, errorOf, prefixesOf } from './asking.ts';
import { reaching, type ListServer, serves, startListServer } from '../lists/list-server.ts';

const TABLE = [
  '1.0.0.0\t1.0.0.255\t13335\tUS\tCLOUDFLARENET',
  '1.0.1.0\t1.0.3.255\t0\tNone\tNot routed',
  '1.0.4.0\t1.0.7.255\t38803\tAU\tGTELECOM-AUSTRALIA',
  '1.1.1.0\t1.1.1.255\t13335\tUS\tCLOUDFLARENET',
  '1.1.8.0\t1.1.11.254\t4134\tCN\tAn end that is no boundary',
  '10.0.0.0\t10.0.0.255\t4134\tCN\tNot public',
  '2606:4700::\t2606:4700:ffff:ffff:ffff:ffff:ffff:ffff\t13335\tUS\tCLOUDFLARENET',
].join('\n');

let server: ListServer;
let directory: string;
beforeAll(async () => {
  server = await startListServer();
  directory = await mkdtemp(join(tmpdir(), 'prefixcast-asn-'));
});
beforeEach(() => {
  server.requests.length = 0;
});
afterAll(async () => {
  await server.close();
  await rm(directory, { recursive: true, force: true });
});

function source(url = `${server.origin}/ip2asn-combined.tsv.gz`): TableSource {
  const retry = { attempts: 2, firstMs: 10, longestMs: 100 };
  return new TableSource({ url, fetch: { reach: reaching('127.0.0.1/32') }, retry });
}

test.each([
  ['plain', TABLE],
  ['with CR LF, comments and blank lines', `# a comment\r\n\r\n${TABLE.replaceAll('\n', '\r\n')}\r\n`],
  ['compressed', gzipSync(TABLE)],
  ['with AS before the numbers', TABLE.replaceAll('\t13335', '\tAS13335')],
  ['of three columns', TABLE.replaceAll(/^(\S+\t\S+\t\d+).*$/gm, '$1')],
])('a table %s gives the ranges of each AS as prefixes', async (_, body) => {
  server.answer = serves(body, 'application/octet-stream');
  const answers = await askFor(source(), [13335, 38803, 4134, 64496]);
  expect(prefixesOf(answers.get(13335))).toEqual(['1.0.0.0/24', '1.1.1.0/24', '2606:4700::/32']);
  expect(prefixesOf(answers.get(38803))).toEqual(['1.0.4.0/22']);
  expect(prefixesOf(answers.get(4134)).slice(0, 3)).toEqual(['1.1.8.0/23', '1.1.10.0/24', '1.1.11.0/25']);
  expect(answers.get(4134)).toMatchObject({ bogons: { count: 1 } });
  expect(prefixesOf(answers.get(64496))).toEqual([]);
  expect(server.requests).toHaveLength(1);
});

test('10,000 ASes cost one download, and nothing when the table has not changed', async () => {
  const lines = Array.from({ length: 60_000 }, (_, index) => {
    const [a, b] = [index >> 8, index & 255];
    return `45.${a & 255}.${b}.0\t45.${a & 255}.${b}.255\t${200_000 + (index % 15_000)}\tDE\tNETWORK-${index}`;
  });
  const body = gzipSync(lines.join('\n'));
  server.answer = (request, response) =>
    request.headers['if-none-match'] === '"v1"'
      ? response.writeHead(304).end()
      : response.writeHead(200, { 'content-type': 'application/gzip', etag: '"v1"' }).end(body);
  const asns = Array.from({ length: 10_000 }, (_, index) => 200_000 + index);
  const answers = await askFor(source(), asns);
  expect(server.requests).toHaveLength(1);
  for (const asn of asns) {
    const answer = answers.get(asn)!;
    expect(answer.kind === 'found' && [answer.prefixes.ipv4.size, answer.etag]).toEqual([4, '"v1"']);
  }
  const known = asns.map((asn) => ({ asn, etag: '"v1"', lastModified: null }));
  for (const answer of (await askFor(source(), known)).values()) expect(answer.kind).toBe('unchanged');
  // One that has nothing yet needs the whole table.
  const more = await askFor(source(), [...known, { asn: 210_000, etag: null, lastModified: null }]);
  expect([...more.values()].every(({ kind }) => kind === 'found')).toBe(true);
  expect(server.requests).toHaveLength(3);
});

test.each([
  ['HTML', '<html>\n<p>Sign in</p>', 'source_unparseable', 'Line 1'],
  ['a list of prefixes', '45.0.0.0/24\n', 'source_unparseable', 'Line 1'],
  ['a line cut off', `${TABLE}\n1.2.3.0\t1.2.3`, 'source_unparseable', 'Line 8'],
  ['names for numbers', '1.0.0.0\t1.0.0.255\tCLOUDFLARE\n', 'source_unparseable', 'Line 1'],
  ['nothing', '', 'source_empty', 'no line'],
  ['gzip cut off', gzipSync(TABLE).subarray(0, 60), 'source_unparseable', 'cut off'],
])('%s fails for every AS, and no half of it counts', async (_, body, code, words) => {
  server.answer = serves(body);
  const answers = await askFor(source(), [13335, 4134]);
  for (const asn of [13335, 4134]) {
    expect(errorOf(answers.get(asn))).toMatchObject({ code });
    expect(errorOf(answers.get(asn)).message).toContain(words);
  }
});

test('a table that unpacks to more than any table has is refused', async () => {
  server.answer = serves(gzipSync(Buffer.alloc(300 * 2 ** 20, '\n')));
  expect(errorOf((await askFor(source(), [1])).get(1)).code).toBe('source_too_large');
});

test('ranges that cannot be read are left out and counted; an AS of which none can be read fails', async () => {
  server.answer = serves(
    ['45.0.0.0\t45.0.0.255\t1', '45.0.9.0\t45.0.8.0\t1', '45.0.0.999\t45.0.1.0\t2'].join('\n'),
  );
  const answers = await askFor(source(), [1, 2]);
  expect(prefixesOf(answers.get(1))).toEqual(['45.0.0.0/24']);
  expect(answers.get(1)).toMatchObject({ prefixes: { rejectedCount: 1 } });
  expect(errorOf(answers.get(2)).code).toBe('source_unparseable');
});

test('a server that fails is tried again, then all fail', async () => {
  server.answer = (_, response) => response.writeHead(503).end();
  expect(errorOf((await askFor(source(), [1])).get(1))).toMatchObject({ httpStatus: 503 });
  expect(server.requests).toHaveLength(2);
});

test("a file of the operator's is read, and not again while it stays the same", async () => {
  const path = join(directory, 'table.tsv');
  await writeFile(path, TABLE);
  const file = source(pathToFileURL(path).href);
  const first = (await askFor(file, [38803])).get(38803);
  expect(prefixesOf(first)).toEqual(['1.0.4.0/22']);
  const etag = first?.kind === 'found' ? first.etag : null;
  const again = [{ asn: 38803, etag, lastModified: null }];
  expect((await askFor(file, again)).get(38803)).toEqual({ kind: 'unchanged' });
  await writeFile(path, `${TABLE}\n5.1.0.0\t5.1.0.255\t38803\n`);
  expect(prefixesOf((await askFor(file, again)).get(38803))).toEqual(['1.0.4.0/22', '5.1.0.0/24']);
  const missing = await askFor(source(pathToFileURL(join(directory, 'none')).href), [1]);
  expect(errorOf(missing.get(1))).toMatchObject({ code: 'source_unreachable' });
  expect(errorOf(missing.get(1)).message).toContain('ENOENT');
});
