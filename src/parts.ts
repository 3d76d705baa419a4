/** The parts of a running process beside its database: what `APP_SERVICE` asks for, wired together and started in order. */
import type { Logger } from 'pino';
import { Gauge } from 'prom-client';
import type { Daemon } from './api/speakers/speakers.ts';
import type { OperatorEvent } from './api/activity/operator-events.ts';
import type { Config, Service } from './config/config.ts';
import { deliverAudit } from './control/audit/deliver-audit.ts';
import { deliverWebhooks } from './control/webhooks/deliver-webhooks.ts';
import { bootstrapKeyPath } from './config/bootstrap-key.ts';
import { firstStart } from './control/access/first-start.ts';
import type { JobQueue } from './control/job.ts';
import { OperatorLog } from './control/operator-log.ts';
import { resumeParkedJobs } from './control/tenants/resume-parked-jobs.ts';
import { SpeakerHolder, type SpeakerHolderOptions } from './control/holding/hold-speakers.ts';
import { type OwnAddress, ownAddresses, type OwnHost } from './core/own-addresses.ts';
import type { Reach } from './core/reach.ts';
import { createServer } from './http/server/server.ts';
import { observeFleet } from './http/metrics/fleet-metrics.ts';
import { observeLogs } from './http/metrics/log-metrics.ts';
import { observePostgres } from './http/metrics/postgres-metrics.ts';
import { OperatorMetrics } from './http/metrics/operator-metrics.ts';
import { countWebhookAttempts, observeAuditOutbox } from './http/metrics/state-metrics.ts';
import { jobTable } from './jobs/job-table.ts';
import { createJobQueue, startBoss } from './jobs/queue.ts';
import { startScheduler } from './jobs/scheduler.ts';
import { resumeLostJobs } from './jobs/resume-lost-jobs.ts';
import { startWorker } from './jobs/worker.ts';
import type { Closers } from './closers.ts';
import type { ProcessMetrics } from './http/metrics/scrapes.ts';
import type { RouterConfig } from './config/router-config.ts';
import type { RouterDrivers } from './router-drivers.ts';
import { LogDirectory } from './logs/log-directory.ts';
import type { OwnLog } from './logs/own-log.ts';
import { createAsnSource } from './sources/asn/choose-source.ts';
import type { AsnSource } from './sources/asn/source.ts';
import type { BuiltinEngine } from './speakers/builtin/engine.ts';
import { fedSpeakerId } from './speakers/feed-session.ts';
import { type Database, openDatabase } from './store/database/database.ts';
import type { DatabaseAddress } from './store/database/database-address.ts';
import { migrate } from './store/database/migrate.ts';
import { waitForDatabase } from './store/database/wait-for-database.ts';
import { serviceId } from './store/holding/router-daemons.ts';
import { PENDING_CHANNEL } from './store/modules/pending-changes.ts';
import { loadSecretBox, type SecretBox } from './store/secrets.ts';
import { version } from './version.ts';

/** Which parts each kind of process runs; the speaker is begun by main.ts. */
const PARTS: Readonly<Record<Service, readonly ('api' | 'worker' | 'scheduler')[]>> = {
  'app-all': ['api', 'worker', 'scheduler'],
  'app-api': ['api'],
  'app-worker': ['worker'],
  'app-scheduler': ['scheduler'],
  'app-speaker': [],
  'app-agent': [],
};

export interface RuntimeContext {
  readonly config: Config;
  readonly logger: Logger;
  /** Where `logger` writes beside standard output; null: nowhere. */
  readonly ownLog: OwnLog | null;
  /** Each part that starts adds how it is stopped. */
  readonly closers: Closers;
  readonly metrics: ProcessMetrics;
  readonly address: DatabaseAddress;
  /** Null in a process that holds no speakers. */
  readonly engine: Promise<BuiltinEngine> | null;
}

/** What the parts of a process have in common. */
interface Tools {
  readonly db: Database;
  readonly boss: Awaited<ReturnType<typeof startBoss>>;
  readonly queue: JobQueue;
  readonly secrets: SecretBox;
  /** Where this process can be reached itself. */
  readonly own: readonly OwnAddress[];
  readonly peerReach: Reach;
  readonly fetch: { readonly reach: Reach };
  readonly asnSource: AsnSource;
  /** Null: this process serves no log files. */
  readonly logs: LogDirectory | null;
  readonly onEvents: (tenantId: string, events: readonly OperatorEvent[]) => void;
}

