/** What a guardrail would hold of an edit of entries is said by the command that makes it, although it waits for nothing. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDesk } from '../desk/desk.ts';
import { typist } from '../desk/typing.ts';

const desk = useDesk();
const { type, mustType, typeAtTerminal } = desk;
const hosts = Array.from({ length: 200 }, (_, at) => `6.0.${at}.1/32`);
const most = hosts.slice(0, 190);
let directory: string;
let few: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'prefixcast-holds-'));
  few = join(directory, 'few.txt');
  await writeFile(few, hosts.slice(190).join('\n'));
  for (const line of [
    'community create 64500:666 --title Drop',
    'module create hosts --type IP_RANGES --community Drop',
    'module create others --type IP_RANGES --community Drop',
    `entry add hosts ${hosts.join(' ')} --wait`,
  ])
    await mustType(line);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const holdsBy = (code: string): Record<string, unknown> => ({
  code: 5,
  err: expect.stringMatching(
    new RegExp(`The module hosts is held, [^]*\\n  ${code}: [^]*module release hosts --override ${code}`),
  ) as string,
});

test('a removal that is held', async () => {
  const asked = await typeAtTerminal('n', 'entry', 'remove', 'hosts', ...most);
  expect(asked.text).toMatch(
    /Held: nothing of it goes until it is released[^]*large_withdrawal[^]*Remove 190 entries\?/,
  );
  expect(asked.code).toBe(1);
  const removed = await type('entry', 'remove', 'hosts', ...most);
  expect(removed).toMatchObject({ ...holdsBy('large_withdrawal'), out: '190 entries removed\n' });
  // It is done: what comes back is said before.
  expect(removed.err).toContain('Take it back: prefixcast entry restore hosts ');
  await mustType('entry restore hosts --wait');
  // Once, also where the end says why it is held.
  const waited = await type('entry', 'remove', 'hosts', ...most, '--wait');
  expect(waited).toMatchObject({ code: 5 });
  expect(waited.err.match(/entry restore hosts/g)).toHaveLength(1);
  await mustType('entry restore hosts --wait');
});

test('a file that is held', async () => {
  const asked = await typeAtTerminal('n', 'entry', 'import', 'hosts', few, '--replace');
  expect(asked.text).toContain('--replace deletes 190 of the 200 entries of hosts');
  expect(asked.text).toContain('large_withdrawal: ');
  expect(asked.code).toBe(1);
  expect(await type('entry', 'import', 'hosts', few, '--replace')).toMatchObject({
    ...holdsBy('large_withdrawal'),
    out: '0 created, 0 updated, 10 unchanged, 190 deleted\n',
  });
  await mustType('entry restore hosts --wait');
  await writeFile(few, hosts.slice(80).join('\n'));
  const some = await type('entry', 'import', 'hosts', few, '--replace');
  expect(some.err).toContain('This withdraws 80 routes');
  await mustType('entry restore hosts --wait');
  await writeFile(few, '18.0.0.0/7\n');
  expect(await type('entry', 'import', 'hosts', few)).toMatchObject(holdsBy('prefix_too_short'));
  const waited = await type('entry', 'import', 'hosts', few, '--wait');
  expect(waited.code, waited.err).toBe(5);
  expect(waited.err).toContain('prefix_too_short');
  await mustType('entry remove hosts 18.0.0.0/7 --wait');
});

test('entries that are added, switched on, and switched off', async () => {
  expect(await type('entry add hosts 18.0.0.0/7')).toMatchObject(holdsBy('prefix_too_short'));
  // What another module is held for by an edit that no revision has yet is no matter of this one.
  await mustType('entry add others 7.7.7.7/32');
  await mustType('entry edit hosts 18.0.0.0/7 --enabled no --wait');
  expect(await type('entry edit hosts 18.0.0.0/7 --enabled yes')).toMatchObject(holdsBy('prefix_too_short'));
  await mustType('entry remove hosts 18.0.0.0/7 --wait');
});

test('an entry is named once, however it is written', async () => {
  await mustType('entry add others 2620:fe::/48 9.9.8.8/32 --wait');
  expect(await mustType('entry remove others 2620:00FE::/48 2620:fe::/48 9.9.8.8 9.9.8.8/32 --wait')).toBe(
    '2 entries removed\n',
  );
  expect(await mustType('entry remove others 7.7.7.7 7.7.7.7/32')).toBe('7.7.7.7/32 removed\n');
  expect(await type('entry remove hosts 6.0.0.0')).toMatchObject({
    code: 7,
    err: 'prefixcast: The module hosts has no entry 6.0.0.0\n',
  });
  await mustType('entry add others 9.9.0.0/16 9.9.9.0/24');
  expect(await type('entry remove others 9.9.9.9')).toMatchObject({
    code: 7,
    err: expect.stringMatching(
      /has no entry 9\.9\.9\.9; it is inside 9\.9\.(0\.0\/16|9\.0\/24), 9\.9\.\S+\n/,
    ) as string,
  });
});

test('an entry that two people remove at once is gone for the second, by its name', async () => {
  for (const round of [1, 2, 3]) {
    await mustType(`entry add others 7.8.0.${round}/32 --wait`);
    const both = await Promise.all([1, 2].map(() => type(`entry remove others 7.8.0.${round}/32`)));
    expect(both.map(({ code }) => code).sort()).toEqual([0, 7]);
    const { err } = both.find(({ code }) => code === 7)!;
    expect(err).toContain(`7.8.0.${round}/32`);
    expect(err).not.toContain('/ids/');
  }
});

test('a trial that does not end keeps nothing from being written', async () => {
  const { service } = desk.casting;
  const tried: string[] = [];
  const sent: string[] = [];
  // Before the service, which answers everything but trials.
  const proxy = createServer((incoming, outgoing) => {
    sent.push(incoming.url!);
    if (/dry_run=true|\/plan$/.test(incoming.url!)) return void tried.push(incoming.url!);
    const { method, headers, url } = incoming;
    const forwarded = request(`${service.url}${url}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const typeThere = typist({ PREFIXCAST_URL: url, PREFIXCAST_KEY: service.key });
  const added = await typeThere('entry', 'add', 'hosts', '6.1.1.1/32');
  expect(added).toMatchObject({ code: 0, out: '6.1.1.1/32 added\n' });
  expect(added.err).toContain(
    'Whether a guardrail would hold it could not be tried: there was no answer within ',
  );
  await writeFile(few, '6.1.1.2\n');
  const imported = await typeThere('entry', 'import', 'hosts', few);
  expect(imported).toMatchObject({ code: 0, out: '1 created, 0 updated, 0 unchanged, 0 deleted\n' });
  expect(imported.err).toContain('could not be tried: there was no answer within ');
  expect(tried).toHaveLength(2);
  // A script does not wait for a trial and then for the import: what follows is asked for once it is written.
  expect(sent.findIndex((url) => url.includes('/entries.csv'))).toBeLessThan(
    sent.lastIndexOf('/v1/revisions/plan'),
  );
  // What --wait waits for says what is held: nothing is tried before.
  await writeFile(few, '6.1.1.3\n');
  const waited = await typeThere('entry', 'import', 'hosts', few, '--wait');
  expect(waited).toMatchObject({ code: 0, out: '1 created, 0 updated, 0 unchanged, 0 deleted\n' });
  expect(tried).toHaveLength(2);
  await mustType('entry remove hosts 6.1.1.1 6.1.1.2 6.1.1.3 --wait');
  proxy.closeAllConnections();
  proxy.close();
});

test('AS is a part of numbers alone', async () => {
  const { service } = desk.casting;
  const { id } = await service.post<{ id: string }>('/v1/modules', {
    name: 'feeds',
    type: 'CDN_SOURCES',
    enabled: false,
  });
  for (const name of ['as1', '1'])
    await service.post(`/v1/modules/${id}/cdn-sources`, { name, url: `${desk.casting.sourceUrl}/none` });
  expect(await mustType('entry remove feeds as1')).toBe('as1 removed\n');
  expect(await mustType('entry list feeds -o name')).toBe('1\n');
  await mustType('module create networks --type AS_PREFIXES --enabled no');
  await mustType('entry add networks 3333');
  expect(await mustType('entry remove networks AS3333')).toBe('3333 removed\n');
});
