/**
 * A hundred thousand ranges imported as CSV over HTTP, beside COPY of the same rows into two bare tables of the same server: one without keys,
 * index or policy, and one with the keys and indexes of ours. Processor times are of the server, with what follows from the import.
 * Then the same file again, of which nothing changes, the export, and how long the service kept others waiting.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Service } from '../../demo/service.ts';
import { newEntryIds } from '../../src/store/entries/entry-ids.ts';
import { startEmbeddedServer } from '../../src/store/embedded/embedded-server.ts';
import { freePort } from '../../test/daemons/machine/ports.ts';
import { copyFrom } from '../measure/postgres.ts';
import { postmasterOf, processorMsOf } from '../measure/processor-time.ts';
import { machine, median } from '../measure/report.ts';

const ROUNDS = 3;
const ROWS = 100_000;
/** Milliseconds. */
const GOAL = 5_000;
const BULK_ROWS = 10_000;
const BULK_GOAL = 1_000;

export async function run(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'prefixcast-bench-'));
  const service = await Service.start({
    dataDir,
    port: await freePort(),
    bgpListen: `127.0.0.1:${await freePort()}`,
    env: { APP_LOG_LEVEL: 'warn' },
  });
  const server = await startEmbeddedServer(dataDir);
  try {
    const postmaster = postmasterOf(dataDir);
    await measure(service, new pg.Client({ ...server.address, user: 'postgres' }), () =>
      processorMsOf(postmaster),
    );
  } finally {
    await service.stop();
    await server.close();
    await rm(dataDir, { recursive: true, force: true });
  }
  console.log(machine());
}

/** @param spent processor time of the server, in milliseconds */
async function measure(service: Service, admin: pg.Client, spent: () => number): Promise<void> {
  const ranges = Array.from(
    { length: ROWS },
    (_, n) => `${11 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}.0/24`,
  );
  const csv = `cidr,note,enabled,community\n${ranges.map((cidr, n) => `${cidr},"number ${n}, made up",true,`).join('\n')}\n`;
  const lines = Buffer.from(ranges.map((cidr, n) => `${cidr}\tnumber ${n}, made up\tt\t\\N\n`).join(''));
  const ids = newEntryIds(ROWS);
  const [tenant, list] = newEntryIds(2) as [string, string];
  const indexed = Buffer.from(
    ranges.map((cidr, n) => `${tenant}\t${list}\t${ids[n]!}\t${cidr}\tnumber ${n}, made up\n`).join(''),
  );
  const costs = { copy: [], first: [] } as Record<'copy' | 'first', number[]>;
  const costOf = async (name: 'copy' | 'first', work: () => Promise<unknown>): Promise<number> => {
    const before = spent();
    const time = await timed(work);
    costs[name].push(spent() - before);
    return time;
  };
  const times = { copy: [], indexed: [], first: [], again: [], out: [], bulk: [], late: [] } as Record<
    string,
    number[]
  >;
  await admin.connect();
  for (let round = 0; round < ROUNDS; round++) {
    await admin.query('CREATE TABLE bare (cidr cidr, note text, enabled boolean, community_id uuid)');
    times.copy!.push(await timed(() => copyFrom(admin, 'COPY bare FROM STDIN', lines)));
    await admin.query('DROP TABLE bare');
    await admin.query(
      'CREATE TABLE bare (LIKE prefixcast.ip_range_entry INCLUDING DEFAULTS INCLUDING INDEXES)',
    );
    const copy = 'COPY bare (tenant_id, module_id, id, cidr, note) FROM STDIN';
    times.indexed!.push(await costOf('copy', () => copyFrom(admin, copy, indexed)));
    await admin.query('DROP TABLE bare');

    const module = await service.post<{ id: string }>('/v1/modules', {
      name: `m${round}`,
      type: 'IP_RANGES',
    });
    const path = `/v1/modules/${module.id}`;
    const others = watch(service);
    times.first!.push(await costOf('first', () => upload(service, path, csv, ROWS)));
    times.late!.push(await others.stop());
    times.again!.push(await timed(() => upload(service, path, csv, 0)));
    times.out!.push(
      await timed(async () => (await service.request('GET', `${path}/entries.csv`)).arrayBuffer()),
    );
    await service.request('DELETE', path);

    const bulk = await service.post<{ id: string }>('/v1/modules', { name: `b${round}`, type: 'IP_RANGES' });
    const items = ranges.slice(0, BULK_ROWS).map((cidr) => ({ cidr, note: 'made up' }));
    times.bulk!.push(await timed(() => service.post(`/v1/modules/${bulk.id}/ip-range-entries`, { items })));
  }
  await admin.end();
  const shown = (name: string): string => `${median(times[name]!).toFixed(0)} ms`;
  const met = (name: string, goal: number): string =>
    `goal ${goal} ms, ${median(times[name]!) <= goal ? 'met' : 'NOT met'}`;
  const ratio = median(times.first!) / median(times.copy!);
  console.log(`COPY of ${ROWS} rows into a bare table: ${shown('copy')}`);
  const cost = (name: 'copy' | 'first'): string =>
    `${median(costs[name]).toFixed(0)} ms of its processor time`;
  console.log(`  with the keys and indexes of ours: ${shown('indexed')}, ${cost('copy')}`);
  console.log(
    `import of the rows as CSV: ${shown('first')} (${met('first', GOAL)}), ratio ${ratio.toFixed(1)}; ${cost('first')}`,
  );
  console.log(`  longest wait of another request meanwhile: ${shown('late')}`);
  console.log(`import of the same again: ${shown('again')}; export: ${shown('out')}`);
  console.log(`${BULK_ROWS} ranges as one JSON array: ${shown('bulk')} (${met('bulk', BULK_GOAL)})`);
}

async function upload(service: Service, path: string, csv: string, created: number): Promise<void> {
  const answer = await fetch(`${service.url}${path}/entries.csv`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'text/csv' },
    body: csv,
  });
  const body = (await answer.json()) as { created?: number };
  if (body.created !== created) throw new Error(JSON.stringify(body));
}

/** Asks for the version over and over, as somebody else would. */
function watch(service: Service): { stop(): Promise<number> } {
  let isOver = false;
  const asking = (async () => {
    let longest = 0;
    while (!isOver) {
      longest = Math.max(
        longest,
        await timed(async () => (await service.request('GET', '/v1/version')).text()),
      );
      await sleep(2);
    }
    return longest;
  })();
  return {
    stop() {
      isOver = true;
      return asking;
    },
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
