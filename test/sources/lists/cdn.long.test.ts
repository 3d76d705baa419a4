import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  type CdnList,
  type CdnOptions,
  type CdnRequest,
  collectCdn,
} from '../../../src/sources/lists/cdn.ts';
import { SourceError } from '../../../src/sources/fetch/fetch.ts';
import { type Answer, type ListServer, reaching, serves, startListServer } from './list-server.ts';
import { textsOf } from './prefix-texts.ts';

const AWS = join(import.meta.dirname, '../../../../shared/data/aws');
const OPTIONS: CdnOptions = {
  ...{ reach: reaching('127.0.0.1/32'), bogons: 'drop' },
  // A busy machine takes longer than a list may otherwise; what is said of lists that are too large does not depend on time.
  limits: { totalMs: 240_000, headersMs: 240_000, idleMs: 240_000, parseMs: 240_000 },
};

let server: ListServer;
beforeAll(async () => {
  server = await startListServer();
});
afterEach(() => {
  server.requests.length = 0;
});
afterAll(() => server.close());

function sourceOf(more: Partial<CdnRequest> = {}): CdnRequest {
  return {
    url: `${server.origin}/list?key=secret`,
    format: 'auto',
    jsonPath: null,
    csvColumn: null,
    headers: {},
    etag: null,
    lastModified: null,
    ...more,
  };
}

async function collect(answer: Answer, more: Partial<CdnRequest> = {}): Promise<CdnList> {
  server.answer = answer;
  const list = await collectCdn(sourceOf(more), OPTIONS);
  if (list.notModified) throw new Error('The list was not fetched');
  return list;
}

async function failure(answer: Answer, more: Partial<CdnRequest> = {}): Promise<SourceError> {
  const error: unknown = await collect(answer, more).catch((reason: unknown) => reason);
  if (!(error instanceof SourceError)) throw error;
  return error;
}

describe('a list', () => {
  test('comes with its prefixes, what it says about itself, and what was left out', async () => {
    const body = '# list\n45.0.0.0/24\n10.0.0.0/8\nnonsense\n2600::/32\n';
    const headers = { etag: '"v1"', 'last-modified': 'Sat, 21 Nov 2026 05:00:00 GMT' };
    const { prefixes, ...list } = await collect(serves(body, 'text/plain', headers));
    expect(textsOf(prefixes)).toEqual(['45.0.0.0/24', '2600::/32']);
    expect(prefixes).toMatchObject({
      accepted: 3,
      rejectedCount: 1,
      rejects: [{ line: 4, text: 'nonsense' }],
    });
    expect(list).toEqual({
      notModified: false,
      format: 'text',
      bogons: {
        count: 1,
        listed: [{ prefix: '10.0.0.0/8', within: 'Private use (10.0.0.0/8, RFC 1918)' }],
      },
      etag: '"v1"',
      lastModified: 'Sat, 21 Nov 2026 05:00:00 GMT',
      bytes: body.length,
      httpStatus: 200,
      contentType: 'text/plain',
      counts: null,
      warnings: [
        '1 refused. The first, line 4: "nonsense" is not an IPv4 or IPv6 address.',
        '1 dropped as special-purpose, such as 10.0.0.0/8: Private use (10.0.0.0/8, RFC 1918).',
      ],
    });
  });

  test.each([
    ['here', 300],
    ['in a thread', 30_000],
  ])(
    'of which the first are wanted is counted, and no more of it is kept: read %s',
    async (_where, lines) => {
      const body = Array.from({ length: lines }, (_, n) => `45.${n >> 8}.${n & 255}.0/24\n`).join('');
      server.answer = serves(`${body}45.0.0.0/24\n2600::/32\n`, 'text/plain');
      const list = await collectCdn(sourceOf(), { ...OPTIONS, first: 3 });
      if (list.notModified) throw new Error('The list was not fetched');
      expect(textsOf(list.prefixes)).toEqual(['45.0.0.0/24', '45.0.1.0/24', '45.0.2.0/24', '2600::/32']);
      expect(list.prefixes.ipv4.words.buffer.byteLength).toBe(12);
      expect(list.prefixes.accepted).toBe(lines + 2);
      expect(list.counts).toMatchObject({ collected: { ipv4: lines + 1, ipv6: 1 }, aggregated: { ipv6: 1 } });
      expect(list.counts!.aggregated.ipv4).toBeLessThan(20);
    },
  );

  test('is read by its type, through any encoding', async () => {
    const answer = serves(brotliCompressSync('prefix,site\n45.0.0.0/24,A\n'), 'text/csv', {
      'content-encoding': 'br',
    });
    const { format, prefixes, bytes } = await collect(answer);
    expect({ format, prefixes: textsOf(prefixes), bytes }).toEqual({
      format: 'csv',
      prefixes: ['45.0.0.0/24'],
      bytes: 26,
    });
  });

  test('is read by the name at which redirects end', async () => {
    const { format } = await collect((request, response) => {
      if (request.url === '/geo.csv') response.end('45.0.0.0/24,DE\n');
      else response.writeHead(301, { location: '/geo.csv' }).end();
    });
    expect(format).toBe('csv');
  });

  test('that has not changed is not fetched again', async () => {
    server.answer = (request, response) => {
      const { 'if-none-match': etag, 'if-modified-since': since } = request.headers;
      response.writeHead(etag === '"v1"' && since !== undefined ? 304 : 500).end();
    };
    const validators = { etag: '"v1"', lastModified: 'Sat, 21 Nov 2026 05:00:00 GMT' };
    expect(await collectCdn(sourceOf(validators), OPTIONS)).toEqual({ notModified: true });
  });
});

