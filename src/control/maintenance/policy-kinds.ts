/** What each kind of policy does: what a run would remove, and the run itself. */
import type { AuditAction } from '../../api/activity/audit.ts';
import type { MaintenanceKind } from '../../api/operation/maintenance.ts';
import type { PostgresOperation } from '../../api/operation/postgres.ts';
import type { RuntimeLogCleanup } from '../../api/operation/runtime-logs.ts';
import { Problem } from '../../api/problems/problem.ts';
import type { LogDirectory } from '../../logs/log-directory.ts';
import { estimateAuditPrune, type OldRecords, pruneAudit } from '../../store/audit/audit-prune.ts';
import { recordAudit } from '../../store/audit/audit.ts';
import type { Database, TenantTx } from '../../store/database/database.ts';
import { lockTenant } from '../../store/database/locks.ts';
import { estimateJobPrune, pruneJobs } from '../../store/jobs/job-prune.ts';
import { readDatabaseTime } from '../../store/maintenance/policies.ts';
import { readIndexes, readTables } from '../../store/postgres/tables.ts';
import type { Removal } from '../../store/removal.ts';
import { nameEstimate, namePruned, type NamedPrune } from '../../store/revisions/revision-prune.ts';
import { oldestSent } from '../../store/rollout/sent-attributes.ts';
import { getSetting } from '../../store/tenants/settings.ts';
import { type JobContext, JobPause } from '../job.ts';
import { performMaintenance, requireTables } from './postgres.ts';
import type { PolicyParameters } from './policy-parameters.ts';
import {
  type Cleaner,
  cleanLogsByLimits,
  estimateLogCleanup,
  type LogLimits,
  readLogLimits,
} from './runtime-logs.ts';

/** What work may need beside the database. */
export interface PolicyTools {
  /** Null: this process has no log files. */
  readonly logs: LogDirectory | null;
}

/** A run of a policy. */
export interface PolicyRun extends PolicyTools, Pick<JobContext, 'job' | 'signal' | 'progress'> {
  readonly db: Database;
  readonly tenantId: string;
  /** How its effects are signed in the audit log. */
  readonly cleaner: Cleaner & { readonly policyId: string };
}

/** The last part of a run, in the transaction that ends its job. */
type LastPart = (tx: TenantTx) => Promise<Removal>;

interface PolicyKind<Parameters> {
  estimate(tx: TenantTx, parameters: Parameters, tools: PolicyTools): Promise<Removal>;
  run(run: PolicyRun, parameters: Parameters): Promise<LastPart>;
}

/** Rows that one transaction removes, so that it blocks nobody for long. */
const AT_ONCE = 10_000;
/** Names that an effect has, and a record of the audit log. */
export const NAMED = 100;
/** How long a run looks for a process that has the log files: some looks of each. */
const OTHERS_MILLISECONDS = 120_000;
const MINUTES_OF_A_DAY = 24 * 60;

export const POLICY_KINDS: { readonly [Kind in MaintenanceKind]: PolicyKind<PolicyParameters[Kind]> } = {
  revision_prune: {
    estimate: async (tx, parameters) =>
      removalOf(await nameEstimate(tx, await retention(tx, parameters), parameters.keep_last)),
    run: (run, parameters) =>
      Promise.resolve(async (tx) => {
        await lockTenant(tx, 'revision');
        const minutes = await retention(tx, parameters);
        const removal = removalOf(await namePruned(tx, minutes, parameters.keep_last));
        await record(tx, run, 'revision.prune', removal);
        return removal;
      }),
  },
  job_prune: {
    estimate: estimateJobPrune,
    run: (run, parameters) =>
      inParts(run, 'job.prune', {
        estimate: (tx) => estimateJobPrune(tx, parameters),
        remove: (tx) => pruneJobs(tx, parameters, AT_ONCE),
      }),
  },
  audit_prune: {
    estimate: async (tx, parameters) => estimateAuditPrune(tx, await oldRecords(tx, parameters)),
    run: (run, parameters) =>
      inParts(run, 'audit.prune', {
        estimate: async (tx) => estimateAuditPrune(tx, await oldRecords(tx, parameters)),
        remove: async (tx) => pruneAudit(tx, await oldRecords(tx, parameters), AT_ONCE),
      }),
  },
  runtime_logs_cleanup: {
    estimate: async (tx, parameters, tools) => {
      return cleanupOf(await estimateLogCleanup(logsOf(tools), await logLimits(tx, parameters)));
    },
    run: async (run, parameters) => {
      const directory = await logsOfRun(run);
      return async (tx) => {
        const limits = await logLimits(tx, parameters);
        return cleanupOf(await cleanLogsByLimits(tx, directory, limits, run.cleaner, null));
      };
    },
  },
  postgres_vacuum: postgresKind('vacuum'),
  postgres_analyze: postgresKind('analyze'),
  postgres_reindex: postgresKind('reindex'),
};

async function oldRecords(
  tx: TenantTx,
  { older_than_days: days }: PolicyParameters['audit_prune'],
): Promise<OldRecords> {
  return { days, unsentSince: await oldestSent(tx) };
}

