/**
 * The control plane of one tenant in this process: a real database, queue and worker, the builtin speaker, and a list server on
 * loopback. Tests call the verbs and look at what these left behind.
 */
import type { Job } from '../../src/api/activity/jobs.ts';
import type { Revision } from '../../src/api/revisions/revisions.ts';
import { DAEMONS, type Speaker } from '../../src/api/speakers/speakers.ts';
import { requestApply } from '../../src/control/rollout/apply-revision.ts';
import { createCommunity } from '../../src/control/tenants/communities.ts';
import type { ControlContext } from '../../src/control/context.ts';
import type { OperatorEvent } from '../../src/api/activity/operator-events.ts';
import { SpeakerHolder } from '../../src/control/holding/hold-speakers.ts';
import { requestRefresh } from '../../src/control/collection/refresh-module.ts';
import { createSpeaker } from '../../src/control/speakers/speakers.ts';
import { formatPrefixAt, parsePrefix } from '../../src/core/prefix.ts';
import { jobTable } from '../../src/jobs/job-table.ts';
import { createJobQueue, startBoss } from '../../src/jobs/queue.ts';
import { startWorker } from '../../src/jobs/worker.ts';
import { BuiltinEngine } from '../../src/speakers/builtin/engine.ts';
import { loadTable } from '../../src/store/contents/contents.ts';
import type { TenantTx } from '../../src/store/database/database.ts';
import { getJob, listJobs } from '../../src/store/jobs/jobs.ts';
import { deleteModule, listModules } from '../../src/store/modules/modules.ts';
import { getRevision } from '../../src/store/revisions/revisions.ts';
import type { LogDirectory } from '../../src/logs/log-directory.ts';
import { RipestatSource } from '../../src/sources/asn/ripestat.ts';
import { SecretBox } from '../../src/store/secrets.ts';
import { getSpeaker } from '../../src/store/speakers/speakers.ts';
import { PEER_REACH } from '../peer-allow.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { waitFor } from '../daemons/wait.ts';
import { startListServer, type Answer, type ListServer } from '../sources/lists/list-server.ts';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** What secrets of a plane are sealed with. */
export const PLANE_SECRET = Buffer.alloc(32, 3);

/** Shorter than outside of tests, since most of their peers bear whatever they are sent. */
const CALM = 500;

export type Run = <T>(work: (tx: TenantTx) => Promise<T>) => Promise<T>;

/** A process that holds speakers. */
export interface Holding {
  readonly engine: BuiltinEngine;
  /** Lets go of the speakers in order. */
  close(): Promise<void>;
}

export interface Plane {
  readonly database: TestDatabase;
  readonly tenantId: string;
  readonly context: ControlContext;
  readonly lists: ListServer;
  /** What the list server answers, by path. */
  readonly answers: Map<string, Answer>;
  /** What was reported to operators about speakers. */
  readonly events: readonly OperatorEvent[];
  /** What holders of speakers logged as faults. */
  readonly faults: readonly unknown[];
  /** One transaction of the tenant. */
  readonly run: Run;
  addSpeaker(name: string): Promise<Speaker>;
  /** Its title is the community. @returns its id */
  addCommunity(community: string): Promise<string>;
  deleteModules(): Promise<void>;
  /** Starts what a process of the role app-speaker runs. */
  hold(listen?: { readonly host: string; readonly port: number }, calm?: number): Promise<Holding>;
  refresh(moduleId: string): Promise<Job>;
  apply(revisionId?: string, speakerIds?: string[]): Promise<Job>;
  speaker(id: string): Promise<Speaker>;
  job(id: string): Promise<Job>;
  /** Waits until no job is under way. */
  idle(): Promise<unknown>;
  /** Waits for the end of the job, whatever end that is. */
  ended(job: { readonly id: string }): Promise<Job>;
  /** The result of a job that must end well, and of the apply that it queued. */
  succeeded(job: { readonly id: string }): Promise<Record<string, unknown>>;
  revision(id: string): Promise<Revision>;
  /** Prefix to communities, as the revision has them. */
  routes(revisionId: string): Promise<Record<string, readonly string[]>>;
  close(): Promise<void>;
}

