/**
 * List routes and the lookup over HTTP beside a bare `node:http` server that answers a fixed body of the same size under the same
 * load: requests per second, the median of rounds that take turns.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Service } from '../../demo/service.ts';
import type { Lookup } from '../../src/api/lookup/lookup.ts';
import { formatWords } from '../../src/core/address.ts';
import { freePort } from '../../test/daemons/machine/ports.ts';
import { seededRandom } from '../../test/oracle/arbitraries.ts';
import { type Load, load, startBare } from './http-load.ts';
import { machine, median } from '../measure/report.ts';

const ROUNDS = 5;
const ITEMS = 50;
const LIST_GOAL = 0.4;
const LOOKUP_GOAL = 0.6;
const LOOKUP_P99_GOAL = 5;
const LOOKUP_MODULES = 100;
const LOOKUP_PREFIXES = 10_000;

/** First octets without special-purpose addresses, which a refresh would drop. */
const OCTETS = Array.from({ length: 223 }, (_, octet) => octet).filter(
  (octet) => ![0, 10, 100, 127, 169, 172, 192, 198, 203].includes(octet),
);

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

/** A hundred modules with a million prefixes together, read from lists on this machine; some addresses in them. */
async function fillLists(service: Service): Promise<readonly string[]> {
  const random = seededRandom(11);
  const addresses: string[] = [];
  const lists = Array.from({ length: LOOKUP_MODULES }, () =>
    Array.from({ length: LOOKUP_PREFIXES }, (_, row) => {
      const random32 = random();
      const length = 16 + (random() % 17);
      const word = ((OCTETS[random32 % OCTETS.length]! << 24) | (random32 >>> 8)) >>> 0;
      if (row % 50 === 0) addresses.push(formatWords('ipv4', [word], 0));
      // A list with host bits set would be refused line by line.
      return `${formatWords('ipv4', [(word & (-1 << (32 - length))) >>> 0], 0)}/${length}`;
    }).join('\n'),
  );
  // Random lists cover more than half of the addresses, which would be held; a lookup would then tell why nothing announces the address.
  await service.call('PATCH', '/v1/settings', { guard_max_coverage_percent: 100 });
  const server = createServer((request, response) => response.end(lists[Number(request.url!.slice(1))]));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    for (let number = 0; number < LOOKUP_MODULES; number++) {
      const module = await service.post<{ id: string }>('/v1/modules', {
        name: `list ${number}`,
        type: 'CDN_SOURCES',
      });
      await service.post(`/v1/modules/${module.id}/cdn-sources`, {
        name: 'list',
        url: `http://127.0.0.1:${port}/${number}`,
      });
      const job = await service.post<{ id: string }>(`/v1/modules/${module.id}/refresh`);
      await service.succeeded(job);
    }
  } finally {
    server.close();
  }
  await untilApplied(service, addresses);
  return addresses;
}

/** Until what was collected is what runs: half a minute after the last refresh at most. */
async function untilApplied(service: Service, addresses: readonly string[]): Promise<void> {
  for (let second = 0; second < 30; second++) {
    const answers = await Promise.all(
      addresses.slice(-100).map((address) => service.get<Lookup>(`/v1/lookup?q=${address}`)),
    );
    if (
      answers.every(({ announced, not_announced: reasons }) => announced.length > 0 && reasons.length === 0)
    )
      return;
    await setTimeout(1_000);
  }
  throw new Error('What was collected last is not announced.');
}

/** Of the lookups, those that were answered in front of the routes. */
async function answeredFast(service: Service): Promise<string> {
  const metrics = await (await service.request('GET', '/metrics')).text();
  return /^prefixcast_lookups_fast_path_total (\d+)/m.exec(metrics)?.[1] ?? 'no';
}

interface Compared {
  readonly ours: Load;
  readonly bare: Load;
  readonly ratio: number;
}

async function compare(service: Service, port: number, paths: readonly string[]): Promise<Compared> {
  const own = { port, pid: service.pid };
  const pathOf = (n: number): string => paths[n % paths.length]!;
  const sample = await Promise.all(paths.slice(0, 100).map((path) => service.request('GET', path)));
  const sizes = await Promise.all(sample.map(async (answer) => (await answer.arrayBuffer()).byteLength));
  const bare = await startBare(Math.round(sizes.reduce((sum, size) => sum + size, 0) / sizes.length));
  try {
    // Code gets compiled, and lists that are asked often get merged.
    await load(own, service.key, pathOf);
    await load(own, service.key, pathOf);
    const loads = { ours: [] as Load[], bare: [] as Load[] };
    for (let round = 0; round < ROUNDS; round++) {
      loads.bare.push(await load(bare, service.key, pathOf));
      loads.ours.push(await load(own, service.key, pathOf));
    }
    const [ours, theirs] = [medians(loads.ours), medians(loads.bare)];
    return { ours, bare: theirs, ratio: ours.perSecond / theirs.perSecond };
  } finally {
    bare.stop();
  }
}

function medians(loads: readonly Load[]): Load {
  return {
    perSecond: median(loads.map(({ perSecond }) => perSecond)),
    ofRequest: median(loads.map(({ ofRequest }) => ofRequest)),
    p99: median(loads.map(({ p99 }) => p99)),
  };
}

function tell(title: string, { ours, bare, ratio }: Compared, goal: number): void {
  const rates = `${ours.perSecond.toFixed(0)} of ${bare.perSecond.toFixed(0)} requests/s`;
  const verdict = ratio >= goal ? 'met' : 'NOT met';
  console.log(`GET ${title}: ${rates}, ratio ${ratio.toFixed(3)} (goal ${goal}, ${verdict})`);
  const [time, bareTime] = [ours.ofRequest, bare.ofRequest];
  console.log(
    `  processor time of a request: ${time.toFixed(1)} us beside ${bareTime.toFixed(1)} us, ratio ${(bareTime / time).toFixed(3)}`,
  );
}

/** `lists` or `lookup` measures only these. */
export async function run([only]: readonly string[]): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'prefixcast-bench-'));
  const port = await freePort();
  const service = await Service.start({
    dataDir,
    port,
    bgpListen: `127.0.0.1:${await freePort()}`,
    env: {
      APP_LOG_LEVEL: 'warn',
      APP_RATE_LIMIT_READS: '1000000000',
      APP_RATE_LIMIT_WRITES: '1000000',
    },
  });
  try {
    if (only !== 'lookup') {
      for (const path of await fill(service))
        tell(path.replace(/[0-9a-f-]{36}/, '{module_id}'), await compare(service, port, [path]), LIST_GOAL);
    }
    if (only !== 'lists') {
      const paths = (await fillLists(service)).map((address) => `/v1/lookup?q=${address}`);
      const compared = await compare(service, port, paths);
      tell(`/v1/lookup, ${LOOKUP_MODULES} modules`, compared, LOOKUP_GOAL);
      console.log(`  ${await answeredFast(service)} answers came the fast path`);
      const { ours, bare } = compared;
      const verdict = ours.p99 <= LOOKUP_P99_GOAL * bare.p99 ? 'met' : 'NOT met';
      console.log(
        `  p99 ${ours.p99.toFixed(2)} ms beside ${bare.p99.toFixed(2)} ms (goal ${LOOKUP_P99_GOAL} times, ${verdict})`,
      );
    }
  } finally {
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
  console.log(machine());
}
