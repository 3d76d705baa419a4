/** What a loud neighbour does to the process that it shares with others: each attack by its name, for `neighbours.ts`. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { mintApiKey } from '../../src/store/keys/api-key-secret.ts';
import {
  announce,
  type Attacks,
  cidrOf,
  fill,
  MANY,
  refresh,
  repeat,
  replace,
  sender,
  type Tenant,
} from './attack-tools.ts';
import { LIST_ATTACKS } from './list-attacks.ts';

/** The log file that the service serves. */
export const LOG = 'long.log';
/** Ten times as many as a tenant may have where nobody raises its quota. */
export const WEBHOOKS = 1_000;

/** Serves a list of so many addresses, the same fifty thousand again and again. @returns its URL */
async function serveList(lines: number): Promise<string> {
  const known = 50_000;
  const line = (n: number): string => `20.${(n >> 12) & 255}.${(n >> 4) & 255}.${(n & 15) * 16}/32\n`;
  const piece = Buffer.from(Array.from({ length: known }, (_, n) => line(n)).join(''));
  const body = Buffer.concat(Array.from({ length: lines / known }, () => piece));
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/list`;
}

/**
 * Has all webhooks of the attacker, which it makes first, send to receivers that take so long, and something to send.
 * @returns what disables them
 */
async function sendEvents({ base, key, module }: Tenant, takesMs: number): Promise<() => Promise<void>> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => setTimeout(() => response.writeHead(204).end(), takesMs));
  });
  // Where its webhooks send to, whichever process of the attacker is there.
  const port = Number(new URL(base).port) + 1;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const ask = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(base + path, { method, headers, ...sent });
    if (answer.ok) return answer.json();
    throw new Error(`${method} ${path} was answered ${answer.status}: ${await answer.text()}`);
  };
  const ids: string[] = [];
  for (let path: string | null = '/v1/webhooks?limit=500'; path !== null;) {
    const page = (await ask('GET', path)) as { items: { id: string }[]; next_cursor: string | null };
    ids.push(...page.items.map(({ id }) => id));
    path = page.next_cursor === null ? null : `/v1/webhooks?limit=500&cursor=${page.next_cursor}`;
  }
  const url = `http://127.0.0.1:${port}/`;
  for (let n = ids.length; n < WEBHOOKS; n++) {
    const body = { name: `hook ${n}`, url, events: ['job', 'revision', 'apply', 'module'] };
    ids.push(((await ask('POST', '/v1/webhooks', body)) as { id: string }).id);
  }
  const enable = async (enabled: boolean): Promise<void> => {
    for (let at = 0; at < ids.length; at += 10)
      await Promise.all(ids.slice(at, at + 10).map((id) => ask('PATCH', `/v1/webhooks/${id}`, { enabled })));
  };
  await enable(true);
  repeat(2, () => sender({ base, key })('POST', `/v1/modules/${module}/refresh`));
  return () => enable(false);
}

