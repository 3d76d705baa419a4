import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPEN_POLICY } from '../../../src/api/access/tenant-policy.ts';
import { stopProcess } from '../../../demo/program.ts';
import type { Service } from '../../../demo/service.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { startUnbound, type Unbound } from '../../daemons/unbound.ts';
import { waitFor } from '../../daemons/wait.ts';
import { type Announcements, NOW, ripestatAnswers } from '../../sources/asn/servers.ts';
import { type ListServer, startListServer } from '../../sources/lists/list-server.ts';
import { type Cluster, startCluster } from '../cluster.ts';

const lacks = requireDaemon('bird') === null || requireDaemon('unbound') === null;
/** Tries of a request that meets a process or a database that is away. */
const TRIES = 900;

interface Resource {
  readonly id: string;
}
interface Page<T> {
  readonly items: T[];
}

/**
 * Modules of all four kinds and one that excludes, in one revision, at one router: first in peace, then while processes are killed
 * and the database goes away. Two API processes, two workers and a speaker share the database.
 */
describe.skipIf(lacks)('every kind of module', () => {
  let unbound: Unbound;
  let ripestat: ListServer;
  let cluster: Cluster;
  const apis: Service[] = [];
  const workers: ReturnType<Cluster['run']>[] = [];
  const modules = new Map<string, string>();
  const announced = new Map<number, Announcements>();

  beforeAll(async () => {
    const address = loopbackAddress();
    unbound = await startUnbound({
      listen: { address, port: await freePort(address) },
      records: ['www 60 A 47.0.0.1', 'www 60 AAAA 2600:90::1'],
    });
    ripestat = await startListServer();
    ripestat.answer = ripestatAnswers(announced);
    cluster = await startCluster({
      APP_FETCH_ALLOW: '127.0.0.0/8',
      APP_ASN_SOURCE_URL: `${ripestat.origin}/data.json`,
      NODE_EXTRA_CA_CERTS: unbound.certificates.caFile,
    });
    apis.push(await cluster.serve('app-api'), await cluster.serve('app-api'));
    workers.push(cluster.run('app-worker'), cluster.run('app-worker'));
    cluster.run('app-speaker');
  });
  afterAll(async () => {
    await cluster?.close();
    await ripestat?.close();
    await unbound?.stop();
  });

  /** Sends it to one of the API processes and again to the other until it is answered; repeating is safe by its key. */
  const insist = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const headers = { 'Idempotency-Key': randomUUID() };
    let last: unknown;
    for (let attempt = 0; attempt < TRIES; attempt++) {
      try {
        const response = await apis[attempt % 2]!.request(
          method,
          path,
          body,
          method === 'GET' ? {} : headers,
        );
        const text = await response.text();
        if (response.ok) return (text === '' ? undefined : JSON.parse(text)) as T;
        last = text;
        // What is wrong stays wrong; what is away comes back, and a first try of this key may still be running.
        if (response.status < 500 && response.status !== 409) throw new Error(`${method} ${path}: ${text}`);
      } catch (error) {
        if (error instanceof Error && error.message.startsWith(method)) throw error;
        last = error;
      }
      await sleep(100); // before the next try
    }
    throw new Error(`${method} ${path} was never answered`, { cause: last });
  };

  const routes = async (): Promise<string[]> =>
    (await cluster.bird.routes())
      .map(({ prefix, communities }) => {
        const ours = communities.filter((community) => community.startsWith('64500:'));
        return `${prefix} ${ours.sort().join(' ')}`;
      })
      .sort();
  const expectRoutes = (expected: readonly string[]): Promise<void> =>
    expect.poll(routes, { timeout: 90_000, interval: 100 }).toEqual([...expected].sort());

  /** Asks for a refresh of each module and waits for the end of all of it. */
  const refreshAll = async (): Promise<void> => {
    const jobs = await Promise.all(
      [...modules].map(([, id]) => insist<Resource>('POST', `/v1/modules/${id}/refresh`, undefined)),
    );
    for (const job of jobs) await ended(job.id);
  };
  const ended = async (id: string): Promise<void> => {
    const job = await waitFor(
      async () => {
        const now = await insist<{ state: string; error: unknown }>('GET', `/v1/jobs/${id}`);
        return now.state !== 'queued' && now.state !== 'running' && now;
      },
      { what: `job ${id} to end` },
    );
    expect(job).toMatchObject({ state: 'succeeded', error: null });
  };

  test('is at the router, each route with its communities, without what is excluded', async () => {
    const [api] = apis as [Service];
    await api.post('/v1/peers', {
      name: 'bird',
      address: cluster.bird.address,
      port: cluster.bird.port,
      remote_asn: 64496,
      next_hop_ipv6: '2001:db8::1',
    });
    const add = async (name: string, type: string, entries: string, items: object[], more: object = {}) => {
      const number = modules.size + 1;
      const community = await api.post<Resource>('/v1/communities', {
        community: `64500:${number}`,
        title: name,
      });
      const body = { name, type, community_id: community.id, ...more };
      const { id } = await api.post<Resource>('/v1/modules', body);
      await api.post(`/v1/modules/${id}/${entries}`, { items });
      modules.set(name, id);
    };
    const profile = await api.post<Resource>('/v1/doh-profiles', { url: unbound.url });
    cluster.lists.set('/cdn', '45.0.0.0/24\n45.0.1.0/24\n');
    announced.set(64501, { '46.0.0.0/24': [NOW], '2600:80::/32': [NOW] });
    await add('cdn', 'CDN_SOURCES', 'cdn-sources', [{ name: 'list', url: `${cluster.listUrl}/cdn` }]);
    await add('networks', 'AS_PREFIXES', 'as-entries', [{ asn: 64501 }]);
    await add('names', 'DOMAINS', 'domain-entries', [{ domain: 'www.test' }], { doh_profile_id: profile.id });
    await add('ranges', 'IP_RANGES', 'ip-range-entries', [{ cidr: '45.0.0.0/24' }, { cidr: '47.0.0.0/31' }]);
    await add('never', 'IP_RANGES', 'ip-range-entries', [{ cidr: '45.0.1.128/25' }], { purpose: 'exclude' });
    await refreshAll();
    await expectRoutes([
      '45.0.0.0/24 64500:1 64500:4',
      '45.0.1.0/25 64500:1',
      '46.0.0.0/24 64500:2',
      '2600:80::/32 64500:2',
      '47.0.0.1/32 64500:3',
      '2600:90::1/128 64500:3',
      '47.0.0.0/31 64500:4',
    ]);
  });

  test('arrives while a worker, an API process and the database are killed; nothing is lost or done twice', async () => {
    const before = await insist<Page<{ number: number }>>('GET', '/v1/revisions?limit=1');
    const received = cluster.bird.updates().length;
    cluster.lists.set('/cdn', '45.0.0.0/24\n45.0.1.0/24\n45.0.4.0/24\n');
    announced.set(64501, { '46.0.0.0/23': [NOW], '2600:80::/32': [NOW] });
    await unbound.serve({ records: ['www 60 A 47.0.0.1', 'www 60 AAAA 2600:90::1', 'www 60 A 47.0.0.9'] });

    const changes = Array.from({ length: 40 }, (_, n) => ({ community: `64501:${n}`, title: `change ${n}` }));
    const changing = Promise.all(
      changes.map(async (body, n) => {
        await sleep(n * 100); // spread over what is killed
        return insist<Resource>('POST', '/v1/communities', body);
      }),
    );
    const ranges = `/v1/modules/${modules.get('ranges')}/ip-range-entries`;
    const adding = insist<Resource>('POST', ranges, { cidr: '48.0.0.0/24' });
    const refreshing = adding.then(refreshAll);
    await sleep(300); // into the refresh
    await stopProcess(workers[0]!, 'SIGKILL');
    workers[0] = cluster.run('app-worker');
    await sleep(500); // the moment of the next kill
    await apis[0]!.stop('SIGKILL');
    process.kill(cluster.server().pid, 'SIGKILL');
    await sleep(500); // as long as nothing is there
    apis[0] = await cluster.serve('app-api');
    await stopProcess(workers[1]!, 'SIGKILL');
    workers[1] = cluster.run('app-worker');

    const made = await changing;
    await refreshing;
    await expectRoutes([
      '45.0.0.0/24 64500:1 64500:4',
      '45.0.1.0/25 64500:1',
      '45.0.4.0/24 64500:1',
      '46.0.0.0/23 64500:2',
      '2600:80::/32 64500:2',
      '47.0.0.1/32 64500:3',
      '47.0.0.9/32 64500:3',
      '2600:90::1/128 64500:3',
      '47.0.0.0/31 64500:4',
      '48.0.0.0/24 64500:4',
    ]);
    // Every change was acknowledged once, exists once, and stands in the audit log once.
    expect(new Set(made.map(({ id }) => id)).size).toBe(40);
    const { items } = await insist<Page<Resource & { community: string }>>(
      'GET',
      '/v1/communities?limit=500&q=64501',
    );
    expect(items.map(({ id }) => id).sort()).toEqual(made.map(({ id }) => id).sort());
    const records = await insist<Page<{ resource: Resource }>>(
      'GET',
      '/v1/audit?action=community.create&limit=500',
    );
    const audited = records.items.map(({ resource }) => resource.id);
    expect(new Set(audited).size).toBe(audited.length);
    for (const { id } of made) expect(audited).toContain(id);
    // Five refreshes made five revisions at most, without a gap, and what stays was never taken away.
    const after = await insist<Page<{ number: number; state: string }>>('GET', '/v1/revisions?limit=50');
    const numbers = after.items.map(({ number }) => number).sort((a, b) => a - b);
    expect(numbers).toEqual(numbers.map((_, place) => place + 1));
    expect(numbers.length - before.items[0]!.number).toBeLessThanOrEqual(5);
    const withdrawn = cluster.bird
      .updates()
      .slice(received)
      .flatMap((update) => update.withdrawn);
    expect(withdrawn.filter((prefix) => prefix !== '46.0.0.0/24')).toEqual([]);
  }, 300_000);

  test('belongs to its tenant: another one, at work beside it, neither sees nor changes it', async () => {
    const [api] = apis as [Service];
    const other = await api.post<Resource & { api_key: { secret: string } }>('/v1/tenants', {
      name: 'Other',
      slug: 'other',
      policy: OPEN_POLICY,
    });
    const ask = async (method: string, path: string, body?: object) => {
      const response = await api.request(method, path, body, {
        authorization: `Bearer ${other.api_key.secret}`,
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    const before = await routes();
    const revisions = await insist<Page<unknown>>('GET', '/v1/revisions');
    await Promise.all([
      refreshAll(),
      (async () => {
        for (let n = 0; n < 20; n++) {
          const module = await ask('POST', '/v1/modules', { name: `cdn ${n}`, type: 'IP_RANGES' });
          expect(module.status).toBe(201);
          const path = `/v1/modules/${String(module.body.id)}`;
          expect((await ask('POST', `${path}/ip-range-entries`, { cidr: `49.0.${n}.0/24` })).status).toBe(
            201,
          );
          expect((await ask('POST', `${path}/refresh`)).status).toBe(202);
        }
      })(),
    ]);
    for (const id of modules.values()) expect((await ask('GET', `/v1/modules/${id}`)).status).toBe(404);
    const theirs = await ask('GET', '/v1/modules?limit=500');
    expect((theirs.body.items as { name: string }[]).map(({ name }) => name)).not.toContain('networks');
    expect((theirs.body.items as unknown[]).length).toBe(20);
    const ours = await insist<Page<{ name: string }>>('GET', '/v1/modules?limit=500');
    expect(ours.items.map(({ name }) => name).sort()).toEqual([...modules.keys()].sort());
    expect(await routes()).toEqual(before);
    expect(revisions.items.length).toBeGreaterThan(0);
  });
});