/** @returns where the API answers; null when the process serves none */
export async function startParts(context: RuntimeContext): Promise<string | null> {
  const { config, logger, closers, metrics, address, engine } = context;
  const parts = PARTS[config.service];
  const logs = servedLogs(config, context.ownLog);
  // The embedded server has been started just now.
  if (config.databaseUrl !== null)
    await waitForDatabase(address, {
      seconds: config.databaseWaitSeconds,
      onWait: (reason) =>
        logger.warn(`Waiting up to ${config.databaseWaitSeconds} s for the database. ${reason}`),
    });
  await migrate(address);
  const counts = new OperatorMetrics(metrics.sums);
  const onEvents = (tenantId: string, events: readonly OperatorEvent[]): void => {
    for (const event of events) {
      counts.count(event);
      operators.write(tenantId, event);
    }
  };
  const own = ownAddresses(ownHosts(config, address));
  const peerReach: Reach = { allow: config.peerAllow, own };
  const db = openDatabase(address, {
    ownAddresses: own,
    onFault: (error) => logger.warn({ err: error }, 'Database connection'),
    onEvents,
  });
  const operators = new OperatorLog(db, logger);
  closers.push('the database', () => operators.close().then(() => db.close()));
  const secrets = loadSecretBox(config.dataDir, config.secretKey);
  const firstKey = await firstStart(db, config.dataDir, config.bootstrapApiKey);
  if (firstKey !== null) showOnce(firstKey, bootstrapKeyPath(config.dataDir));
  const boss = await startBoss(address, (error) => logger.warn({ err: error }, 'Job queue'));
  closers.push('the job queue', () => boss.stop({ graceful: false }));
  const queue = createJobQueue(boss);
  await resumeParkedJobs(db, queue);
  if (engine !== null) await startSpeakers(context, await engine, { db, secrets, own, peerReach, onEvents });
  const fetch = { reach: { allow: config.fetchAllow, own } };
  const asnSource = createAsnSource(config.asn, fetch);
  closers.push('the source of AS numbers', () => Promise.resolve(asnSource.close()));
  const tools = { db, boss, queue, secrets, own, peerReach, fetch, asnSource, logs, onEvents };
  if (parts.includes('worker')) await startWork(context, tools);
  if (parts.includes('scheduler')) startSchedule(context, tools);
  if (!parts.includes('api')) return null;
  const url = await startApi(context, tools);
  if (firstKey !== null) showConsole(config.http.publicUrl ?? url);
  return url;
}

/** Holds speakers over connections of their own: what else the process does keeps no lease from being renewed. */
async function startSpeakers(
  { config, logger, closers, metrics, address }: RuntimeContext,
  engine: BuiltinEngine,
  { db, secrets, own, peerReach, onEvents }: Pick<Tools, 'db' | 'secrets' | 'own' | 'peerReach' | 'onEvents'>,
): Promise<void> {
  const onEvent = (tenantId: string, event: OperatorEvent): void => onEvents(tenantId, [event]);
  const leases = openDatabase(address, {
    ownAddresses: own,
    onFault: (error) => logger.warn({ err: error }, 'Database connection of leases'),
  });
  closers.push('the database of leases', () => leases.close());
  const tools = { db, leases, secrets, peerReach, onEvent };
  const letGo = await holdSpeakers(engine, config.router, tools, logger, metrics);
  closers.push('the speakers', letGo);
}

/** Jobs, and what is sent elsewhere. */
async function startWork(
  { config, logger, closers, metrics }: RuntimeContext,
  { db, boss, queue, secrets, fetch, asnSource, logs }: Tools,
): Promise<void> {
  await resumeLostJobs(db, boss);
  const worker = startWorker({
    ...{ boss, db, handlers: jobTable({ queue, secrets, fetch, asnSource, logs }) },
    onFault: (job, error) =>
      job === null
        ? logger.warn({ err: error }, 'Job queue')
        : logger.error({ err: error, job_id: job.id, job_type: job.type }, 'A job failed unexpectedly'),
  });
  closers.push('the jobs', () => worker.close());
  const webhooks = deliverWebhooks({
    ...{ db, secrets, reach: fetch.reach, onAttempt: countWebhookAttempts(metrics.sums) },
    onFault: (tenantId, error) =>
      logger.warn({ err: error, tenant_id: tenantId }, 'Webhooks could not be served'),
  });
  closers.push('the webhooks', () => webhooks.close());
  if (config.auditPortal === null) return;
  const { openPortal } = await import('./control/audit/audit-portal.ts');
  const portal = deliverAudit({
    ...{ db, portal: openPortal(config.auditPortal) },
    onFault: (tenantId, detail) => logger.warn({ tenant_id: tenantId }, detail),
  });
  closers.push('the audit log of the portal', () => portal.close());
}

function startSchedule({ logger, closers }: RuntimeContext, { db, queue, logs }: Tools): void {
  const onFault = (tenantId: string | null, error: unknown): void =>
    logger.error({ err: error, tenant_id: tenantId }, 'The scheduler could not do what was due');
  const scheduler = startScheduler({ db, queue, onFault }, logs);
  const edits = db.listen(PENDING_CHANNEL, () => scheduler.hint());
  closers.push('the scheduler', () => scheduler.close());
  closers.push('the hints of edits', () => Promise.resolve(edits.close()));
}

