/**
 * `npm run bench -- edits [ENTRIES] [ROUNDS]`: what the edit of one range in a list of 100,000 costs until its revision is there, beside what the whole list
 * costs. Processor times are of the service and its database until what follows of it has ended; other work on the machine disturbs them less than the
 * clock. Each edit is checked against the revision that it leads to.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from '../../demo/service.ts';
import { freePort } from '../../test/daemons/machine/ports.ts';
import { waitFor } from '../../test/daemons/wait.ts';
import { postmasterOf, processorMsOf } from '../measure/processor-time.ts';
import { buildPublished, COMMAND } from '../measure/published.ts';
import { machine, median } from '../measure/report.ts';
import { untilIdle } from '../measure/until-idle.ts';

const ENTRIES = 100_000;
const ROUNDS = 5;

interface Deed {
  readonly title: string;
  /** How many routes it adds. */
  readonly more: number;
  readonly send: (round: number) => Promise<unknown>;
}

export async function run(args: readonly string[]): Promise<void> {
  const [entries, rounds] = [Number(args[0] ?? ENTRIES), Number(args[1] ?? ROUNDS)];
  buildPublished();
  const dataDir = await mkdtemp(join(tmpdir(), 'prefixcast-bench-'));
  const service = await Service.start({
    ...{ dataDir, port: await freePort(), bgpListen: `127.0.0.1:${await freePort()}`, command: COMMAND },
    env: { APP_LOG_LEVEL: 'error', APP_RATE_LIMIT_WRITES: '0', APP_RATE_LIMIT_READS: '0' },
  });
  try {
    const postmaster = postmasterOf(dataDir);
    const spent = (): { service: number; database: number } => ({
      service: processorMsOf(service.pid),
      database: processorMsOf(postmaster),
    });
    const measure = async (work: () => Promise<unknown>): Promise<Cost> => {
      await untilIdle(service);
      const before = spent();
      const began = performance.now();
      await work();
      const time = performance.now() - began;
      await untilIdle(service);
      const after = spent();
      return {
        time,
        service: after.service - before.service,
        database: after.database - before.database,
      };
    };
    const { id } = await service.post<{ id: string }>('/v1/modules', { name: 'long', type: 'IP_RANGES' });
    const path = `/v1/modules/${id}/ip-range-entries`;
    const whole = await measure(async () => {
      await importAll(service, id, entries);
      await routesBecome(service, entries);
    });
    let one = { id: '' };
    const deeds: readonly Deed[] = [
      {
        title: 'add an entry',
        more: 1,
        send: async (round) => (one = await service.post(path, { cidr: `9.8.${round}.0/24` })),
      },
      {
        title: 'change its range',
        more: 0,
        send: (round) => service.call('PATCH', `${path}/${one.id}`, { cidr: `9.7.${round}.0/24` }),
      },
      {
        title: 'disable it',
        more: -1,
        send: () => service.call('PATCH', `${path}/${one.id}`, { enabled: false }),
      },
      {
        title: 'enable it',
        more: 1,
        send: () => service.call('PATCH', `${path}/${one.id}`, { enabled: true }),
      },
      { title: 'remove it', more: -1, send: () => service.call('DELETE', `${path}/${one.id}`) },
    ];
    const costs = deeds.map((): Cost[] => []);
    const plans: Cost[] = [];
    let routes = entries;
    for (let round = 0; round < rounds; round++) {
      plans.push(
        await measure(() =>
          service.post('/v1/revisions/plan', {
            changes: [{ method: 'POST', path, body: { cidr: `9.6.${round}.0/24` } }],
          }),
        ),
      );
      for (const [at, { more, send }] of deeds.entries()) {
        routes += more;
        costs[at]!.push(
          await measure(async () => {
            const before = (await latest(service)).number;
            await send(round);
            await waitFor(async () => (await latest(service)).number > before, {
              ...{ what: 'the revision', everyMs: 50, timeoutMs: 300_000 },
            });
          }),
        );
        await routesBecome(service, routes);
      }
    }
    console.log(`${machine()}; ${entries} ranges, medians of ${rounds} rounds\n`);
    console.log(`${''.padEnd(30)}        time     service    database   of the whole`);
    report('import of all of them', [whole], whole);
    report('plan of one more', plans, whole);
    for (const [at, { title }] of deeds.entries()) report(title, costs[at]!, whole);
  } finally {
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** In milliseconds. */
interface Cost {
  readonly time: number;
  readonly service: number;
  readonly database: number;
}

function report(title: string, costs: readonly Cost[], whole: Cost): void {
  const of = (name: keyof Cost): number => median(costs.map((cost) => cost[name]));
  const ratio = (of('service') + of('database')) / (whole.service + whole.database);
  const columns = [of('time'), of('service'), of('database')].map((ms) => `${ms.toFixed(0)} ms`.padStart(12));
  console.log(`${title.padEnd(30)}${columns.join('')}${ratio.toFixed(3).padStart(15)}`);
}

async function importAll(service: Service, moduleId: string, entries: number): Promise<void> {
  const lines = Array.from({ length: entries }, (_, at) => {
    const bits = at * 2; // no two of them merge
    return `${11 + (bits >>> 24)}.${(bits >>> 16) & 255}.${(bits >>> 8) & 255}.${bits & 255}/32`;
  });
  const response = await fetch(`${service.url}/v1/modules/${moduleId}/entries.csv?mode=replace`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'text/csv' },
    body: `cidr\n${lines.join('\n')}\n`,
  });
  if (!response.ok) throw new Error(`The import answered ${response.status}: ${await response.text()}`);
}

interface Revision {
  readonly number: number;
  readonly prefix_count: { readonly ipv4: number };
}

async function latest(service: Service): Promise<Revision> {
  const { items } = await service.get<{ items: Revision[] }>('/v1/revisions?limit=1');
  return items[0] ?? { number: 0, prefix_count: { ipv4: 0 } };
}

async function routesBecome(service: Service, routes: number): Promise<void> {
  await waitFor(async () => (await latest(service)).prefix_count.ipv4 === routes, {
    ...{ what: `${routes} routes`, everyMs: 50, timeoutMs: 300_000 },
  });
}
