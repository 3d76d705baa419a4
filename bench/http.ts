/**
 * List routes over HTTP beside a bare `node:http` server that answers a fixed body of the same size under the same load: requests
 * per second, the median of rounds that take turns. A session of its own per connection, one request at a time on each.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Service } from '../demo/service.ts';
import { freePort } from '../test/daemons/ports.ts';
import { machine, median } from './report.ts';

const CONNECTIONS = 32;
const ROUNDS = 3;
const ROUND_MS = 3_000;
const ITEMS = 50;
const GOAL = 0.4;

/** As many of each noun as a page holds. */
async function fill(service: Service): Promise<readonly string[]> {
  let moduleId = '';
  for (let number = 1; number <= ITEMS; number++) {
    const community = await service.post<{ id: string }>('/v1/communities', {
      community: `64500:${number}`,
      title: `Community ${number}`,
    });
    const module = await service.post<{ id: string }>('/v1/modules', {
      name: `module ${number}`,
      type: 'CDN_SOURCES',
      community_id: community.id,
    });
    moduleId ||= module.id;
    await service.post('/v1/peers', {
      name: `router ${number}`,
      address: `127.0.1.${number}`,
      remote_asn: 64_496,
      passive: true,
    });
  }
  const sources = Array.from({ length: ITEMS }, (_, number) => ({
    name: `source ${number}`,
    url: `https://lists.example.net/${number}.txt`,
  }));
  await service.post(`/v1/modules/${moduleId}/cdn-sources`, { items: sources });
  return [
    '/v1/communities',
    '/v1/modules',
    `/v1/modules/${moduleId}/cdn-sources`,
    '/v1/peers',
    '/v1/jobs',
    '/v1/speakers?live=true',
  ];
}

/** Requests per second. Answers to one request are all of one length, so counting bytes is enough to tell them apart. */
async function load(port: number, path: string, key: string): Promise<number> {
  const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  const length = await answerLength(port, request);
  const end = performance.now() + ROUND_MS;
  let answers = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      let missing = length;
      socket.on('data', (bytes: Buffer) => {
        missing -= bytes.length;
        if (missing > 0) return;
        if (missing < 0) throw new Error(`GET ${path} answered with lengths that differ`);
        answers++;
        if (performance.now() > end) {
          socket.end();
          return;
        }
        missing = length;
        socket.write(request);
      });
      socket.write(request);
      await once(socket, 'close');
    }),
  );
  return (answers * 1000) / ROUND_MS;
}

/** Bytes of the whole answer, head and body. */
async function answerLength(port: number, request: string): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  socket.write(request);
  let text = '';
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    text += chunk.toString('latin1');
    const head = text.indexOf('\r\n\r\n') + 4;
    const body = /^content-length: (\d+)/im.exec(text)?.[1];
    if (head < 4 || body === undefined || text.length < head + Number(body)) continue;
    if (!text.startsWith('HTTP/1.1 200')) throw new Error(text);
    return head + Number(body);
  }
  throw new Error('The server closed the connection.');
}

async function startBare(bodyLength: number): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(fileURLToPath(import.meta.url), ['bare', String(bodyLength)]);
  const [port] = (await once(child, 'message')) as [number];
  return { child, port };
}

function serveBare(bodyLength: number): void {
  const body = Buffer.alloc(bodyLength, 'x');
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  });
  server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port));
  process.once('disconnect', () => process.exit());
}

export async function run(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'prefixcast-bench-'));
  const port = await freePort();
  const service = await Service.start({
    dataDir,
    port,
    bgpListen: `127.0.0.1:${await freePort()}`,
    env: { APP_LOG_LEVEL: 'warn', APP_RATE_LIMIT_READS: '1000000000' },
  });
  try {
    for (const path of await fill(service)) {
      const answer = await service.request('GET', path);
      const { child, port: barePort } = await startBare((await answer.arrayBuffer()).byteLength);
      const rates = { bare: [] as number[], ours: [] as number[] };
      await load(port, path, service.key);
      for (let round = 0; round < ROUNDS; round++) {
        rates.bare.push(await load(barePort, path, service.key));
        rates.ours.push(await load(port, path, service.key));
      }
      child.disconnect();
      const [ours, bare] = [median(rates.ours), median(rates.bare)];
      const ratio = ours / bare;
      const shown = path.replace(/[0-9a-f-]{36}/, '{module_id}');
      console.log(
        `GET ${shown}: ${ours.toFixed(0)} of ${bare.toFixed(0)} requests/s, ratio ${ratio.toFixed(3)} ` +
          `(goal ${GOAL}, ${ratio >= GOAL ? 'met' : 'NOT met'})`,
      );
    }
  } finally {
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
  console.log(machine());
}

if (process.argv[2] === 'bare') serveBare(Number(process.argv[3]));
