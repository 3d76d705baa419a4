/**
 * The only place that wires: configuration in, the parts that `APP_SERVICE` asks for started in order, and on a signal stopped
 * in the opposite order. Whatever has been started when something fails is stopped again.
 */
import { mkdirSync } from 'node:fs';
import { pino, type Logger } from 'pino';
import { Registry, collectDefaultMetrics } from 'prom-client';
import type { Config, Service } from './config.ts';
import { SPEAKERS_CHANNEL } from './control/apply-revision.ts';
import { bootstrapKeyPath, firstStart } from './control/first-start.ts';
import { SpeakerHolder } from './control/hold-speakers.ts';
import { createServer } from './http/server.ts';
import { jobTable } from './jobs/job-table.ts';
import { createJobQueue, startBoss } from './jobs/queue.ts';
import { startWorker } from './jobs/worker.ts';
import { createAsnSource } from './sources/asn-choice.ts';
import { BuiltinEngine } from './speakers/builtin/engine.ts';
import { openDatabase, type Database } from './store/database.ts';
import type { DatabaseAddress } from './store/database-address.ts';
import { startEmbeddedServer } from './store/embedded/embedded-server.ts';
import { migrate } from './store/migrate.ts';
import { loadSecretBox, type SecretBox } from './store/secrets.ts';
import { explainStartFault, StartFault } from './start-fault.ts';
import { version } from './version.ts';

/** Which parts each kind of process runs. */
const PARTS: Readonly<Record<Service, { api: boolean; worker: boolean; speaker: boolean }>> = {
  'app-all': { api: true, worker: true, speaker: true },
  'app-api': { api: true, worker: false, speaker: false },
  'app-worker': { api: false, worker: true, speaker: false },
  'app-scheduler': { api: false, worker: false, speaker: false },
  'app-speaker': { api: false, worker: false, speaker: true },
  'app-agent': { api: false, worker: false, speaker: false },
};

export interface RunningService {
  /** Where the API answers; null when this process serves none. */
  readonly url: string | null;
  /** Ends what runs: requests finish, jobs go back to the queue, peers keep their routes. */
  close(): Promise<void>;
}

/** Runs the service until SIGTERM or SIGINT. */
export async function runService(config: Config): Promise<void> {
  const logger = createLogger(config);
  let running: RunningService;
  try {
    running = await startService(config, logger);
  } catch (error) {
    const explanation = explainStartFault(error, config);
    if (explanation === null) logger.fatal({ err: error }, 'The service could not start');
    else process.stderr.write(`The service could not start. ${explanation}\n`);
    process.exitCode = 1;
    return;
  }
  const signal = await new Promise<string>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => resolve(name));
  });
  logger.info({ signal }, 'Stopping');
  await running.close();
}

