/**
 * What requests cost where there is much: every route, asked of a service that holds a million entries, jobs and audit records, ten thousand
 * modules and a thousand tenants, and of one that holds a thousand of each (a hundred tenants), in turns in the same run.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from '../../demo/service.ts';
import { ROUTES } from '../../src/http/server/route-table.ts';
import { startEmbeddedServer } from '../../src/store/embedded/embedded-server.ts';
import { freePort } from '../../test/daemons/machine/ports.ts';
import { Asker } from './asking.ts';
import { fill, idOf, type Scale } from './fill.ts';
import { LEFT_OUT, STORIES } from './stories.ts';
import type { Subject } from './subject.ts';
import { buildPublished, COMMAND } from '../measure/published.ts';
import { machine, median } from '../measure/report.ts';

const GOAL = 1.5;
/** What is less apart than this says nothing: of a time that short, what else the machine does is more. */
const NOISE_MS = 1;
const WARMING = 3;
const ROUNDS = 15;
const MILLION = 1_000_000;

/** As many tenants as a page has: one of ten says less. */
const SMALL: Scale = { entries: 1_000, jobs: 1_000, auditRecords: 1_000, modules: 1_000, tenants: 100 };

/**
 * `--scale 0.1` takes a tenth of the large one, `--rounds N` that many, and names of stories (`modules`, `jobs`, …) these alone.
 * `--slow` tells only of what misses the goal.
 */
export async function run(args: readonly string[]): Promise<void> {
  const numberOf = (name: string, otherwise: number): number => {
    const at = args.indexOf(name);
    return at === -1 ? otherwise : Number(args[at + 1]);
  };
  const scale = numberOf('--scale', 1);
  const rounds = numberOf('--rounds', ROUNDS);
  const names = (Object.keys(STORIES) as (keyof typeof STORIES)[]).filter(
    (name, _, all) => args.includes(name) || !all.some((other) => args.includes(other)),
  );
  const large: Scale = {
    entries: MILLION * scale,
    jobs: MILLION * scale,
    auditRecords: MILLION * scale,
    modules: Math.max(1_000, 10_000 * scale),
    tenants: Math.max(10, 1_000 * scale),
  };
  buildPublished();
  const both = [await Filled.start(SMALL), await Filled.start(large)] as const;
  try {
    for (let round = 1; round <= WARMING + rounds; round++) {
      if (round === WARMING + 1) for (const { subject } of both) subject.asker.times.clear();
      for (const name of names)
        for (const { subject } of round % 2 === 0 ? both : [...both].reverse())
          await STORIES[name](subject, round);
    }
    const [few, many] = [both[0].subject.asker.times, both[1].subject.asker.times];
    tell(few, many, large.entries, args.includes('--slow'));
    if (names.length === Object.keys(STORIES).length) tellLeftOut(many);
  } finally {
    for (const filled of both) await filled.stop();
  }
  console.log(machine());
}

type Times = ReadonlyMap<string, readonly number[]>;

function tell(few: Times, many: Times, entries: number, isSlowOnly: boolean): void {
  console.log(
    `| operation | 1,000 of each | ${entries.toLocaleString('en')} | ratio | met |\n| --- | --- | --- | --- | --- |`,
  );
  let missed = 0;
  for (const [title, times] of [...many].sort(([a], [b]) => (a < b ? -1 : 1))) {
    // A list of ten has one page.
    const [less, more] = [median(few.get(title) ?? few.get(title.replace(/,.*/, ''))!), median(times)];
    const isMet = more <= less * GOAL || more - less < NOISE_MS;
    if (!isMet) missed++;
    if (!isMet || !isSlowOnly)
      console.log(
        `| ${title} | ${shown(less)} | ${shown(more)} | ${(more / less).toFixed(2)} | ${isMet ? 'yes' : 'no'} |`,
      );
  }
  console.log(`\n${many.size} measured, ${missed} of them take more than ${GOAL} times as long.`);
}

function shown(ms: number): string {
  return `${ms >= 100 ? ms.toFixed(0) : ms.toPrecision(3)} ms`;
}

/** Every route of the table is measured, or is said not to be. */
function tellLeftOut(times: Times): void {
  const measured = new Set([...times.keys()].map((title) => title.replace(/[, ].*/, '')));
  const forgotten = ROUTES.filter(({ operation }) => !measured.has(operation) && !(operation in LEFT_OUT));
  if (forgotten.length > 0)
    throw new Error(
      `Neither measured nor left out: ${forgotten.map(({ operation }) => operation).join(', ')}`,
    );
  for (const [operation, reason] of Object.entries(LEFT_OUT))
    console.log(`Not asked: ${operation}, which ${reason}.`);
}

/** A service on a database with that much in it. */
class Filled {
  readonly subject: Subject;
  readonly #service: Service;
  readonly #dataDir: string;

  private constructor(subject: Subject, service: Service, dataDir: string) {
    this.subject = subject;
    this.#service = service;
    this.#dataDir = dataDir;
  }

  static async start(scale: Scale): Promise<Filled> {
    const dataDir = await mkdtemp(join(tmpdir(), 'prefixcast-bench-'));
    const start = async (service: string): Promise<Service> =>
      Service.start({
        ...{ dataDir, port: await freePort(), bgpListen: `127.0.0.1:${await freePort()}`, command: COMMAND },
        env: { APP_SERVICE: service, APP_RATE_LIMIT_READS: '0', APP_RATE_LIMIT_WRITES: '0' },
      });
    const service = await start('app-all');
    // Edits of a million would be followed by revisions of a million, which are not measured here.
    await service.call('PATCH', '/v1/settings', {
      auto_revision: false,
      auto_apply: false,
      guard_max_prefixes: 5 * MILLION,
    });
    const server = await startEmbeddedServer(dataDir);
    const started = performance.now();
    await fill(server.address, scale);
    await server.close();
    const { id: tenantId } = (await service.get<{ tenant: { id: string } }>('/v1/auth/session')).tenant;
    const job = await service.post<{ id: string }>(`/v1/modules/${idOf('module', 1)}/refresh`);
    const result = await service.succeeded(job);
    const { items } = await service.get<{ items: { id: string }[] }>('/v1/revisions');
    console.log(
      `${scale.entries} entries were filled in and built after ${((performance.now() - started) / 1000).toFixed(0)} s`,
    );
    if (items[0] === undefined) throw new Error(`No revision was built: ${JSON.stringify(result)}`);
    await service.stop();
    // What is asked for is not done meanwhile: else one request would be measured while the work of another is done.
    const api = await start('app-api');
    const asker = new Asker(api.url, api.key);
    return new Filled({ asker, scale, revisionId: items[0].id, tenantId }, api, dataDir);
  }

  async stop(): Promise<void> {
    this.subject.asker.close();
    await this.#service.stop();
    await rm(this.#dataDir, { recursive: true, force: true });
  }
}
