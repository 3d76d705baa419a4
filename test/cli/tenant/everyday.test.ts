/** Commands of every day around lists and routers: tenants come and go, settings change, questions are refused that have no answer. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../../daemons/machine/ports.ts';
import { useDesk } from '../desk/desk.ts';
import { typist } from '../desk/typing.ts';

const desk = useDesk();
const { type, mustType } = desk;

test('status says what there is and where to begin, in words and as data', async () => {
  expect((await type('status')).out).toMatch(
    /^default: no revision, 0 modules; speakers 0 of 1 announcing, sessions 0 of 0 up\nThere is no list yet\. Begin with one: prefixcast module create NAME/,
  );
  expect(JSON.parse(await mustType('status', '-o', 'json'))).toMatchObject({
    ...{ tenant: 'default', modules: 0, speakers: { enabled: 1, announcing: 0 } },
  });
});

test('a tenant is suspended, started again, stopped, and deleted with its slug said twice', async () => {
  const statusOf = async (): Promise<unknown> =>
    (JSON.parse(await mustType('tenant', 'get', 'acme', '-o', 'json')) as { status: unknown }).status;
  await mustType('tenant', 'create', 'acme', '--name', 'Acme');
  for (const [verb, status] of [
    ['suspend', 'suspended'],
    ['activate', 'active'],
    ['stop', 'stopped'],
  ] as const) {
    await mustType('tenant', verb, 'acme');
    expect(await statusOf()).toBe(status);
  }
  for (const words of [[], ['--confirm', 'other']])
    expect(await type('tenant', 'delete', 'acme', ...words)).toMatchObject({
      code: 2,
      err: expect.stringContaining('write --confirm acme') as string,
    });
  expect(await mustType('tenant', 'delete', 'acme', '--confirm', 'acme')).toBe('tenant acme deleted\n');
  expect(await type('tenant', 'get', 'acme')).toMatchObject({ code: 7 });
});

test('a setting is shown, changed, and put back', async () => {
  expect(await mustType('settings', 'set', 'guard_max_change_percent', '20')).toBe(
    'guard_max_change_percent is 20\n',
  );
  expect(await mustType('settings', 'list')).toMatch(/^guard_max_change_percent +20 +30$/m);
  expect(await mustType('settings', 'unset', 'guard_max_change_percent')).toBe(
    'guard_max_change_percent is 30\n',
  );
  await mustType('settings', 'set', 'guard_protected_prefixes', '9.9.9.0/24, 2620:fe::/48');
  const kept = JSON.parse(await mustType('settings', 'get', 'guard_protected_prefixes', '-o', 'json')) as {
    value: unknown;
  };
  expect(kept.value).toEqual(['9.9.9.0/24', '2620:fe::/48']);
  await mustType('settings', 'set', 'guard_scope', 'revision');
  await mustType('settings', 'unset', 'guard_scope');
  expect(await type('settings', 'set', 'guard_scope', 'everything')).toMatchObject({ code: 2 });
  expect(await type('settings', 'get', 'guard_scpe')).toMatchObject({
    code: 7,
    err: expect.stringContaining('did you mean "guard_scope"?') as string,
  });
});

test('why answers for addresses and prefixes; what is no prefix is refused', async () => {
  expect(await type('why', '8.8.8.8/33')).toMatchObject({
    code: 2,
    err: expect.stringContaining('8.8.8.8/33 cannot be read') as string,
  });
  expect(await type('why', '8.8.8.0/24')).toMatchObject({
    code: 1,
    out: '8.8.8.0/24 is not announced: no list has it\n',
  });
  expect(await type('why', '8.8.8.8/32')).toMatchObject({
    code: 1,
    out: '8.8.8.8/32 is not announced: no list has it\n',
  });
});

test('an entry has as many communities as are named, and its list shows them all', async () => {
  await mustType('community create 64500:1 --title Drop');
  await mustType('community create 64500:2 --title Provider');
  await mustType('module create attacked --type IP_RANGES');
  await mustType('entry add attacked 45.83.64.7/32 --community Drop --community 64500:2 --wait');
  const shown = async (): Promise<string> =>
    (await mustType('entry list attacked')).split('\n').find((line) => line.startsWith('45.83.64.7/32'))!;
  expect(await shown()).toMatch(/ 64500:1, 64500:2 *$/);
  expect(await mustType('why 45.83.64.7')).toMatch(/64500:1.*64500:2/s);
  await mustType('entry edit attacked 45.83.64.7/32 --community Provider --wait');
  expect(await shown()).toMatch(/ yes +64500:2 *$/);
  await mustType('entry edit attacked 45.83.64.7/32 --community none --wait');
  expect(await shown()).toMatch(/ yes *-? *$/);
  expect(await type('module edit attacked --community Drop --community Provider')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--community is given twice: write one of Drop and Provider') as string,
  });
});

test('a service that is busy is asked again, and standard error says why', async () => {
  let refusals = 2;
  const proxy = createServer((request, response) => {
    if (refusals-- > 0) return void response.writeHead(503, { 'retry-after': '0' }).end();
    const { authorization = '' } = request.headers;
    void fetch(desk.casting.service.url + request.url!, { headers: { authorization } }).then(async (answer) =>
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text()),
    );
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const asked = typist({ PREFIXCAST_URL: url, PREFIXCAST_KEY: desk.casting.service.key });
  const { code, out, err } = await asked('whoami');
  proxy.closeAllConnections();
  proxy.close();
  expect(code, err).toBe(0);
  expect(out).toContain('tenant  default');
  expect(err.match(/answered 503 .*; trying again/g)).toHaveLength(2);
});

test('a service that is away is named a few times, however many requests are tried again', async () => {
  const away = typist({
    PREFIXCAST_URL: `http://127.0.0.1:${await freePort()}`,
    PREFIXCAST_KEY: 'pc_s_none',
  });
  const { code, err } = await away('status');
  expect(code).toBe(75);
  expect(err.match(/ECONNREFUSED .*; trying again/g)!.length).toBeLessThanOrEqual(4);
  // Nobody knows whether applies are frozen there.
  expect(await away('unfreeze', '--dry-run')).toMatchObject({ code: 75, out: '' });
});

test('--wait says once how what it waits for ended', async () => {
  await desk.mustType('module create hosts --type IP_RANGES');
  const { code, err } = await desk.type('entry add hosts 6.0.0.1/32 --wait');
  expect(code).toBe(0);
  for (const ended of ['module_refresh', 'revision_build', 'apply'])
    expect(err.match(new RegExp(`^${ended} succeeded$`, 'gm')), err).toHaveLength(1);
  // A peer has applies of its own, which bring no revision: the one before is what may be tried again.
  await desk.mustType('peer create edge --address 192.0.2.1 --asn 64496 --enabled no');
  await desk.mustType('peer edit edge --enabled yes --wait=built');
  // What the build has applied may still be under way.
  await expect
    .poll(async () => desk.type('apply retry'))
    .toMatchObject({
      code: 8,
      err: expect.stringMatching(
        /^prefixcast: No speaker failed in the job \S+, so there is nothing to retry\.$/m,
      ) as string,
    });
  await desk.mustType('peer delete edge');
});

test('a speaker is deleted although its node may go on, where that is said', async () => {
  await desk.mustType('speaker create pop --mode agent --asn 64500 --yes');
  const deleted: string[] = [];
  const proxy = createServer((request, response) => {
    const { method = 'GET', url = '', headers } = request;
    if (method === 'DELETE') deleted.push(url);
    void fetch(desk.casting.service.url + url, {
      method,
      headers: { authorization: headers.authorization ?? '' },
    }).then(async (answer) => {
      const text = await answer.text();
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const typed = typist({ PREFIXCAST_URL: url, PREFIXCAST_KEY: desk.casting.service.key });
  const { code, err } = await typed('speaker', 'delete', 'pop', '--abandon-node');
  proxy.closeAllConnections();
  proxy.close();
  expect(code, err).toBe(0);
  expect(deleted).toContainEqual(expect.stringMatching(/^\/v1\/speakers\/[-0-9a-f]+\?abandon_node=true$/));
  expect(await desk.mustType('speaker list -o name')).toBe('builtin\n');
});

test('a command does without undici, which takes longer to load than all that it does', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'prefixcast-everyday-'));
  const atTheEnd = join(directory, 'at-the-end.cjs');
  await writeFile(
    atTheEnd,
    "process.on('exit', () => console.error(process.moduleLoadList.filter((name) => /undici/.test(name)).join()));",
  );
  try {
    const { url, key } = desk.casting.service;
    const env = { PREFIXCAST_URL: url, PREFIXCAST_KEY: key, NODE_OPTIONS: `--require ${atTheEnd}` };
    const answer = await typist(env)('module', 'list', '-o', 'json');
    expect(answer).toMatchObject({ code: 0, err: '\n' });
    expect(JSON.parse(answer.out)).toHaveProperty('items');
  } finally {
    await rm(directory, { recursive: true });
  }
});

test('a geofeed is added with its countries and regions, and an address in it leads to its entry', async () => {
  const { sources, sourceUrl } = desk.casting;
  sources.set('/feed', (_, response) =>
    response.end('45.0.0.0/24,DE,,,\n46.0.0.0/24,US,US-CA,,\n46.0.1.0/24,US,US-NY,,\n'),
  );
  expect(await mustType(`source try ${sourceUrl}/feed --countries DE,US --regions US-NY -o json`)).toMatch(
    /"ipv4": 2\b/,
  );
  expect(await type(`source try ${sourceUrl}/feed --format csv --countries DE`)).toMatchObject({
    code: 2,
    err: expect.stringContaining('--format and --countries are of different kinds of lists') as string,
  });
  await mustType('module create places --type GEOFEED');
  await mustType(`entry add places feed --url ${sourceUrl}/feed --countries DE,US --regions US-CA`);
  await mustType('module refresh places --wait');
  expect(await mustType('entry list places')).toMatch(
    /^NAME +COUNTRIES +STATUS +IPV4 .*\nfeed +DE, ?US +ok +2 /,
  );
  expect(await type('entry remove places 46.0.0.7')).toMatchObject({
    ...{ code: 7, err: expect.stringContaining('no entry 46.0.0.7; it is inside feed') as string },
  });
  await mustType('entry edit places feed --regions none');
  await mustType('module refresh places --wait');
  expect(await mustType('entry list places')).toMatch(/\nfeed +DE, ?US +ok +3 /);
  expect(await type('entry edit places feed --note seen')).toMatchObject({
    ...{ code: 2, err: expect.stringContaining('have --url, --countries, --regions') as string },
  });
});

test('the audit log is asked since a while ago, and for actions that there are', async () => {
  await mustType('community', 'create', '64500:77', '--title', 'Lately');
  for (const since of ['1h', '90s', '3600', new Date(Date.now() - 60_000).toISOString()])
    expect(await mustType('audit', 'list', '--since', since)).toContain('community.create');
  const later = new Date(Date.now() + 60_000).toISOString();
  expect(await mustType('audit', 'list', '--since', later, '-o', 'name')).toBe('');
  for (const [given, words] of [
    ['key.create', '--action key.create is not known; did you mean api_key.create?'],
    ['peer.edit', 'did you mean peer.create, peer.change or peer.delete?'],
    ['modul.create', 'did you mean module.create?'],
    ['nothing at all', 'write one such as module.create'],
  ] as const) {
    const refused = await type('audit', 'list', '--action', given);
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toContain(words);
  }
  const refused = await type('audit', 'list', '--since', 'yesterday');
  expect(refused).toMatchObject({ code: 2, out: '' });
  expect(refused.err).toContain('write how long ago it was, such as 90s, 10m or 1h');
});
