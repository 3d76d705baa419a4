/** Looking after PostgreSQL: vacuums, analyzes and reindexes the tables of the service while it runs. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { PostgresMaintenanceResult } from '../../api/activity/job-results.ts';
import type { Job } from '../../api/activity/jobs.ts';
import type { PostgresMaintenance, PostgresOperation } from '../../api/operation/postgres.ts';
import { Problem, fieldProblem } from '../../api/problems/problem.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { findOpenMaintenance, MaintenanceSession } from '../../store/postgres/maintenance.ts';
import { listOurTables, readIndexes, readTables } from '../../store/postgres/tables.ts';
import { type JobCommit, type JobContext, JobPause, type JobQueue } from '../job.ts';

/** How often it is looked how far a statement is, and whether the job was cancelled. */
const LOOK_MILLISECONDS = 250;
/** How soon it is looked again whether another run has ended. */
const PAUSE_SECONDS = 5;
/** Others hold a table for a moment, or the server ends whichever of two waits for the other. */
const TRIES = 3;
const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK_DETECTED = '40P01';
const UNDEFINED_TABLE = '42P01';

/** What a run has done. */
export interface Maintained {
  readonly tables: readonly string[];
  /** Of these tables and their indexes. */
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  /** Indexes that an earlier run had left behind. */
  readonly leftovers: readonly string[];
}

/** @throws {Problem} `maintenance_running`, `validation_failed` */
export async function requestPostgresMaintenance(
  tx: TenantTx,
  queue: JobQueue,
  actor: string,
  { operation, table }: PostgresMaintenance,
): Promise<Job> {
  if (table !== undefined) await requireTables(tx, [table], '/table');
  const open = await findOpenMaintenance(tx);
  if (open !== null)
    throw new Problem(
      'maintenance_running',
      `The job ${open.jobId} looks after PostgreSQL, and one at a time is enough. Wait for its end, or have its tenant cancel it.`,
    );
  return queue.enqueue(tx, {
    type: 'postgres_maintenance',
    input: { operation, table: table ?? null },
    resource: null,
    requestedBy: actor,
    parentId: null,
  });
}

/** @throws {Problem} `validation_failed` for the first that is none of ours */
export async function requireTables(tx: TenantTx, names: readonly string[], pointer: string): Promise<void> {
  const ours = new Set(names.length === 0 ? [] : await listOurTables(tx));
  const index = names.findIndex((name) => !ours.has(name));
  if (index >= 0)
    throw fieldProblem(
      pointer.replace('*', String(index)),
      `${JSON.stringify(names[index])} is not a table of the service. \`tables\` of GET /v1/postgres/metrics lists them.`,
    );
}

/** The job `postgres_maintenance`. */
export async function maintainPostgres(context: JobContext): Promise<JobCommit<PostgresMaintenanceResult>> {
  const { operation, table } = context.input as { operation: PostgresOperation; table: string | null };
  const done = await performMaintenance(context, operation, table === null ? [] : [table]);
  return () =>
    Promise.resolve({
      ...{ operation, tables: done.tables.length },
      ...{
        bytes_before: done.bytesBefore,
        bytes_after: done.bytesAfter,
        leftovers_removed: [...done.leftovers],
      },
    });
}

/**
 * @param wanted none: all tables
 * @throws {JobPause} while another run is at work
 */
export async function performMaintenance(
  { db, tenantId, signal, progress }: Pick<JobContext, 'db' | 'tenantId' | 'signal' | 'progress'>,
  operation: PostgresOperation,
  wanted: readonly string[],
): Promise<Maintained> {
  const session = await MaintenanceSession.begin(() => db.connectApart());
  if (session === null)
    throw new JobPause(PAUSE_SECONDS, { phase: 'waiting for another run', done: 0, total: null });
  const isReindex = operation === 'reindex';
  try {
    // Left by an interrupted run.
    const leftovers = await session.removeLeftovers();
    const read = () => db.inTenant(tenantId, (tx) => measure(tx, wanted));
    const before = await read();
    for (const [index, name] of before.names.entries()) {
      const report = (phase: string): void => progress(phase, index, before.names.length);
      await performOne(session, operation, name, signal, report);
    }
    progress(operation, before.names.length, before.names.length);
    return { tables: before.names, bytesBefore: before.bytes, bytesAfter: (await read()).bytes, leftovers };
  } finally {
    // A connection that broke has nothing to remove; the next run does.
    if (isReindex) await session.removeLeftovers().catch(() => undefined);
    await session.end();
  }
}

async function measure(tx: TenantTx, wanted: readonly string[]): Promise<{ names: string[]; bytes: number }> {
  const isWanted = (name: string): boolean => wanted.length === 0 || wanted.includes(name);
  const tables = (await readTables(tx)).filter(({ name }) => isWanted(name));
  const indexes = (await readIndexes(tx)).filter(({ table }) => isWanted(table));
  const bytes = [...tables, ...indexes].reduce((sum, { bytes: size }) => sum + size, 0);
  return { names: tables.map(({ name }) => name), bytes };
}

async function performOne(
  session: MaintenanceSession,
  operation: PostgresOperation,
  name: string,
  signal: AbortSignal,
  report: (phase: string) => void,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    signal.throwIfAborted();
    try {
      return await watched(session, operation, name, signal, report);
    } catch (error) {
      signal.throwIfAborted();
      const code = error instanceof pg.DatabaseError ? error.code : undefined;
      if (code === UNDEFINED_TABLE) return; // dropped meanwhile
      if (tries >= TRIES || (code !== LOCK_NOT_AVAILABLE && code !== DEADLOCK_DETECTED)) throw error;
      if (operation === 'reindex') await session.removeLeftovers();
    }
  }
}

/** Runs the statement, reports its progress, and cancels it when the job is cancelled. */
async function watched(
  session: MaintenanceSession,
  operation: PostgresOperation,
  name: string,
  signal: AbortSignal,
  report: (phase: string) => void,
): Promise<void> {
  let isEnded = false;
  const work = session.perform(operation, name).finally(() => (isEnded = true));
  const quiet = work.catch(() => undefined);
  while (!isEnded) {
    if (signal.aborted) await session.cancel();
    else {
      const at = await session.progress(operation);
      const share = at === null || at.total === 0 ? '' : `, ${Math.floor((100 * at.done) / at.total)} %`;
      report(`${operation} ${name}${at === null ? '' : ` (${at.phase}${share})`}`);
    }
    await Promise.race([quiet, sleep(LOOK_MILLISECONDS)]);
  }
  await work;
}
