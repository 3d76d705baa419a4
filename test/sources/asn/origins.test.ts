/** Which ASes hold addresses, by each of the sources that resolve AS numbers. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { IrrSource } from '../../../src/sources/asn/irr.ts';
import { RipestatSource } from '../../../src/sources/asn/ripestat.ts';
import { TableSource } from '../../../src/sources/asn/table.ts';
import { irrTalk } from './servers.ts';
import { type ListServer, reaching, startListServer, startTcpServer } from '../lists/list-server.ts';

let server: ListServer;
let directory: string;
beforeAll(async () => {
  server = await startListServer();
  directory = await mkdtemp(join(tmpdir(), 'prefixcast-origins-'));
});
afterAll(async () => {
  await server.close();
  await rm(directory, { recursive: true, force: true });
});

/** As RIPEstat's prefix-overview answers. */
function overview(
  resource: string,
  asns: readonly { readonly asn: number; readonly holder: string }[],
  related: readonly string[] = [],
): string {
  return JSON.stringify({
    ...{ messages: [], see_also: [], version: '1.3', data_call_name: 'prefix-overview', status: 'ok' },
    status_code: 200,
    data: {
      ...{ is_less_specific: false, announced: asns.length > 0, asns, related_prefixes: related, resource },
      ...{ type: 'prefix', block: { resource: '193.0.0.0/8', desc: 'RIPE NCC', name: 'IANA' } },
      ...{ actual_num_related: related.length, query_time: '2026-11-25T16:00:00', num_filtered_out: 0 },
    },
  });
}

const ripestat = (): RipestatSource =>
  new RipestatSource({
    url: `${server.origin}/data/announced-prefixes/data.json`,
    fetch: { reach: reaching('127.0.0.1/32') },
  });

test('RIPEstat: who announces a prefix or one around it, else who announces parts of it', async () => {
  const answers: Readonly<Record<string, string>> = {
    '193.0.0.0/23': overview('193.0.0.0/21', [{ asn: 3333, holder: 'RIPE-NCC-AS' }]),
    '45.0.0.0/22': overview(
      '45.0.0.0/22',
      [],
      ['45.0.1.0/24', '45.0.0.0/22', '45.0.3.0/24', '45.0.0.0/8', '2001::/16'],
    ),
    '45.0.1.0/24': overview('45.0.1.0/24', [{ asn: 64_500, holder: '' }]),
    '45.0.3.0/24': overview('45.0.3.0/24', [
      { asn: 64_501, holder: 'TWO' },
      { asn: 64_502, holder: 'THREE' },
    ]),
    '2001:db8::/48': overview('2001:db8::/48', []),
  };
  server.answer = (request, response) => {
    const asked = new URL(request.url!, 'http://x').searchParams.get('resource')!;
    response.writeHead(200, { 'content-type': 'application/json' }).end(answers[asked]);
  };
  server.requests.length = 0;
  expect(await ripestat().originsOf(['193.0.0.0/23', '45.0.0.0/22', '2001:db8::/48'])).toEqual([
    [{ asn: 3333, name: 'RIPE-NCC-AS', range: '193.0.0.0/21' }],
    [
      { asn: 64_500, name: null, range: '45.0.1.0/24' },
      { asn: 64_501, name: 'TWO', range: '45.0.3.0/24' },
      { asn: 64_502, name: 'THREE', range: '45.0.3.0/24' },
    ],
    [],
  ]);
  expect(server.requests.map(({ url }) => url)).toContain(
    '/data/prefix-overview/data.json?resource=193.0.0.0%2F23&sourceapp=prefixcast',
  );
  expect(server.requests).toHaveLength(5);
});

test.each([
  ['no JSON', '<html>', 'source_unparseable'],
  ['another answer', '{"status":"ok","data":{"prefixes":[]}}', 'source_unparseable'],
  ['an error', '{"status":"error","messages":[["error","too many requests"]]}', 'source_refused_query'],
  ['too much', `{"status":"ok","pad":"${'x'.repeat(4_000_000)}"}`, 'source_'],
])('RIPEstat: %s', async (_what, body, code) => {
  server.answer = (_request, response) => void response.writeHead(200).end(body);
  const error = await ripestat()
    .originsOf(['193.0.0.0/23'])
    .catch((thrown: unknown) => thrown);
  expect((error as { code: string }).code).toContain(code);
});

