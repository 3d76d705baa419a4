/** A service whose jobs run and whose builtin speakers hold sessions, with a server of lists: all in this process, over a real database. */
import { jobTable } from '../../src/jobs/job-table.ts';
import { createJobQueue, startBoss } from '../../src/jobs/queue.ts';
import { startWorker } from '../../src/jobs/worker.ts';
import { SpeakerHolder } from '../../src/control/holding/hold-speakers.ts';
import { RipestatSource } from '../../src/sources/asn/ripestat.ts';
import { BuiltinEngine } from '../../src/speakers/builtin/engine.ts';
import { waitFor } from '../daemons/wait.ts';
import { startService, type Body, type TestService } from '../http/service.ts';
import { PEER_REACH } from '../peer-allow.ts';
import { startListServer } from '../sources/lists/list-server.ts';

const CALM_MS = 50;
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

export interface LivingService extends TestService {
  /** What the list server answers, by path without query; null: nothing, ever. */
  readonly texts: Map<string, string | null>;
  /** `http://127.0.0.1:port` */
  readonly origin: string;
  read(path: string): Promise<Body>;
  itemsOf(path: string): Promise<Body[]>;
  /** Waits for the end of the job, whatever end that is. */
  ended(id: unknown): Promise<Body>;
  /** Waits until no job is under way. */
  idle(): Promise<unknown>;
}

export async function startLivingService(): Promise<LivingService> {
  const service = await startService();
  const { database, dependencies } = service;
  const { secrets, fetch, logs } = dependencies;
  const texts = new Map<string, string | null>();
  const lists = await startListServer();
  lists.answer = ({ url = '' }, response) => {
    const text = texts.get(url.split('?', 1)[0]!);
    if (text === undefined) response.writeHead(404).end();
    else if (text !== null) response.end(text);
  };
  const boss = await startBoss(database.address, () => undefined);
  const retry = { attempts: 2, firstMs: 10, longestMs: 100 };
  const asnSource = new RipestatSource({ url: `${lists.origin}/ripestat`, fetch, retry });
  const handlers = jobTable({ queue: createJobQueue(boss), secrets, fetch, asnSource, logs });
  const worker = startWorker({ boss, db: database.db, handlers, onFault: () => undefined });
  const engine = new BuiltinEngine({ listen: { host: '127.0.0.1', port: 0 }, version: 'test', log: silent });
  await engine.start();
  const holder = new SpeakerHolder({
    ...{ db: database.db, secrets, daemons: ['builtin'], peerReach: PEER_REACH, calm: CALM_MS },
    driverOf: (_daemon, id) => engine.driver(id),
    onFault: () => undefined,
    onEvent: () => undefined,
  });
  holder.start();
  const read = async (path: string): Promise<Body> => (await service.call('GET', path)).body;
  const itemsOf = async (path: string): Promise<Body[]> => (await read(path)).items as Body[];
  return {
    ...service,
    ...{ texts, origin: lists.origin, read, itemsOf },
    ended: (id) =>
      waitFor(
        async () => {
          const job = await read(`/v1/jobs/${String(id)}?wait=10`);
          return job.finished_at !== null && job;
        },
        { what: `job ${String(id)} to end` },
      ),
    idle: () =>
      waitFor(
        async () => (await itemsOf('/v1/jobs?limit=500')).every(({ finished_at: end }) => end !== null),
        { what: 'every job to end' },
      ),
    async close() {
      await holder.close();
      await engine.close(true);
      await worker.close();
      await boss.stop({ graceful: false });
      await lists.close();
      await service.close();
    },
  };
}
