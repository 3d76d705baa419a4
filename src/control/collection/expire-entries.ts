import { ENTRY_KINDS, type ModuleType } from '../../api/entries/entry-kinds.ts';
import { Problem } from '../../api/problems/problem.ts';
import { recordAudit } from '../../store/audit/audit.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { lockTenant, tryLockTenant } from '../../store/database/locks.ts';
import { databaseProblem } from '../../store/database/database-problem.ts';
import { takingBackFaults } from '../../store/database/taking-back.ts';
import { lockModuleEntries } from '../../store/entries/entry-sets.ts';
import {
  type DueExpiries,
  type ExpiredEntry,
  deleteExpired,
  listDueExpiries,
  listExpiredEntries,
  settleEnds,
} from '../../store/entries/expiries.ts';
import { findOpenJob } from '../../store/jobs/jobs.ts';
import { findModule } from '../../store/modules/modules.ts';
import { claimPending } from '../../store/modules/pending-changes.ts';
import { listHeldWithdrawals } from '../../store/revisions/held-withdrawals.ts';
import { getSetting } from '../../store/tenants/settings.ts';
import { KINDS } from '../entries/kinds.ts';
import { recountEntry } from '../entries/recount-entry.ts';
import type { JobQueue } from '../job.ts';
import { requestBuild } from '../revisions/coalesced-build.ts';
import { refreshIfEnabled } from './refresh-module.ts';
import type { ScheduleTools } from './schedule-refreshes.ts';
import { SCHEDULER } from '../actor.ts';

/** Entries per transaction, so that none of them lasts long. */
const TAKEN_AT_ONCE = 500;
/** Of one module: each may have a large snapshot looked through. Of more, its next refresh counts. */
const RECOUNTED = 20;
/** After a fault, such as of a tenant whose rows are locked, and while a revision is being built. */
const PAUSE_MILLISECONDS = 2_000;

/**
 * Deletes every entry whose time is over, each once however many processes do this, and queues the revision without them, and without
 * those that were deleted before and that a held module still announces. What fails for one tenant keeps no other waiting.
 * @param due what was seen to be due; default: looks itself
 * @returns milliseconds until the next look: the next entry leaves then, or what failed is tried again; 0: some tenants had some, and may have
 *   another one soon; null: none has an end
 */
export async function expireEntries(
  { db, queue, onFault }: ScheduleTools,
  due?: DueExpiries,
): Promise<number | null> {
  const { tenantIds, nextMilliseconds } = due ?? (await db.alone(listDueExpiries));
  let hasFailed = false;
  for (const tenantId of tenantIds) {
    try {
      const expire = () => db.inTenant(tenantId, (tx) => expireSome(tx, queue));
      while ((await expire()) === TAKEN_AT_ONCE);
      if (!(await db.inTenant(tenantId, (tx) => followEnds(tx, queue)))) hasFailed = true;
    } catch (error) {
      hasFailed = true;
      onFault(tenantId, error);
    }
  }
  if (hasFailed) return Math.min(nextMilliseconds ?? Infinity, PAUSE_MILLISECONDS);
  return tenantIds.length > 0 ? 0 : nextMilliseconds;
}

/** @returns how many */
async function expireSome(tx: TenantTx, queue: JobQueue): Promise<number> {
  await lockTenant(tx, 'refresh'); // before whatever else two of these may wait for
  const listed = await listExpiredEntries(tx, TAKEN_AT_ONCE);
  const byModule = Map.groupBy(listed, ({ module_id: id }) => id);
  const expired = new Map<string, readonly ExpiredEntry[]>();
  for (const id of [...byModule.keys()].sort()) {
    // It may have been deleted since.
    if ((await findModule(tx, id)) === null) continue;
    const gone = await expireOfModule(tx, id, byModule.get(id)!);
    if (gone.some(({ enabled }) => enabled)) expired.set(id, gone);
  }
  // Without room the revision is built as after any edit, once there is some.
  if (expired.size > 0) await isThereRoom(tx, () => queueRevision(tx, queue, expired));
  return listed.length;
}

