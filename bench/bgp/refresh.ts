/**
 * From a list at a URL to a router: our service fetches, aggregates, stores, guards, applies; beside it the script that a user would
 * write of `curl`, `iprange`, a static file and `birdc configure`. Both begin with nothing and serve a BIRD peer.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Service } from '../../demo/service.ts';
import { parsePrefix } from '../../src/core/prefix.ts';
import { PrefixSetBuilder } from '../../src/core/sets/prefix-set.ts';
import { startBird } from '../../test/daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../../test/daemons/machine/ports.ts';
import { programPath } from '../../test/daemons/programs.ts';
import { installedPath } from '../measure/process.ts';
import { compared } from '../measure/report.ts';
import { SPEAKER_ASN, startPeer, timed } from './scene.ts';

const ROUNDS = 3;
const GOAL = 0.5;

export async function run(count: number): Promise<void> {
  const list = makeList(count);
  const server = await serve(list.text);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/list`;
  const ours: number[] = [];
  const script: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    script.push(await scriptRound(url, list.size));
    ours.push(await serviceRound(url, list.size));
  }
  server.close();
  console.log(compared(`${count} lines at a URL to ${list.size} routes at a peer`, ours, script, GOAL));
}

/** Milliseconds from the request to refresh until the peer has every route. */
export async function serviceRound(url: string, size: number): Promise<number> {
  const dataDir = mkdtempSync(join(tmpdir(), 'pc-bench-'));
  const service = await Service.start({
    ...{ dataDir, port: await freePort(), bgpListen: `127.0.0.1:${await freePort()}` },
  });
  const peer = await startPeer('127.0.0.1', 1);
  try {
    const id = await addList(service, url);
    await service.post('/v1/peers', {
      ...{ name: 'router', address: peer.address, port: peer.port, remote_asn: peer.localAsn },
    });
    await peer.waitEstablished();
    return await timed(peer, size, 0, () => service.post(`/v1/modules/${id}/refresh`));
  } finally {
    await service.stop();
    await peer.stop();
    rmSync(dataDir, { recursive: true });
  }
}

/** It is collected when it is refreshed, and not by itself before. @returns the id of the module */
export async function addList(service: Service, url: string): Promise<string> {
  await service.call('PATCH', '/v1/settings', { auto_revision: false });
  const { id } = await service.post<{ id: string }>('/v1/modules', { name: 'list', type: 'CDN_SOURCES' });
  await service.post(`/v1/modules/${id}/cdn-sources`, { name: 'list', url, format: 'text' });
  return id;
}

const SCRIPT = `
set -e
curl -sf "$1" >list
"$2" list >minimal
{ echo 'protocol static bench { ipv4;'; sed -E 's|^[0-9.]+$|&/32|; s|.*|route & blackhole;|' minimal; echo '}'; } >routes.conf.new
mv routes.conf.new routes.conf
"$3" -s "$4" configure >/dev/null`;

async function scriptRound(url: string, size: number): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'pc-bench-'));
  const listen = { address: loopbackAddress(), port: await freePort() };
  const peer = await startPeer(listen.address, listen.port);
  writeFileSync(join(directory, 'routes.conf'), '');
  const bird = await startBird({
    ...{ listen, routerId: '192.0.2.2', localAsn: SPEAKER_ASN, recordUpdates: false },
    neighbors: [{ address: peer.address, port: peer.port, asn: peer.localAsn, extendedMessages: true }],
    extraConfig: `include "${directory}/routes.conf";`,
  });
  try {
    await peer.waitEstablished();
    const args = ['-c', SCRIPT, 'sh', url, installedPath('iprange'), programPath('birdc'), bird.socketPath];
    return await timed(peer, size, 0, () => promisify(execFile)('sh', args, { cwd: directory }));
  } finally {
    await bird.stop();
    await peer.stop();
    rmSync(directory, { recursive: true });
  }
}

/** Lines of /24 to /32 in ordinary unicast space, a third of which overlap, and how many prefixes cover them. */
export function makeList(count: number): { readonly text: string; readonly size: number } {
  const builder = new PrefixSetBuilder('ipv4');
  const lines: string[] = [];
  for (let i = 0; i < count; i++) {
    const spread = Math.floor(((Math.imul(i, 0x9e3779b1) >>> 0) / 2 ** 32) * 0x500000);
    const place = 0x100000 + (i % 3 === 0 ? spread & ~1 : spread);
    const length = i % 10 < 6 ? 24 : 25 + (i % 8);
    const line = `${place >> 16}.${(place >> 8) & 255}.${place & 255}.0/${length}`;
    const parsed = parsePrefix(line);
    if (!parsed.ok) throw new Error(parsed.reason);
    builder.add(parsed.value.words, length);
    lines.push(line);
  }
  return { text: lines.join('\n') + '\n', size: builder.build().size };
}

export async function serve(text: string): Promise<Server> {
  const body = Buffer.from(text);
  const server = createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/plain', 'content-length': body.length }).end(body),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