/** What the attacker does, again and again, so many at once. */
export const ATTACKS: Attacks = {
  'nobody, twice': () => undefined,
  '60 parallel changes of one row': (attacker) => {
    const send = sender(attacker);
    repeat(60, (n) => send('PATCH', `/v1/modules/${attacker.module}`, { description: `x ${n}` }));
  },
  '12 parallel imports of 20,000 lines': (attacker) => {
    const send = sender(attacker);
    const path = `/v1/modules/${attacker.module}/entries.csv?mode=replace`;
    const lines = Array.from({ length: 20_000 }, (_, n) => cidrOf(n)).join('\r\n');
    repeat(12, () => send('POST', path, `cidr\r\n${lines}\r\n`, 'text/csv'));
  },
  '64 parallel reads': (attacker) => {
    const send = sender(attacker);
    repeat(64, (n) => send('GET', `/v1/modules?limit=${1 + (n % 500)}`));
  },
  '64 parallel lookups': (attacker) => {
    const send = sender(attacker);
    repeat(64, (n) => send('GET', `/v1/lookup?q=9.9.${n & 255}.1`));
  },
  '4 parallel bodies of 10,000 entries that are there': async (attacker) => {
    await fill(attacker, 10_000);
    const send = sender(attacker);
    const body = JSON.stringify({ items: Array.from({ length: 10_000 }, (_, n) => ({ cidr: cidrOf(n) })) });
    repeat(4, () => send('POST', `/v1/modules/${attacker.module}/ip-range-entries`, body));
  },
  '8 parallel exports of 50,000 entries': async (attacker) => {
    await fill(attacker, 50_000);
    const send = sender(attacker);
    repeat(8, () => send('GET', `/v1/modules/${attacker.module}/entries.csv`));
  },
  '8 parallel pages of 500 entries': async (attacker) => {
    await fill(attacker, 50_000);
    const send = sender(attacker);
    repeat(8, (n) => send('GET', `/v1/modules/${attacker.module}/ip-range-entries?limit=${500 - (n % 100)}`));
  },
  '8 parallel pages of 10,000 prefixes': async (attacker) => {
    await replace(
      attacker,
      Array.from({ length: 20_000 }, (_, n) => cidrOf(n).replace('/24', '/25')),
    );
    await refresh(attacker);
    const send = sender(attacker);
    repeat(8, () => send('GET', '/v1/revisions/latest/prefixes?limit=10000'));
  },
  '100 parallel followers of a long log': ({ base, key }) => {
    const query = 'lines=10000&bytes=4194304&follow=true';
    const follow = async (): Promise<Response> => {
      const signal = AbortSignal.timeout(1_000);
      const headers = { authorization: `Bearer ${key}` };
      return await fetch(`${base}/v1/runtime-logs/files/${LOG}?${query}`, { headers, signal }).then(
        async (answer) => {
          await answer.body?.cancel();
          return answer;
        },
        () => new Response(null, { status: 504 }),
      );
    };
    repeat(100, follow);
  },
  '32 parallel wrong keys': ({ base }) => {
    repeat(32, () => sender({ base, key: mintApiKey('operator').secret })('GET', '/v1/modules'));
  },
  '4 parallel bodies of 15 MiB': (attacker) => {
    const send = sender(attacker);
    const body = `[${'[],'.repeat(5_000_000)}1]`;
    repeat(4, () => send('POST', `/v1/modules/${attacker.module}/ip-range-entries`, body));
  },
  '2 parallel previews of a list of 57 MB': async (attacker) => {
    const url = await serveList(3_500_000);
    const send = sender(attacker);
    repeat(2, () => send('POST', '/v1/cdn-sources/preview', { url, format: 'text' }));
  },
  '1,000 uploads that never end': (attacker) => {
    const { hostname, port } = new URL(attacker.base);
    const head = `POST /v1/modules/${attacker.module}/ip-range-entries HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${attacker.key}\r\n`;
    const open = async (): Promise<Response> => {
      const socket = connect(Number(port), hostname);
      socket.write(`${head}Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n[`);
      const drip = setInterval(() => socket.write(' '), 1_000);
      const [bytes] = (await once(socket, 'data')) as [Buffer];
      clearInterval(drip);
      socket.destroy();
      return new Response(null, { status: Number(bytes.toString('latin1').split(' ')[1]) });
    };
    repeat(1_000, open);
  },
  '16 parallel searches among 200,000 entries': async (attacker) => {
    await announce(attacker, MANY);
    const send = sender(attacker);
    const path = `/v1/modules/${attacker.module}/ip-range-entries?limit=500&`;
    repeat(16, (n) => send('GET', path + (n % 2 === 0 ? `q=${n % 10}` : `contains=61.${n & 255}.2.1`)));
  },
  '64 parallel descriptions of the API without a key': ({ base }) => {
    const codings = ['identity', 'gzip', 'zstd'];
    const send = sender({ base, key: '' });
    repeat(64, (n) =>
      send('GET', '/v1/openapi.json', undefined, '', { 'accept-encoding': codings[n % codings.length]! }),
    );
  },
  '16 parallel tails of 4 MiB': (attacker) => {
    const send = sender(attacker);
    repeat(16, () => send('GET', `/v1/runtime-logs/files/${LOG}?lines=10000&bytes=4194304&grep=x`));
  },
  '4 parallel trials of an import of 100,000 lines': (attacker) => {
    const send = sender(attacker);
    const lines = Array.from(
      { length: 100_000 },
      (_, n) => `${20 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}.0/30`,
    );
    const path = `/v1/modules/${attacker.module}/entries.csv?dry_run=true`;
    const body = `cidr\r\n${lines.join('\r\n')}\r\n`;
    repeat(4, () => send('POST', path, body, 'text/csv'));
  },
  '8 parallel speakers that come and go': ({ base, key }) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    repeat(8, async (n) => {
      const body = JSON.stringify({ name: `s-${n}-${Date.now()}`, local_asn: 65020 });
      const made = await fetch(`${base}/v1/speakers`, { method: 'POST', headers, body });
      const { id } = (await made.json()) as { id?: string };
      return id === undefined ? made : await sender({ base, key })('DELETE', `/v1/speakers/${id}`);
    });
  },
  '6 parallel plans of 250 writes': (attacker) => {
    const send = sender(attacker);
    const path = `/v1/modules/${attacker.module}/ip-range-entries`;
    repeat(6, (n) => {
      const changes = Array.from({ length: 250 }, (_, at) => ({
        ...{ method: 'POST', path, body: { cidr: `20.${n & 255}.${at}.0/24` } },
      }));
      return send('POST', '/v1/revisions/plan', { changes });
    });
  },
  '2 parallel refreshes': (attacker) => {
    const send = sender(attacker);
    repeat(2, () => send('POST', `/v1/modules/${attacker.module}/refresh`));
  },
  '1,000 webhooks to receivers that answer at once': (attacker) => sendEvents(attacker, 0),
  '1,000 webhooks to receivers that take nine seconds': (attacker) => sendEvents(attacker, 9_000),
  '10 parallel streams of events that come and go': ({ base, key }) => {
    repeat(10, async () => {
      const end = new AbortController();
      const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' };
      const answer = await fetch(`${base}/v1/events`, { headers, signal: end.signal });
      end.abort();
      return answer;
    });
  },
  '16 parallel requests that are refused': (attacker) => {
    const send = sender(attacker);
    repeat(16, () => send('GET', '/v1/postgres/metrics'));
  },
  ...LIST_ATTACKS,
};
