/** `apply -f` while a colleague deletes what it is about: a conflict in words of names, whichever request comes after the deletion. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request as send, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { useDesk } from '../desk/desk.ts';
import { typist } from '../desk/typing.ts';

const desk = useDesk();
let proxy: Server;
/** The request before which the module is deleted; null: none any more. */
let trigger: RegExp | null = null;

beforeAll(async () => {
  proxy = createServer((request, response) => {
    void (async () => {
      if (trigger?.test(`${request.method!} ${request.url!}`) === true) {
        trigger = null;
        await desk.mustType('module delete drop');
      }
      const { url } = desk.casting.service;
      const { method = 'GET', headers } = request;
      const onward = send(new URL(request.url!, url), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      });
      request.pipe(onward);
    })();
  });
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
});
afterAll(() => {
  proxy.closeAllConnections();
  proxy.close();
});

test.each([
  ['its entries are read', /^GET .*entries\.csv/],
  ['it is read again', /^GET \/v1\/modules\/[0-9a-f-]{36}$/],
  ['it is tried', /^POST \/v1\/revisions\/plan/],
  ['it is written', /^POST \/v1\/changes/],
])('as %s', async (_, when) => {
  const directory = await mkdtemp(join(tmpdir(), 'prefixcast-meanwhile-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  await writeFile(
    join(directory, 'drop.yaml'),
    'kind: module\nname: drop\ntype: IP_RANGES\ndescription: ours\nentries: drop.csv\n',
  );
  await writeFile(join(directory, 'drop.csv'), 'cidr\n47.4.1.0/24\n47.4.3.0/24\n');
  await desk.mustType('module create drop --type IP_RANGES');
  await desk.mustType('entry add drop 47.4.1.0/24');
  trigger = when;
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const type = typist({ PREFIXCAST_URL: url, PREFIXCAST_KEY: desk.casting.service.key });
  const { code, out, err } = await type('apply', '-f', directory, '--yes');
  expect(trigger, 'the request came').toBeNull();
  expect(code, out + err).toBe(8);
  expect(err).toMatch(/^prefixcast: the module drop was deleted meanwhile \(by .+\); plan again$/m);
  expect(err).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
});
