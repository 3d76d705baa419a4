/** What a source would bring, over the wire; the sources are real servers on loopback. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type ListServer, serves, startListServer } from '../../sources/lists/list-server.ts';
import { startService, type Answered, type Body, type TestService } from '../service.ts';

let service: TestService;
let source: ListServer;
beforeAll(async () => {
  service = await startService();
  source = await startListServer();
});
afterAll(async () => {
  await source.close();
  await service.close();
});

const preview = (answer: Answer, body: Body = {}, key = service.tenant.keys.operator): Promise<Answered> => {
  source.answer = answer;
  const sent = { url: `${source.origin}/list`, ...body };
  return service.call('POST', '/v1/cdn-sources/preview', { key, body: sent });
};

test('reports what was found, refused and dropped, and what aggregation leaves', async () => {
  const text = '8.8.8.0/25\n8.8.8.128/25\n\nx\n2001:4860::/32\n10.0.0.0/8\n1.1.1.1-1.1.1.2\n1.2.3.4/24\n';
  const { status, body } = await preview(
    serves(gzipSync(text), 'text/plain; charset=utf-8', { 'content-encoding': 'gzip' }),
  );
  expect(status).toBe(200);
  expect(body).toMatchObject({
    http_status: 200,
    content_type: 'text/plain; charset=utf-8',
    bytes: text.length,
    format: 'text',
    accepted_count: 5,
    collected: { ipv4: 4, ipv6: 1 },
    aggregated: { ipv4: 3, ipv6: 1 },
    prefixes: ['8.8.8.0/25', '8.8.8.128/25', '1.1.1.1/32', '1.1.1.2/32', '2001:4860::/32'],
    rejected_count: 2,
    bogon_count: 1,
    bogons: [{ prefix: '10.0.0.0/8', within: expect.stringContaining('RFC 1918') as string }],
  });
  expect(body.rejected).toEqual([
    { line: 4, text: 'x', reason: expect.any(String) as string },
    { line: 8, text: '1.2.3.4/24', reason: expect.stringContaining('1.2.3.0/24') as string },
  ]);
});

test('follows a path in JSON, picks a column of CSV, sends headers, and keeps nothing', async () => {
  const json = JSON.stringify({
    items: [
      { cidr: '8.8.8.0/24', region: 'eu' },
      { cidr: '9.9.9.0/24', region: 'us' },
    ],
  });
  const found = await preview(serves(json, 'application/json'), {
    json_path: '$.items[?@.region == "eu"].cidr',
    headers: { 'X-Token': 'hunter2' },
  });
  expect(found.body).toMatchObject({ format: 'json', prefixes: ['8.8.8.0/24'] });
  expect(source.requests.at(-1)!.headers['x-token']).toBe('hunter2');
  const csv = await preview(serves('name,range\na,9.9.9.0/24\n', 'text/csv'), { csv_column: 'range' });
  expect(csv.body).toMatchObject({ format: 'csv', prefixes: ['9.9.9.0/24'] });
  const [{ stored }] = (await service.database.admin('SELECT count(*)::int AS stored FROM cdn_source')) as [
    { stored: number },
  ];
  expect(stored).toBe(0);
});

test.each(['$.data.list', 'data.list', 'data.list[*]', '$.data.list[*]'])(
  'follows %s to the list itself, which a source may keep as well',
  async (path) => {
    const json = JSON.stringify({ data: { list: ['8.8.8.0/24', '2001:4860::/32'], other: ['9.9.9.0/24'] } });
    const { body } = await preview(serves(json, 'application/json'), { json_path: path });
    expect(body).toMatchObject({ format: 'json', prefixes: ['8.8.8.0/24', '2001:4860::/32'] });
    const module = await service.make('/v1/modules', { name: `of ${path}`, type: 'CDN_SOURCES' });
    const kept = await service.make(`/v1/modules/${module.id}/cdn-sources`, {
      ...{ name: 'list', url: `${source.origin}/list`, format: 'json', json_path: path },
    });
    expect(kept.json_path).toBe(path);
  },
);

test('shows a hundred of many, and counts all of a list that a thread reads', async () => {
  const lines = Array.from(
    { length: 40_000 },
    (_, n) => `${11 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}.0/24`,
  );
  const { body } = await preview(serves(`${lines.join('\n')}\n${'bad\n'.repeat(500)}`));
  expect(body.prefixes).toEqual(lines.slice(0, 100));
  expect(body).toMatchObject({ collected: { ipv4: 40_000 }, rejected_count: 500 });
  expect(body.rejected).toHaveLength(100);
  expect((body.aggregated as { ipv4: number }).ipv4).toBeLessThan(20);
});

describe('a source that fails answers with its code', () => {
  test.each<[number, string, Answer, Body, RegExp]>([
    [422, 'source_http_status', (_, response) => response.writeHead(404).end(), {}, /404.*check the URL/],
    [
      422,
      'source_redirect',
      (_, response) => response.writeHead(302, { location: 'ftp://x/' }).end(),
      {},
      /redirects/,
    ],
    [422, 'source_unparseable', serves('<html>sign in</html>', 'text/html'), {}, /HTML/],
    [422, 'source_unparseable', serves('{"a":[]}', 'application/json'), { json_path: '$.b' }, /"a"/],
    [422, 'source_empty', serves('# nothing\n'), {}, /no prefix/],
    [422, 'source_unreachable', (request) => request.socket.destroy(), {}, /broke the connection/],
    [422, 'source_refused_address', serves(''), { url: 'http://10.0.0.1/' }, /10\.0\.0\.1/],
    [422, 'source_refused_address', serves(''), { url: 'http://[::ffff:169.254.169.254]/' }, /not public/],
    [422, 'validation_failed', serves(''), { url: 'ftp://example.net/' }, /\/url/],
    [422, 'validation_failed', serves(''), { format: 'text', json_path: '$.x' }, /\/json_path/],
    [422, 'validation_failed', serves(''), { json_path: '$[' }, /\/json_path/],
  ])('%d %s', async (status, code, answer, body, reported) => {
    const failed = await preview(answer, body);
    expect({ status: failed.status, code: failed.body.code }, failed.text).toEqual({ status, code });
    expect(failed.body.detail).toMatch(reported);
    expect(failed.text).not.toContain('hunter2');
  });
});

test('a source that takes its time keeps no connection of the database', async () => {
  const waiting: (() => void)[] = [];
  const slow: Answer = (_, response) => {
    waiting.push(() => response.end('8.8.8.0/24\n'));
  };
  const previews = Array.from({ length: 2 }, () => preview(slow));
  await expect.poll(() => waiting.length).toBe(2);
  const idle = await service.database.admin<{ state: string }>(
    "SELECT state FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'",
  );
  expect(idle).toEqual([]);
  const third = await preview(slow);
  expect(third).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
  const ofAnother = await preview(serves('8.8.8.0/24\n'), {}, service.other.keys.operator);
  expect(ofAnother.status).toBe(200);
  for (const end of waiting) end();
  for (const { body } of await Promise.all(previews)) expect(body.prefixes).toEqual(['8.8.8.0/24']);
  expect((await preview(serves('8.8.8.0/24\n'))).status).toBe(200);
});