async function expireOfModule(
  tx: TenantTx,
  moduleId: string,
  entries: readonly ExpiredEntry[],
): Promise<ExpiredEntry[]> {
  const { table } = entries[0]!;
  const isCounted = !isWritten(table) && entries.length <= RECOUNTED;
  await lockModuleEntries(tx, moduleId);
  const ids = entries.map(({ id }) => id);
  const gone = new Set<string>();
  // Their modules were locked before them, as everybody does it.
  for (const some of isCounted ? ids.map((id) => [id]) : [ids]) {
    const expire = () => deleteExpired(tx, table, some);
    for (const id of await (isCounted ? recountEntry(tx, moduleId, some[0]!, expire) : expire()))
      gone.add(id);
  }
  const expired = entries.filter(({ id }) => gone.has(id));
  for (const { id, name, enabled, community_ids, expires_at } of expired)
    await recordAudit(tx, {
      ...{ actor: SCHEDULER, action: `${table}.expire`, resource: { id, name } },
      changes: { before: { module_id: moduleId, enabled, community_ids, expires_at }, after: null },
    });
  return expired;
}

/**
 * Queues a revision where a module is held, with what was there before, be it enabled, disabled or gone: no edit is pending for that. The
 * caller's transaction does nothing else.
 * @returns false: somebody builds or plans just now, or the tenant's queue is full, and this is to be tried again
 */
async function followEnds(tx: TenantTx, queue: JobQueue): Promise<boolean> {
  // Nothing is to follow yet: ends stay open, so that the next revision has them, however late somebody builds it.
  if (!(await getSetting(tx, 'auto_revision'))) return true;
  // A revision that is about to be committed may hold a module, and has not seen what ended a moment ago. Other tenants do not wait for it.
  if (!(await tryLockTenant(tx, 'revision'))) return false;
  return isThereRoom(tx, async () => {
    const ended = new Set(await settleEnds(tx));
    const held = await listHeldWithdrawals(tx);
    if (!held.some(({ module_id: id }) => ended.has(id))) return;
    // It looks at what there is once more when it has the lock.
    const open = await findOpenJob(tx, { type: 'revision_build', cause: 'expiry' });
    if (open === null) await requestBuild(tx, queue, { cause: 'expiry', actor: SCHEDULER });
  });
}

/** Carries out what may queue jobs, unless the tenant's queue is full: then nothing of it is done. @returns whether it was done */
async function isThereRoom(tx: TenantTx, work: () => Promise<void>): Promise<boolean> {
  try {
    await takingBackFaults(tx, work);
    return true;
  } catch (error) {
    const problem = databaseProblem(error);
    if (problem instanceof Problem && problem.code === 'quota_exceeded') return false;
    throw error;
  }
}

/**
 * Queues at once what edits would have queued after a moment, so that the revision says why it came. Modules whose entries are prefixes
 * are read again, which needs no request to a source.
 */
async function queueRevision(
  tx: TenantTx,
  queue: JobQueue,
  byModule: ReadonlyMap<string, readonly ExpiredEntry[]>,
): Promise<void> {
  if (!(await getSetting(tx, 'auto_revision'))) return;
  const { moduleIds } = await claimPending(tx, 'due');
  const written = [...byModule].flatMap(([id, [first]]) => (isWritten(first!.table) ? [id] : []));
  for (const id of [...new Set([...moduleIds, ...written])].sort())
    await refreshIfEnabled(tx, queue, id, SCHEDULER, 'expiry');
  if (written.length < byModule.size) await requestBuild(tx, queue, { cause: 'expiry', actor: SCHEDULER });
}

function isWritten(table: ExpiredEntry['table']): boolean {
  const [type] = Object.entries(ENTRY_KINDS).find(([, { entry }]) => entry === table)!;
  return 'prefixes' in KINDS[type as ModuleType];
}