/** @param logs log files of the process that runs jobs; null: none */
export async function startPlane(logs: LogDirectory | null = null): Promise<Plane> {
  const database = await createTestDatabase();
  const tenantId = await database.createTenant();
  const answers = new Map<string, Answer>();
  const lists = await startListServer();
  lists.answer = (request, response) => {
    const answer = answers.get(request.url ?? '');
    if (answer === undefined) response.writeHead(404).end();
    else answer(request, response);
  };
  const secrets = new SecretBox(PLANE_SECRET);
  const boss = await startBoss(database.address, () => undefined);
  const queue = createJobQueue(boss);
  const loopback = parsePrefix('127.0.0.1/32');
  const reach = { allow: loopback.ok ? [loopback.value] : [], own: [] };
  const asnSource = new RipestatSource({
    url: `${lists.origin}/ripestat`,
    fetch: { reach },
    retry: { attempts: 2, firstMs: 10, longestMs: 100 },
  });
  const handlers = jobTable({ queue, secrets, fetch: { reach }, asnSource, logs });
  const worker = startWorker({ boss, db: database.db, handlers, onFault: () => undefined });
  const holdings = new Set<Holding>();
  const context: ControlContext = {
    actor: 'key:test',
    role: 'operator',
    speakerId: null,
    firewallClientId: null,
    queue,
    secrets,
    peerReach: PEER_REACH,
    drivenDaemons: DAEMONS,
  };
  const run: Run = (work) => database.db.inTenant(tenantId, work);

  const events: OperatorEvent[] = [];
  const faults: unknown[] = [];
  const plane: Plane = {
    ...{ database, tenantId, context, lists, answers, run, events, faults },
    addSpeaker: async (name) =>
      (await run((tx) => createSpeaker(tx, context, { name, local_asn: 64512 }))).resource,
    addCommunity: async (community) =>
      (await run((tx) => createCommunity(tx, { community, title: community }))).resource.id,
    async deleteModules() {
      const { items } = await run((tx) => listModules(tx, { limit: 500 }));
      for (const { id } of items) await run((tx) => deleteModule(tx, id, null));
    },
    async hold(listen = { host: '127.0.0.1', port: 0 }, calm = CALM) {
      const engine = new BuiltinEngine({ listen, version: 'test', log: silent });
      await engine.start();
      const driverOf = (_daemon: string, id: string) => engine.driver(id);
      const onFault = (_speakerId: string | null, error: unknown): number => faults.push(error);
      const daemons = ['builtin'] as const;
      const holder = new SpeakerHolder({
        ...{ db: database.db, secrets, daemons, driverOf, onFault, calm },
        peerReach: PEER_REACH,
        onEvent: (_tenantId, event) => events.push(event),
      });
      holder.start();
      const holding: Holding = {
        engine,
        async close() {
          if (!holdings.delete(holding)) return;
          await holder.close();
          await engine.close(true);
        },
      };
      holdings.add(holding);
      return holding;
    },
    refresh: (moduleId) => run((tx) => requestRefresh(tx, queue, moduleId, context.actor)),
    apply: (revisionId, speakerIds) =>
      run((tx) =>
        requestApply(tx, context, {
          ...(revisionId === undefined ? {} : { revision_id: revisionId }),
          ...(speakerIds === undefined ? {} : { speaker_ids: speakerIds }),
        }),
      ),
    speaker: async (id) => (await run((tx) => getSpeaker(tx, id, true))).resource,
    job: async (id) => (await run((tx) => getJob(tx, id))).resource,
    idle: () =>
      waitFor(
        async () => {
          const { items } = await run((tx) => listJobs(tx, { limit: 500 }));
          return items.every(({ finished_at: end }) => end !== null);
        },
        { what: 'every job to end' },
      ),
    ended: ({ id }) =>
      waitFor(
        async () => {
          const job = await plane.job(id);
          return job.finished_at !== null && job;
        },
        { what: `job ${id} to end` },
      ),
    async succeeded(job) {
      const ended = await plane.ended(job);
      if (ended.state !== 'succeeded')
        throw new Error(`The job ${ended.type} ${ended.state}: ${ended.error?.detail}`);
      const result = ended.result ?? {};
      // A refresh among others leaves its revision to the job that builds one for all.
      if (typeof result.build_job_id === 'string')
        return { ...result, ...(await plane.succeeded({ id: result.build_job_id })) };
      if (typeof result.apply_job_id === 'string') await plane.ended({ id: result.apply_job_id });
      return result;
    },
    revision: async (id) => (await run((tx) => getRevision(tx, id))).resource,
    async routes(revisionId) {
      const { content_hash: hash } = await plane.revision(revisionId);
      const table = await run((tx) => loadTable(tx, hash!));
      const routes: Record<string, readonly string[]> = {};
      for (const rows of [table.ipv4, table.ipv6])
        for (let row = 0; row < rows.size; row++)
          routes[formatPrefixAt(rows, row)] = table.labelSets[rows.labels[row]!]!;
      return routes;
    },
    async close() {
      await Promise.all([...holdings].map((holding) => holding.close()));
      await worker.close();
      await boss.stop({ graceful: false });
      await lists.close();
      await database.close();
    },
  };
  return plane;
}