/** The tables that the operation looks after, and the room that it makes free, which an estimate can but guess. */
function postgresKind(operation: PostgresOperation): PolicyKind<PolicyParameters['postgres_vacuum']> {
  return {
    estimate: async (tx, { tables: wanted }) => {
      await requireTables(tx, wanted, '/parameters/tables/*');
      const isWanted = (name: string): boolean => wanted.length === 0 || wanted.includes(name);
      const tables = (await readTables(tx)).filter(({ name }) => isWanted(name));
      const indexes = (await readIndexes(tx)).filter(({ table }) => isWanted(table));
      const bloated = { vacuum: tables, analyze: [], reindex: indexes }[operation];
      return {
        count: tables.length,
        bytes: bloated.reduce((sum, { bloat_bytes: bytes }) => sum + bytes, 0),
        names: tables.slice(0, NAMED).map(({ name }) => name),
      };
    },
    run: async (run, { tables: wanted }) => {
      const { tables, bytesBefore, bytesAfter } = await performMaintenance(run, operation, wanted);
      const bytes = Math.max(0, bytesBefore - bytesAfter);
      const removal = { count: tables.length, bytes, names: tables.slice(0, NAMED) };
      return async (tx) => {
        await record(tx, run, `postgres.${operation}`, removal);
        return removal;
      };
    },
  };
}

/** Removes rows some at a time, each with its record in one transaction: whatever ends the run, the log says what is gone. */
async function inParts(
  run: PolicyRun,
  action: AuditAction,
  work: {
    readonly estimate: (tx: TenantTx) => Promise<Removal>;
    readonly remove: (tx: TenantTx) => Promise<Removal>;
  },
): Promise<LastPart> {
  const { db, tenantId, signal, progress } = run;
  const { count: total } = await db.inTenant(tenantId, work.estimate);
  let removed: Removal = { count: 0, bytes: 0, names: [] };
  for (;;) {
    progress('remove', removed.count, total);
    signal.throwIfAborted();
    const part = await db.inTenant(tenantId, async (tx) => {
      const removal = await work.remove(tx);
      if (removal.count > 0) await record(tx, run, action, removal);
      return removal;
    });
    removed = sum(removed, part);
    if (part.count < AT_ONCE) return () => Promise.resolve(removed);
  }
}

function sum(a: Removal, b: Removal): Removal {
  return {
    count: a.count + b.count,
    bytes: a.bytes + b.bytes,
    names: [...a.names, ...b.names].slice(0, NAMED),
  };
}

async function record(
  tx: TenantTx,
  { cleaner }: PolicyRun,
  action: AuditAction,
  removal: Removal,
): Promise<void> {
  const after = { count: removal.count, bytes: removal.bytes, names: removal.names.slice(0, NAMED) };
  await recordAudit(tx, { ...cleaner, action, changes: { after } });
}

async function retention(
  tx: TenantTx,
  { older_than_days: days }: PolicyParameters['revision_prune'],
): Promise<number> {
  return days === null ? getSetting(tx, 'revision_retention_minutes') : days * MINUTES_OF_A_DAY;
}

function removalOf({ revisions, bytes, numbers }: NamedPrune): Removal {
  return { count: revisions, bytes, names: numbers.map((number) => `revision ${number}`) };
}

function cleanupOf({ files, freed_bytes }: RuntimeLogCleanup): Removal {
  return { count: files.length, bytes: freed_bytes, names: files.slice(0, NAMED).map(({ name }) => name) };
}

async function logLimits(
  tx: TenantTx,
  { max_file_bytes, max_total_bytes, mode }: PolicyParameters['runtime_logs_cleanup'],
): Promise<LogLimits> {
  const settings = await readLogLimits(tx);
  return {
    mode: mode ?? settings.mode,
    max_file_bytes: max_file_bytes ?? settings.max_file_bytes,
    max_total_bytes: max_total_bytes ?? settings.max_total_bytes,
  };
}

/** @throws {Problem} `runtime_logs_unavailable` */
function logsOf({ logs }: PolicyTools): LogDirectory {
  if (logs !== null) return logs;
  throw new Problem(
    'runtime_logs_unavailable',
    'The process that does this has no log files. Only one with APP_SERVICE=app-all and APP_RUNTIME_LOGS_DIR cleans them.',
  );
}

/**
 * Of several processes that run jobs, only one may have the log files.
 * @throws {JobPause} for a while, so that it may take the job; then {Problem} `runtime_logs_unavailable`
 */
async function logsOfRun({ db, tenantId, job, ...tools }: PolicyRun): Promise<LogDirectory> {
  if (tools.logs !== null) return tools.logs;
  // Times of jobs are the database's, and this machine may have another clock.
  const now = await db.inTenant(tenantId, readDatabaseTime);
  if (now.getTime() - Date.parse(job.started_at ?? job.queued_at) < OTHERS_MILLISECONDS)
    throw new JobPause(
      1,
      { phase: 'waiting for a process with log files', done: 0, total: null },
      { isForOthers: true },
    );
  return logsOf(tools);
}