describe('a source that gives no list fails with', () => {
  test.each<[string, string, Answer]>([
    ['source_http_status', 'a status of 500', (_, response) => response.writeHead(500).end('45.0.0.0/24')],
    ['source_unparseable', 'HTML and a status of 200', serves('<html>45.0.0.0/24</html>', 'text/html')],
    ['source_empty', 'nothing', serves('')],
    ['source_empty', 'comments', serves('# nothing today\n')],
    ['source_empty', 'a status of 204', (_, response) => response.writeHead(204).end()],
    ['source_empty', 'special-purpose space', serves('10.0.0.0/8\n')],
    ['source_unparseable', 'prose', serves('Down for maintenance.\nSee you soon.\n')],
    ['source_unparseable', 'JSON cut short', serves('{"prefixes": [{"ip_prefix": "45.0', 'application/json')],
    ['source_unparseable', 'deep JSON', serves('['.repeat(1_000_000), 'application/json')],
    ['source_unparseable', 'UTF-16', serves(Buffer.from('\ufeff45.0.0.0/24', 'utf16le'))],
    [
      'source_too_large',
      'a bomb',
      serves(gzipSync(Buffer.alloc(100_000_000, '1')), 'text/plain', { 'content-encoding': 'gzip' }),
    ],
    [
      'source_too_large',
      'more prefixes than a list has',
      serves('0.0.0.1-255.255.255.254\n'.repeat(400_000)),
    ],
  ])('%s when it sends %s, and says where without its key', async (code, _what, answer) => {
    const error = await failure(answer);
    expect(error.code).toBe(code);
    expect(error.message).toContain(`${server.origin}/list?…`);
    expect(error.message).not.toContain('secret');
    expect(error.message).toMatch(/\.$/);
  });

  test('source_unparseable when its path is wrong, with the status that it answered', async () => {
    const error = await failure(serves('{"prefixes": ["45.0.0.0/24"]}', 'application/json'), {
      jsonPath: '$.prefix[*]',
    });
    expect(error).toMatchObject({ code: 'source_unparseable', httpStatus: 200 });
    expect(error.message).toContain('"prefixes"');
  });

  test('source_timeout when reading takes too long', async () => {
    server.answer = serves(JSON.stringify(['a'.repeat(60)]), 'application/json');
    const endless = collectCdn(sourceOf({ jsonPath: "$[?match(@, '(a+)+b')]" }), {
      ...OPTIONS,
      limits: { parseMs: 300 },
    });
    await expect(endless).rejects.toMatchObject({ code: 'source_timeout' });
  });
});

describe('a cancelled job', () => {
  test('ends the fetch', async () => {
    const cancel = new AbortController();
    server.answer = (_request, response) => {
      response.writeHead(200).write('45.0.0.0/24\n');
      cancel.abort(new Error('cancelled'));
    };
    await expect(collectCdn(sourceOf(), { ...OPTIONS, signal: cancel.signal })).rejects.toThrow('cancelled');
    await server.deserted();
  });

  test('ends the reading', async () => {
    const cancel = new AbortController();
    server.answer = (_request, response) => {
      response.once('close', () => cancel.abort(new Error('cancelled')));
      response.writeHead(200, { connection: 'close' }).end(JSON.stringify(['a'.repeat(60)]));
    };
    const endless = collectCdn(sourceOf({ jsonPath: "$[?match(@, '(a+)+b')]" }), {
      ...OPTIONS,
      signal: cancel.signal,
    });
    await expect(endless).rejects.toThrow('cancelled');
  });
});

const present = existsSync(AWS);
if (!present) {
  const what = `the real lists are not at ${AWS}`;
  if (process.env.CI) throw new Error(`In CI nothing is skipped: ${what}`);
  console.warn(`\n*** SKIPPED: sources against AWS's real list: ${what} ***\n`);
}
const states = present ? readdirSync(AWS) : [];

describe.skipIf(!present)("AWS's real list", () => {
  test.each(states)('%s is read at its paths and without, each prefix once', async (name) => {
    const bytes = readFileSync(join(AWS, name));
    const document = JSON.parse(bytes.toString()) as {
      prefixes: { ip_prefix: string; service: string }[];
      ipv6_prefixes: { ipv6_prefix: string }[];
    };
    const ipv4 = document.prefixes.map(({ ip_prefix: prefix }) => prefix);
    const ipv6 = document.ipv6_prefixes.map(({ ipv6_prefix: prefix }) => prefix);
    const answer = serves(gzipSync(bytes), 'application/json', { 'content-encoding': 'gzip' });
    const at = async (jsonPath: string | null): Promise<string[]> => {
      const { prefixes, warnings } = await collect(answer, { jsonPath });
      expect(warnings).toEqual([]);
      return textsOf(prefixes);
    };
    expect(ipv4.length).toBeGreaterThan(5_000);
    expect(await at('$.prefixes[*].ip_prefix')).toEqual(ipv4);
    expect(await at('$.ipv6_prefixes[*].ipv6_prefix')).toEqual(ipv6);
    expect(await at(null)).toEqual([...ipv4, ...ipv6]);
    expect(await at("$.prefixes[?@.service == 'S3'].ip_prefix")).toEqual(
      document.prefixes.filter(({ service }) => service === 'S3').map(({ ip_prefix: prefix }) => prefix),
    );
  });
});
