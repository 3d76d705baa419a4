import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Service } from '../../../demo/service.ts';
import { freePort } from '../../daemons/machine/ports.ts';
import { waitFor } from '../../daemons/wait.ts';

/** A node waits in a long poll while the database is killed, and while the service stops. */
let dataDir: string;
let service: Service;
let moduleId: string;
let speakerId: string;
let nodeKey: string;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'prefixcast-polls-'));
  const bgpListen = `127.0.0.1:${await freePort()}`;
  service = await Service.start({ dataDir, port: await freePort(), bgpListen });
  const module = { name: 'ranges', type: 'IP_RANGES' };
  moduleId = (await service.post<{ id: string }>('/v1/modules', module)).id;
  const speaker = { name: 'node', mode: 'agent', local_asn: 64512 };
  speakerId = (await service.post<{ id: string }>('/v1/speakers', speaker)).id;
  const { token } = await service.post<{ token: string }>(`/v1/speakers/${speakerId}/enrollment-tokens`);
  const machine = { hostname: 'node', version: '1', daemon: 'builtin' };
  const headers = { authorization: `Bearer ${token}` };
  const enrolled = await service.request('POST', '/v1/nodes/enroll', machine, headers);
  nodeKey = ((await enrolled.json()) as { api_key: { secret: string } }).api_key.secret;
});
afterAll(async () => {
  await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

function poll(seconds: number, etag = ''): Promise<Response> {
  const headers = { authorization: `Bearer ${nodeKey}`, 'if-none-match': etag };
  const path = `/v1/speakers/${speakerId}/revisions/latest?wait=${seconds}`;
  return service.request('GET', path, undefined, headers);
}

/** One revision more, which follows the edit by itself and is applied to the node as to all. */
async function change(cidr: string): Promise<void> {
  await service.post(`/v1/modules/${moduleId}/ip-range-entries`, { cidr });
}

function postmaster(): number {
  const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' });
  const file = files.find((path) => path.endsWith('postmaster.pid'))!;
  return Number.parseInt(readFileSync(join(dataDir, file), 'utf8'), 10);
}

/** Kills the database whenever it runs: by itself it is back before anybody has noticed. */
async function keepDown(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      process.kill(postmaster(), 'SIGKILL');
    } catch {
      // it is down
    }
    await sleep(20); // as often as it is killed
  }
}

/** Asks until there is a bundle other than that one; answers its entity tag. */
async function another(etag = ''): Promise<string> {
  const answer = await waitFor(
    async () => {
      const response = await poll(20, etag).catch(() => null);
      return response?.status === 200 && response;
    },
    { what: 'another bundle' },
  );
  return answer.headers.get('etag')!;
}

test('the database is killed: the node is reported to come again, and then gets what was applied', async () => {
  await change('45.1.0.0/16');
  const etag = await another();
  const waiting = poll(60, etag);
  // It has to wait already; that an answer comes before is no fault either.
  await Promise.race([waiting, poll(1, etag)]);
  const stopping = new AbortController();
  const outage = keepDown(stopping.signal);
  const { status, headers } = await waiting;
  stopping.abort();
  await outage;
  expect(status).toBe(503);
  expect(headers.get('retry-after')).toMatch(/^\d+$/);
  await waitFor(async () => (await service.request('GET', '/v1/ready')).ok, {
    what: 'the service to be ready',
  });
  expect((await poll(0, etag)).status).toBe(304);
  await change('45.3.0.0/16');
  expect(await another(etag)).not.toBe(etag);
});

test('the service stops at once although a node waits', async () => {
  const etag = await another();
  const waiting = poll(60, etag);
  await Promise.race([waiting, poll(1, etag)]);
  const stopped = service.stop();
  const response = await waiting;
  expect({ status: response.status, code: ((await response.json()) as { code: string }).code }).toEqual({
    status: 503,
    code: 'shutting_down',
  });
  await stopped;
});
