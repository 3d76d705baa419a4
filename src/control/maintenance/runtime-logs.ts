/** Cleaning log files of the machine: one that somebody names, or those that the tenant's settings call too large. */
import { constants } from 'node:fs';
import { Problem } from '../../api/problems/problem.ts';
import {
  MAXIMUM_DELETE_BYTES,
  type RuntimeLogCandidate,
  type RuntimeLogCleanup,
  type RuntimeLogFile,
  type RuntimeLogMode,
} from '../../api/operation/runtime-logs.ts';
import type { LogDirectory, LogFile, OpenLog } from '../../logs/log-directory.ts';
import type { Page } from '../../api/shapes/page.ts';
import { recordAudit } from '../../store/audit/audit.ts';
import type { TenantTx } from '../../store/database/database.ts';
import type { NamedPage } from '../../store/database/pagination.ts';
import { getSetting, getSettings } from '../../store/tenants/settings.ts';

/** As many files as a record names. */
const NAMED = 100;

/** What a cleanup goes by. */
export type LogLimits = Pick<RuntimeLogCleanup, 'mode' | 'max_file_bytes' | 'max_total_bytes'>;

/** Who cleans, for the audit log. */
export interface Cleaner {
  readonly actor: string;
  readonly requestId?: string;
  readonly address?: string;
  readonly policyId?: string;
}

export async function listRuntimeLogs(
  directory: LogDirectory,
  maximumBytes: number,
  page: NamedPage,
): Promise<Page<RuntimeLogFile>> {
  const files = await directory.list(page.after, page.count);
  return page.pageOf(files.map((file) => ({ ...file, over_threshold: file.size > maximumBytes })));
}

export function readMaximumFileBytes(tx: TenantTx): Promise<number> {
  return getSetting(tx, 'runtime_logs_max_file_bytes');
}

export async function readLogLimits(tx: TenantTx): Promise<LogLimits> {
  const settings = await getSettings(tx, [
    'runtime_logs_auto_mode',
    'runtime_logs_max_file_bytes',
    'runtime_logs_max_total_bytes',
  ]);
  return {
    mode: settings.runtime_logs_auto_mode,
    max_file_bytes: settings.runtime_logs_max_file_bytes,
    max_total_bytes: settings.runtime_logs_max_total_bytes,
  };
}

/**
 * Empties or removes one file. The record is written first: a file that stays as it was leaves none, since its fault rolls it back.
 * @throws {Problem} `not_found`, `runtime_log_too_large`, `runtime_logs_unavailable`
 */
export async function cleanRuntimeLog(
  tx: TenantTx,
  directory: LogDirectory,
  name: string,
  mode: RuntimeLogMode,
  { isTrial = false, ...cleaner }: Cleaner & { readonly isTrial?: boolean },
): Promise<void> {
  await withOpen(directory, name, mode, async (open) => {
    if (open.size > MAXIMUM_DELETE_BYTES)
      throw new Problem(
        'runtime_log_too_large',
        `${name} has ${open.size} bytes, and ${MAXIMUM_DELETE_BYTES} is the most that is cleaned at once. Let POST /v1/runtime-logs/auto-run clean it.`,
      );
    await recordAudit(tx, {
      ...cleaner,
      action: `runtime_logs.${mode}`,
      resource: { id: name, name },
      changes: { before: { size: open.size, modified_at: open.modified_at }, after: { mode } },
    });
    if (!isTrial) await clean(directory, open, mode);
  });
}

/** What a cleanup would do now. @throws {Problem} `runtime_logs_unavailable` */
export async function estimateLogCleanup(
  directory: LogDirectory,
  limits: LogLimits,
): Promise<RuntimeLogCleanup> {
  const all = await directory.list();
  const files = chooseLogs(all, limits);
  return {
    dry_run: true,
    ...limits,
    total_bytes: sizeOf(all),
    freed_bytes: sizeOf(files),
    files,
    failed: [],
  };
}

/**
 * Cleans what the estimate names, whatever its size, and writes one record.
 * @param requestedBy whoever asked for a run before its time; null: nobody
 * @throws {Problem} `runtime_logs_unavailable`
 */
export async function cleanLogsByLimits(
  tx: TenantTx,
  directory: LogDirectory,
  limits: LogLimits,
  cleaner: Cleaner,
  requestedBy: string | null,
): Promise<RuntimeLogCleanup> {
  const estimate = await estimateLogCleanup(directory, limits);
  const files: RuntimeLogCandidate[] = [];
  const failed: RuntimeLogCleanup['failed'] = [];
  for (const file of estimate.files) {
    try {
      await withOpen(directory, file.name, limits.mode, (open) => clean(directory, open, limits.mode));
      files.push(file);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      failed.push({ name: file.name, detail: error.code === 'not_found' ? null : error.message });
    }
  }
  const done = { ...estimate, dry_run: false, files, failed, freed_bytes: sizeOf(files) };
  await recordAudit(tx, {
    ...cleaner,
    action: 'runtime_logs.clean',
    changes: { after: summaryOf(done, requestedBy) },
  });
  return done;
}

function summaryOf(
  { mode, max_file_bytes, max_total_bytes, total_bytes, freed_bytes, files, failed }: RuntimeLogCleanup,
  requestedBy: string | null,
): Record<string, unknown> {
  return {
    ...{ requested_by: requestedBy, mode, max_file_bytes, max_total_bytes, total_bytes, freed_bytes },
    ...{ cleaned: files.length, failed: failed.length },
    files: files.slice(0, NAMED).map(({ name, size, reason }) => ({ name, size_before: size, reason })),
  };
}

/** Every file that is too large by itself; then, while the rest is too much, the one that was not written to for the longest time. */
function chooseLogs(
  files: readonly LogFile[],
  { max_file_bytes, max_total_bytes }: Pick<LogLimits, 'max_file_bytes' | 'max_total_bytes'>,
): RuntimeLogCandidate[] {
  const large = files.filter(({ size }) => size > max_file_bytes);
  const others = files.filter(({ size }) => size > 0 && size <= max_file_bytes);
  let left = sizeOf(others);
  const old = others
    .toSorted((a, b) => a.modified_at.localeCompare(b.modified_at) || a.name.localeCompare(b.name))
    .filter(({ size }) => {
      const isTooMuch = left > max_total_bytes;
      if (isTooMuch) left -= size;
      return isTooMuch;
    });
  return [
    ...large.map((file) => ({ ...file, reason: 'max_file_bytes' as const })),
    ...old.map((file) => ({ ...file, reason: 'max_total_bytes' as const })),
  ];
}

function sizeOf(files: readonly LogFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}

async function withOpen(
  directory: LogDirectory,
  name: string,
  mode: RuntimeLogMode,
  work: (open: OpenLog) => Promise<void>,
): Promise<void> {
  // Removing needs no right to write the file, only its directory.
  const open = await directory.open(name, mode === 'truncate' ? constants.O_WRONLY : constants.O_RDONLY);
  try {
    await work(open);
  } finally {
    await open.handle.close();
  }
}

function clean(directory: LogDirectory, open: OpenLog, mode: RuntimeLogMode): Promise<void> {
  return mode === 'truncate' ? directory.truncate(open) : directory.delete(open);
}
