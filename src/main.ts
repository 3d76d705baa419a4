/**
 * Starts a process of the service and stops it on a signal. The database and the speaker's thread take longest to start, so they
 * begin first, and the rest of the program loads beside them: this file imports only what that takes, and parts.ts everything
 * else. Both together, and agent-parts.ts for a node, are the only place that wires. Whatever has been started when something fails is stopped again.
 */
import { join } from 'node:path';
import { pino, type Logger } from 'pino';
import { OWN_LOG_NAME } from './api/operation/runtime-logs.ts';
import type { Config } from './config/config.ts';
import type { ProcessMetrics } from './http/metrics/scrapes.ts';
import { Closers } from './closers.ts';
import { makeDataDirectory } from './data-directory.ts';
import { OwnLog } from './logs/own-log.ts';
import { BuiltinEngine } from './speakers/builtin/engine.ts';
import type { DatabaseAddress } from './store/database/database-address.ts';
import { startEmbeddedServer } from './store/embedded/embedded-server.ts';
import { exitCodeOf, explainStartFault } from './start-fault.ts';
import { version } from './version.ts';

/** Longer than the embedded PostgreSQL takes, whatever is wrong. */
const POSTGRES_MS = 90_000;

/** For what a part that was left behind may still come to. */
const LEFT_MS = 1_000;

export interface RunningService {
  /** Where the API answers; null when this process serves none. */
  readonly url: string | null;
  /** Ends what runs: requests finish, jobs go back to the queue, peers keep their routes. */
  close(): Promise<void>;
}

/** Runs the service until SIGTERM or SIGINT. Resolves to the exit code. */
export async function runService(config: Config): Promise<number> {
  const ownLog = openOwnLog(config);
  const logger = createLogger(config, ownLog);
  for (const warning of config.warnings) logger.warn(warning);
  let running: RunningService;
  try {
    running = await startService(config, logger, ownLog);
  } catch (error) {
    const explanation = explainStartFault(error, config);
    if (explanation === null) logger.fatal({ err: error }, 'The service could not start');
    else process.stderr.write(`The service could not start. ${explanation}\n`);
    return exitCodeOf(error);
  }
  const signal = await new Promise<string>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => resolve(name));
  });
  logger.info({ signal }, 'Stopping');
  await running.close();
  ownLog?.close();
  // What was left behind keeps the process from ending by itself.
  setTimeout(() => process.exit(0), LEFT_MS).unref();
  return 0;
}

/** Starts what the process's role asks for. */
export async function startService(
  config: Config,
  logger: Logger,
  ownLog: OwnLog | null = null,
): Promise<RunningService> {
  const closers = new Closers();
  const closeAll = async (): Promise<void> => {
    await closers.close((part, error) => logger.error({ err: error, part }, 'A part did not stop cleanly'));
  };
  try {
    if (config.service === 'app-agent') {
      const metrics = await beginMetrics(config, logger, closers);
      const { startAgent } = await import('./agent-parts.ts');
      await startAgent(config, logger, closers, metrics);
      return { url: null, close: closeAll };
    }
    makeDataDirectory(config.dataDir);
    const holdsSpeakers = config.service === 'app-all' || config.service === 'app-speaker';
    const engine = holdsSpeakers ? beginSpeaker(config, logger, closers) : null;
    const metrics = beginMetrics(config, logger, closers);
    const address = databaseAddress(config, logger, closers);
    const parts = import('./parts.ts');
    // When one fails, the other must not be still starting while all is being stopped.
    await Promise.allSettled([metrics, address, parts]);
    const { startParts } = await parts;
    const url = await startParts({
      config,
      logger,
      ownLog,
      closers,
      metrics: await metrics,
      address: await address,
      engine,
    });
    return { url, close: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function databaseAddress(config: Config, logger: Logger, closers: Closers): Promise<DatabaseAddress> {
  if (config.databaseUrl !== null) return { connectionString: config.databaseUrl };
  const server = await startEmbeddedServer(config.dataDir, {
    onRestart: (error) => {
      if (error === null) logger.warn('The embedded PostgreSQL had died and runs again');
      else logger.error({ err: error }, 'The embedded PostgreSQL died and does not start; it is tried again');
    },
  });
  // It ends by itself in time, and then by force.
  closers.push('the embedded PostgreSQL', () => server.close(), POSTGRES_MS);
  logger.info({ adopted: !server.started, data_dir: config.dataDir }, 'The embedded PostgreSQL runs');
  return server.address;
}

/** Health is answered before anything else runs, also while the database is waited for. */
async function beginMetrics(config: Config, logger: Logger, closers: Closers): Promise<ProcessMetrics> {
  const { startMetrics } = await import('./process-metrics.ts');
  return startMetrics(config, logger, closers);
}

/** Starts the thread of the builtin speaker; no session opens before somebody holds a speaker. */
function beginSpeaker(config: Config, logger: Logger, closers: Closers): Promise<BuiltinEngine> {
  const engine = new BuiltinEngine({
    listen: config.bgpListen,
    version: version.version,
    log: logger.child({ component: 'speaker' }),
  });
  closers.push('the sessions', () => engine.close(true));
  const started = engine.start().then(() => engine);
  started.catch(() => undefined); // reported where it is awaited, unless the start failed before for another reason
  return started;
}

/** The log beside standard output, where the API serves it; null: this process serves no log files. */
function openOwnLog({ service, runtimeLogsDir }: Config): OwnLog | null {
  if (service !== 'app-all' || runtimeLogsDir === null) return null;
  return new OwnLog(join(runtimeLogsDir, OWN_LOG_NAME), OWN_LOG_NAME);
}

function createLogger({ log, service }: Config, ownLog: OwnLog | null): Logger {
  const pretty = {
    target: 'pino-pretty',
    options: { translateTime: 'SYS:HH:MM:ss', ignore: 'pid,hostname,service' },
  };
  const output = log.format === 'pretty' ? pino.transport(pretty) : pino.destination(1);
  const all = ownLog === null ? [output] : [output, ownLog];
  return pino(
    {
      level: log.level,
      base: { service, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      // Errors of drivers carry their whole connection; what helps is this.
      serializers: { err: toLogged },
      redact: ['req.headers.authorization', 'headers.authorization', 'password', 'secret'],
    },
    all.length === 1 ? output : pino.multistream(all.map((stream) => ({ level: 'trace', stream }))),
  );
}

/** Whatever was thrown; a log line must never be the fault that ends the process. */
function toLogged(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, code, stack, cause } = error as NodeJS.ErrnoException;
  return { type: name, message, code, stack, ...(cause === undefined ? {} : { cause: toLogged(cause) }) };
}