/** Starts the parts of the process's role. */
export async function startService(config: Config, logger: Logger): Promise<RunningService> {
  if (config.service === 'app-agent')
    throw new StartFault('APP_SERVICE=app-agent: this version has no node agent yet. Use app-all.');
  const parts = PARTS[config.service];
  const closers: (() => Promise<void>)[] = [];
  const closeAll = async (): Promise<void> => {
    for (let close = closers.pop(); close !== undefined; close = closers.pop()) {
      await close().catch((error: unknown) => logger.error({ err: error }, 'A part did not stop cleanly'));
    }
  };
  try {
    mkdirSync(config.dataDir, { recursive: true });
    // The speaker's thread loads while the database starts.
    const engine = parts.speaker ? beginSpeaker(config, logger, closers) : null;
    const address = await databaseAddress(config, logger, closers);
    await migrate(address);
    const db = openDatabase(address, {
      onFault: (error) => logger.warn({ err: error }, 'Database connection'),
    });
    closers.push(() => db.close());
    const secrets = loadSecretBox(config.dataDir, config.secretKey);
    const firstKey = await firstStart(db, config.dataDir, config.bootstrapApiKey);
    if (firstKey !== null) showOnce(firstKey, bootstrapKeyPath(config.dataDir));
    const boss = await startBoss(address, {
      supervise: parts.worker || config.service === 'app-scheduler',
      onFault: (error) => logger.warn({ err: error }, 'Job queue'),
    });
    closers.push(() => boss.stop({ graceful: false }));
    const queue = createJobQueue(boss);
    if (engine !== null) closers.push(holdSpeakers(await engine, db, secrets, logger));
    if (parts.worker) {
      const fetch = { fetchAllow: config.fetchAllow };
      const asnSource = createAsnSource(config.asn, fetch);
      closers.push(() => Promise.resolve(asnSource.close()));
      const handlers = jobTable({ queue, secrets, fetch, asnSource });
      const onFault = (job: { id: string; type: string }, error: unknown): void =>
        logger.error({ err: error, job_id: job.id, job_type: job.type }, 'A job failed unexpectedly');
      const worker = await startWorker({ boss, db, handlers, onFault });
      closers.push(() => worker.close());
    }
    if (!parts.api) return { url: null, close: closeAll };
    const metrics = new Registry();
    collectDefaultMetrics({ register: metrics });
    const server = await createServer({ db, queue, secrets, http: config.http, logger, metrics, version });
    closers.push(() => server.close());
    const url = await server.listen({ host: config.http.host, port: config.http.port });
    logger.info({ url, version: version.version }, `The API answers at ${url}`);
    return { url, close: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function databaseAddress(
  config: Config,
  logger: Logger,
  closers: (() => Promise<void>)[],
): Promise<DatabaseAddress> {
  if (config.databaseUrl !== null) return { connectionString: config.databaseUrl };
  const server = await startEmbeddedServer(config.dataDir, {
    onRestart: (error) => {
      if (error === null) logger.warn('The embedded PostgreSQL had died and runs again');
      else logger.error({ err: error }, 'The embedded PostgreSQL died and does not start; it is tried again');
    },
  });
  closers.push(() => server.close());
  logger.info({ adopted: !server.started, data_dir: config.dataDir }, 'The embedded PostgreSQL runs');
  return server.address;
}

/** Starts the thread of the builtin speaker; no session opens before somebody holds a speaker. */
function beginSpeaker(
  config: Config,
  logger: Logger,
  closers: (() => Promise<void>)[],
): Promise<BuiltinEngine> {
  const engine = new BuiltinEngine({
    listen: config.bgpListen,
    version: version.version,
    log: logger.child({ component: 'speaker' }),
  });
  closers.push(() => engine.close(true));
  const started = engine.start().then(() => engine);
  started.catch(() => undefined); // told where it is awaited, unless the start failed before for another reason
  return started;
}

/** Starts the loop that holds speakers; answers how to stop it. */
function holdSpeakers(
  engine: BuiltinEngine,
  db: Database,
  secrets: SecretBox,
  logger: Logger,
): () => Promise<void> {
  const holder = new SpeakerHolder({
    db,
    secrets,
    daemons: ['builtin'],
    driverOf: (_daemon, speakerId) => engine.driver(speakerId),
    onFault: (speakerId, error) => logger.warn({ err: error, speaker_id: speakerId }, 'Speaker'),
  });
  holder.start();
  const hints = db.listen(SPEAKERS_CHANNEL, () => holder.hint());
  const forget = engine.onSessionChange(() => holder.hint());
  return async () => {
    forget();
    hints.close();
    await holder.close();
  };
}

/** Past the log on purpose: logs are kept and copied, keys are not for that. */
function showOnce(key: string, path: string): void {
  process.stderr.write(`\nThe first API key, shown only now and kept in ${path}:\n\n    ${key}\n\n`);
}

function createLogger({ log, service }: Config): Logger {
  const pretty = {
    target: 'pino-pretty',
    options: { translateTime: 'SYS:HH:MM:ss', ignore: 'pid,hostname,service' },
  };
  return pino({
    level: log.level,
    base: { service, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    // Errors of drivers carry their whole connection; what helps is this.
    serializers: { err: toLogged },
    redact: ['req.headers.authorization', 'headers.authorization', 'password', 'secret'],
    ...(log.format === 'pretty' ? { transport: pretty } : {}),
  });
}

/** Whatever was thrown; a log line must never be the fault that ends the process. */
function toLogged(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, code, stack, cause } = error as NodeJS.ErrnoException;
  return { type: name, message, code, stack, ...(cause === undefined ? {} : { cause: toLogged(cause) }) };
}