/** @returns where it answers */
async function startApi(
  { config, logger, closers, metrics, address }: RuntimeContext,
  { db, queue, secrets, own, peerReach, fetch, asnSource, logs, onEvents }: Tools,
): Promise<string> {
  if (config.auditPortal !== null) observeAuditOutbox(db, metrics.sums, logger);
  observeFleet(db, metrics.named, logger);
  observePostgres(db, metrics.named, logger);
  if (logs !== null) observeLogs(logs, metrics.named);
  const requests = openDatabase(address, {
    forRequests: true,
    ownAddresses: own,
    isOwnServer: config.databaseUrl === null,
    onFault: (error) => logger.warn({ err: error }, 'Database connection of requests'),
    onEvents,
  });
  closers.push('the database of requests', () => requests.close());
  const server = await createServer({
    ...{ db: requests, queue, secrets, fetch, asnSource, peerReach },
    ...{ drivenDaemons: drivenDaemons(config.router), logs, http: config.http, logger, metrics, version },
    startedAt: performance.now(),
  });
  closers.push('the API', () => server.close());
  return server.listen({
    host: config.http.host,
    port: config.http.port,
    listenTextResolver: (url) => `The API of version ${version.version} answers at ${url}`,
  });
}

/** Only a process that does everything serves log files: of several, each would have others. */
function servedLogs({ service, runtimeLogsDir }: Config, ownLog: OwnLog | null): LogDirectory | null {
  return service === 'app-all' && runtimeLogsDir !== null ? new LogDirectory(runtimeLogsDir, ownLog) : null;
}

/** The builtin speaker, and the daemon of this machine if the configuration names one. */
function drivenDaemons(router: Config['router']): readonly Daemon[] {
  return router === null ? ['builtin'] : ['builtin', router.daemon];
}

/** Where this process can be reached, and its database: never announced, whoever lists it. */
function ownHosts({ http, bgpListen }: Config, address: DatabaseAddress): OwnHost[] {
  const databaseHost = 'host' in address ? address.host : URL.parse(address.connectionString)?.hostname;
  const publicHost = http.publicUrl === null ? undefined : URL.parse(http.publicUrl)?.hostname;
  return [
    { host: http.host, of: 'this service' },
    { host: publicHost ?? '', of: 'this service' },
    { host: bgpListen.host, of: 'the builtin speaker' },
    { host: databaseHost ?? '', of: 'the database' },
  ];
}

/** Starts the loop that holds speakers; answers how to stop it. */
async function holdSpeakers(
  engine: BuiltinEngine,
  router: Config['router'],
  {
    db,
    leases,
    secrets,
    peerReach,
    onEvent,
  }: Required<Pick<SpeakerHolderOptions, 'db' | 'leases' | 'secrets' | 'peerReach' | 'onEvent'>>,
  logger: Logger,
  metrics: ProcessMetrics,
): Promise<() => Promise<void>> {
  const service = await db.inSystem(serviceId);
  const local = router === null ? null : await localDrivers(router, engine, service);
  const holder = new SpeakerHolder({
    ...{ db, leases, secrets, onEvent },
    daemons: drivenDaemons(router),
    driverOf: (daemon, speakerId) =>
      daemon === local?.daemon ? local.driver(speakerId) : engine.driver(speakerId),
    peerReach,
    shared: new Map(local?.shared === undefined ? [] : [[local.daemon, local.shared]]),
    onFault: (speakerId, error) => logger.warn({ err: error, speaker_id: speakerId }, 'Speaker'),
  });
  new Gauge({
    name: 'prefixcast_speakers_held',
    help: 'Speakers that this process holds by its leases.',
    registers: [metrics.sums],
    collect() {
      this.set(holder.count);
    },
  });
  holder.start();
  const forget = engine.onSessionChange(({ speakerId: id }) => holder.hintSpeaker(fedSpeakerId(id)));
  return async () => {
    forget();
    await holder.close();
  };
}

/** The drivers of routing daemons are many, and a service has one of them or none. */
async function localDrivers(
  router: RouterConfig,
  engine: BuiltinEngine,
  service: string,
): Promise<RouterDrivers> {
  const { routerDrivers } = await import('./router-drivers.ts');
  return routerDrivers(router, (id) => engine.driver(id), service);
}

/** Beside the key, for whoever has read nothing: where it is to be typed. */
function showConsole(url: string): void {
  process.stderr.write(`\nSign in with it at ${new URL('console/', `${url.replace(/\/$/, '')}/`).href}\n\n`);
}

/** Past the log on purpose: logs are kept and copied, keys are not for that. */
function showOnce(key: string, path: string): void {
  process.stderr.write(`\nThe first API key, shown only now and kept in ${path}:\n\n    ${key}\n\n`);
}
