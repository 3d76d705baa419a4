/**
 * `npm run bench -- plan [ROUNDS] [ROUTES]`: how long a service takes to say what an edit would do to a revision of a million routes, beside making
 * that edit until its revision is there; and whether both say the same.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from '../../demo/service.ts';
import { freePort } from '../../test/daemons/machine/ports.ts';
import { waitFor } from '../../test/daemons/wait.ts';
import { addList } from '../bgp/refresh.ts';
import { machine, median } from '../measure/report.ts';

const ROUTES = 1_000_000;
const GOAL_MS = 2_000;

interface Write {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object | string;
}

interface Summary {
  readonly announced: number;
  readonly withdrawn: number;
  readonly changed: number;
}

interface Revision {
  readonly id: string;
  readonly number: number;
  readonly prefix_count: { readonly ipv4: number; readonly ipv6: number };
}

export async function run(args: readonly string[]): Promise<void> {
  const [rounds, routes] = [Number(args[0] ?? 3), Number(args[1] ?? ROUTES)];
  const dataDir = await mkdtemp(join(tmpdir(), 'prefixcast-bench-'));
  const service = await Service.start({
    ...{ dataDir, port: await freePort(), bgpListen: '127.0.0.1:0' },
    env: { APP_LOG_LEVEL: 'error', APP_RATE_LIMIT_WRITES: '0', APP_RATE_LIMIT_READS: '0' },
  });
  try {
    const { list, ranges } = await fill(service, routes);
    const { prefix_count: size } = await latest(service);
    console.log(`${machine()}; medians of ${rounds} rounds; a revision of ${size.ipv4} routes`);
    const entries = `/v1/modules/${ranges}/ip-range-entries`;
    const several = Array.from({ length: 10_000 }, (_, at) => `9.${at >> 8}.${at & 255}.0/25`);
    const deeds: Readonly<Record<string, (round: number) => Write>> = {
      'add an entry': (round) => ({ method: 'POST', path: entries, body: { cidr: `8.8.${round}.0/24` } }),
      'delete it': (round) => ({
        method: 'DELETE',
        path: entries,
        body: { filter: { q: `8.8.${round}.0` } },
      }),
      'import 10,000 entries': (round) => ({
        ...{ method: 'POST', path: `/v1/modules/${ranges}/entries.csv?mode=replace` },
        body: `cidr\n${several.slice(round).join('\n')}\n`,
      }),
      'turn the list off': () => ({
        method: 'PATCH',
        path: `/v1/modules/${list}`,
        body: { enabled: false },
      }),
      'and on again': () => ({ method: 'PATCH', path: `/v1/modules/${list}`, body: { enabled: true } }),
    };
    const planned: Record<string, number[]> = {};
    const made: Record<string, number[]> = {};
    for (let round = 0; round < rounds; round++)
      for (const [name, writeOf] of Object.entries(deeds)) {
        const { plan, deed } = await measure(service, writeOf(round));
        (planned[name] ??= []).push(plan);
        (made[name] ??= []).push(deed);
      }
    for (const name of Object.keys(deeds)) {
      const [plan, deed] = [median(planned[name]!), median(made[name]!)];
      const verdict = plan <= GOAL_MS ? 'met' : 'NOT met';
      console.log(
        `${name.padEnd(24)} plan ${plan.toFixed(0).padStart(6)} ms, the edit until its revision ${deed.toFixed(0).padStart(6)} ms; goal ${GOAL_MS} ms: ${verdict}`,
      );
    }
  } finally {
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** @returns milliseconds of both. @throws {Error} where the plan said something else than what came of it */
async function measure(service: Service, write: Write): Promise<{ plan: number; deed: number }> {
  await settled(service);
  const before = await latest(service);
  const asked = performance.now();
  const { effect } = await service.post<{ effect: { revision: Revision | null; summary: Summary } }>(
    '/v1/revisions/plan',
    { changes: [write] },
  );
  const plan = performance.now() - asked;
  const begun = performance.now();
  await send(service, write);
  let after = before;
  await waitFor(async () => (after = await latest(service)).number > before.number, {
    ...{ what: `the revision of ${write.method} ${write.path}`, everyMs: 20, timeoutMs: 120_000 },
  });
  const deed = performance.now() - begun;
  const { summary } = await service.get<{ summary: Summary }>(
    `/v1/revisions/${before.id}/diff/${after.id}?limit=1`,
  );
  const words = ({ announced, withdrawn, changed }: Summary): string =>
    `${announced} announced, ${withdrawn} withdrawn, ${changed} changed`;
  const [said, found] = [
    `${words(effect.summary)}, ${effect.revision?.prefix_count.ipv4} routes`,
    `${words(summary)}, ${after.prefix_count.ipv4} routes`,
  ];
  if (said !== found) throw new Error(`The plan said ${said}, and what came of it is ${found}`);
  return { plan, deed };
}

/** Waits for what an earlier edit led to after its revision: a list that is turned on again is collected too, which may make another one. */
async function settled(service: Service): Promise<void> {
  const isIdle = async (): Promise<boolean> => {
    const { items } = await service.get<{ items: unknown[] }>('/v1/jobs?state=queued&state=running&limit=1');
    return items.length === 0;
  };
  await waitFor(isIdle, { what: 'the jobs of the edit before', timeoutMs: 120_000 });
}

async function latest(service: Service): Promise<Revision> {
  return service.get<Revision>('/v1/revisions/latest');
}

async function send({ url, key }: Service, { method, path, body }: Write): Promise<void> {
  const isText = typeof body === 'string';
  const answer = await fetch(url + path, {
    method,
    headers: {
      ...{ authorization: `Bearer ${key}` },
      'content-type': isText ? 'text/csv' : 'application/json',
    },
    body: isText ? body : JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
}

/** A list of a million routes that nothing joins, and a module of ranges beside it. */
async function fill(service: Service, routes: number): Promise<{ list: string; ranges: string }> {
  await service.call('PATCH', '/v1/settings', {
    ...{
      guard_max_prefixes: 2 * routes,
      guard_max_withdraw_percent: 100,
      guard_max_change_percent: 1_000_000,
    },
  });
  // Every other /24, since neighbours would become one route: of a million prefixes of a full table 393,276 are left.
  const lines = Array.from({ length: routes }, (_, at) => {
    const word = 0x10000000 + at * 512;
    return `${word >>> 24}.${(word >>> 16) & 255}.${(word >>> 8) & 255}.0/24\n`;
  });
  const server = createServer((_request, response) => response.end(lines.join('')));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const list = await addList(service, `http://127.0.0.1:${port}/list`);
    await service.succeeded(await service.post(`/v1/modules/${list}/refresh`));
    await waitFor(async () => (await latest(service)).prefix_count.ipv4 > routes / 2, {
      ...{ what: 'the revision of the list', timeoutMs: 120_000 },
    });
    const { id: ranges } = await service.post<{ id: string }>('/v1/modules', {
      ...{ name: 'ranges', type: 'IP_RANGES' },
    });
    return { list, ranges };
  } finally {
    server.close();
  }
}