test('IRR: the longest route objects around the prefix first, else those inside it', async () => {
  const irr = irrTalk();
  irr.routes.set(
    '!r198.51.100.0/24,L',
    [
      'route:          198.51.100.0/22\ndescr:          A provider # of somebody\ndescr:          at the port\norigin:         AS64500\nmnt-by:         MNT-A\nsource:         RADB',
      'route:          198.51.100.0/24\norigin:         as64501\nsource:         RIPE',
      'route:          203.0.113.0/24\norigin:         AS64509\nsource:         RIPE',
      'route:          198.51.100.0/24\norigin:         nobody\nsource:         RIPE',
    ].join('\n\n'),
  );
  irr.routes.set(
    '!r2001:db8::/32,M',
    'route6:         2001:db8:7::/48\ndescr:          A customer\norigin:         AS64502',
  );
  irr.routes.set('!r192.0.2.0/24,L', 'F Access denied\n');
  const peer = await startTcpServer(irr.talk);
  const source = new IrrSource({ host: '127.0.0.1', port: peer.port });
  try {
    expect(await source.originsOf(['198.51.100.0/24', '2001:db8::/32', '203.0.113.0/24'])).toEqual([
      [
        { asn: 64_501, name: null, range: '198.51.100.0/24' },
        { asn: 64_500, name: 'A provider', range: '198.51.100.0/22' },
      ],
      [{ asn: 64_502, name: 'A customer', range: '2001:db8:7::/48' }],
      [],
    ]);
    await expect(source.originsOf(['192.0.2.0/24'])).rejects.toMatchObject({ code: 'source_refused_query' });
  } finally {
    source.close();
    await peer.close();
  }
});

const TABLE = [
  '# ip2asn-combined',
  '1.0.0.0\t1.0.0.255\t13335\tUS\tCLOUDFLARENET',
  '1.0.1.0\t1.0.3.255\t0\tNone\tNot routed',
  '1.0.4.0\t1.0.7.255\t38803\tAU\tGTELECOM-AUSTRALIA Gtelecom Pty Ltd',
  '1.0.8.0\t1.0.8.3\t64500\r',
  '2606:4700::\t2606:4700:ffff:ffff:ffff:ffff:ffff:ffff\t13335\tUS\tCLOUDFLARENET',
].join('\n');

test.each(['plain', 'gzip'])(
  'a table, %s: the lines that have addresses of the prefix, but those of nobody',
  async (kind) => {
    const file = join(directory, `table.${kind}`);
    await writeFile(file, kind === 'gzip' ? gzipSync(TABLE) : TABLE);
    const source = new TableSource({
      url: pathToFileURL(file).href,
      fetch: { reach: reaching('127.0.0.1/32') },
    });
    const asked = ['1.0.0.0/21', '1.0.2.0/24', '1.0.8.2/31', '2606:4700:7::/48', '9.9.9.0/24'];
    const cloudflare = { asn: 13_335, name: 'CLOUDFLARENET' };
    expect(await source.originsOf(asked)).toEqual([
      [
        { ...cloudflare, range: '1.0.0.0-1.0.0.255' },
        { asn: 38_803, name: 'GTELECOM-AUSTRALIA Gtelecom Pty Ltd', range: '1.0.4.0-1.0.7.255' },
      ],
      [],
      [{ asn: 64_500, name: null, range: '1.0.8.0-1.0.8.3' }],
      [{ ...cloudflare, range: '2606:4700::-2606:4700:ffff:ffff:ffff:ffff:ffff:ffff' }],
      [],
    ]);
  },
);

test('a table that is none, and one that is not there', async () => {
  const file = join(directory, 'other');
  await writeFile(file, '1.0.0.0/24,13335\n');
  const of = (path: string): TableSource =>
    new TableSource({ url: pathToFileURL(path).href, fetch: { reach: reaching('127.0.0.1/32') } });
  await expect(of(file).originsOf(['1.0.0.0/24'])).rejects.toMatchObject({ code: 'source_unparseable' });
  await expect(of(join(directory, 'none')).originsOf(['1.0.0.0/24'])).rejects.toMatchObject({
    code: 'source_unreachable',
  });
});
