import type { Job } from '../api/jobs.ts';
import type { LastRefresh, Module } from '../api/modules.ts';
import { Problem } from '../api/problem.ts';
import { FAMILIES } from '../core/address.ts';
import { PrefixTableBuilder, type PrefixTable } from '../core/prefix-table.ts';
import { encodeTable } from '../core/table-codec.ts';
import type { AsnSource } from '../sources/asn-source.ts';
import type { FetchOptions } from '../sources/fetch.ts';
import { ipRangeRows } from '../sources/ip-range.ts';
import { listAsEntriesToCollect, recordAsOutcomes } from '../store/as-entries.ts';
import { listSourcesToCollect, recordCdnOutcome } from '../store/cdn-sources.ts';
import { loadTable, storeTable } from '../store/contents.ts';
import type { TenantTx } from '../store/database.ts';
import { listAllIpRanges } from '../store/ip-range-entries.ts';
import { findModule, getModule, recordRefresh } from '../store/modules.ts';
import type { SecretBox } from '../store/secrets.ts';
import { getSetting } from '../store/settings.ts';
import { findSnapshot, saveSnapshot, type Snapshot } from '../store/snapshots.ts';
import { lockTenant } from '../store/locks.ts';
import { collectAsEntries, questionOf } from './collect-as-entries.ts';
import { collectSources, rebase, type Collection } from './collect-module.ts';
import { commitRevision } from './commit-revision.ts';
import type { JobCommit, JobContext, JobQueue } from './job.ts';

/** Entries of which the result of the job tells; the entries themselves tell of all. */
const MAX_TOLD = 1_000;

export interface RefreshTools {
  readonly queue: JobQueue;
  readonly secrets: SecretBox;
  readonly fetch: Omit<FetchOptions, 'signal'>;
  /** Where AS numbers are resolved. */
  readonly asnSource: AsnSource;
}

/** Queues a refresh of the module. */
export async function requestRefresh(
  tx: TenantTx,
  queue: JobQueue,
  moduleId: string,
  actor: string,
): Promise<Job> {
  const { resource: module } = await getModule(tx, moduleId);
  if (!module.enabled) {
    throw new Problem(
      'conflict',
      `The module ${module.name} is disabled. Enable it (PATCH {"enabled": true}) to refresh it.`,
    );
  }
  return queue.enqueue(tx, {
    type: 'module_refresh',
    input: { module_id: module.id },
    resource: { type: 'module', id: module.id },
    requestedBy: actor,
    parentId: null,
  });
}

/**
 * The job `module_refresh`: collects the module's entries, keeps the last good prefixes of those that fail, and builds the
 * revision of all enabled modules. Snapshot, entry states, revision and the queued apply commit together.
 */
export async function refreshModule(context: JobContext, tools: RefreshTools): Promise<JobCommit> {
  const { db, tenantId, job, signal, progress } = context;
  const moduleId = (context.input as { module_id: string }).module_id;
  const { module, sources, networks, snapshot, previous, bogons } = await db.inTenant(
    tenantId,
    async (tx) => {
      const found = await findModule(tx, moduleId);
      if (found === null)
        throw new Problem('not_found', `The module ${moduleId} was deleted while its refresh was waiting.`);
      const last = await findSnapshot(tx, moduleId);
      return {
        module: found,
        sources: found.type === 'CDN_SOURCES' ? await listSourcesToCollect(tx, moduleId, tools.secrets) : [],
        networks: found.type === 'AS_PREFIXES' ? await listAsEntriesToCollect(tx, moduleId) : [],
        snapshot: last,
        previous: last === null ? null : await loadTable(tx, last.content_hash),
        bogons: await getSetting(tx, 'guard_bogons'),
      };
    },
  );
  const tell = (done: number, total: number | null): void => progress('collect', done, total);
  tell(0, sources.length + networks.length || null);
  const collected =
    module.type === 'AS_PREFIXES'
      ? await collectAsEntries(networks, previous, tools.asnSource, { signal, bogons }, tell)
      : await collectSources(sources, previous, { ...tools.fetch, signal, bogons }, tell);
  signal.throwIfAborted();
  progress('build', 0, null);
  const encoded = encodeTable(collected.table);
  return async (tx) => {
    await lockTenant(tx, 'revision');
    const collection =
      module.type === 'IP_RANGES'
        ? { table: tableOfRanges(await listAllIpRanges(tx, moduleId)), outcomes: [] }
        : await upToDate(tx, moduleId, collected, snapshot);
    const table = collection === collected ? encoded : encodeTable(collection.table);
    await saveSnapshot(tx, moduleId, await storeTable(tx, table, countOf(collection.table)));
    if (module.type === 'AS_PREFIXES')
      await recordAsOutcomes(tx, collection.outcomes, questionOf(tools.asnSource, bogons));
    else for (const outcome of collection.outcomes) await recordCdnOutcome(tx, outcome);
    const status = refreshStatus(collection);
    await recordRefresh(
      tx,
      moduleId,
      { ...status, job_id: job.id },
      countOf(collection.table),
      status.status !== 'failed',
    );
    const trigger = {
      kind: 'refresh',
      module_id: moduleId,
      job_id: job.id,
      actor: job.requested_by,
    } as const;
    const revision = await commitRevision(tx, tools.queue, trigger, job.id);
    return { ...revision, entries: collection.outcomes.slice(0, MAX_TOLD).map(told), status: status.status };
  };
}

/** What was collected, on top of what another refresh of the module may have committed since `seen`. */
async function upToDate(
  tx: TenantTx,
  moduleId: string,
  collected: Collection,
  seen: Snapshot | null,
): Promise<Collection> {
  const current = await findSnapshot(tx, moduleId);
  if (current === null || current.content_hash === seen?.content_hash) return collected;
  return rebase(collected, await loadTable(tx, current.content_hash));
}

function tableOfRanges(ranges: readonly { id: string; cidr: string }[]): PrefixTable {
  const builder = new PrefixTableBuilder();
  for (const { id, words, family, length } of ipRangeRows(ranges)) builder.add(family, words, length, id);
  return builder.build();
}

function refreshStatus({ outcomes }: Collection): Omit<LastRefresh, 'job_id'> {
  const failed = outcomes.filter((outcome) => outcome.status !== 'ok');
  if (failed.length === 0) return { status: 'ok', error: null };
  const error = `${failed.length} of ${outcomes.length} sources failed. ${failed[0]!.error}`;
  return { status: failed.length === outcomes.length ? 'failed' : 'partial', error };
}

function countOf(table: PrefixTable): Module['prefix_count'] {
  const [ipv4, ipv6] = FAMILIES.map((family) => table[family].size);
  return { ipv4: ipv4!, ipv6: ipv6! };
}

function told(outcome: Collection['outcomes'][number]) {
  const { id, status, error, prefixCount, rejected, bogons, modified } = outcome;
  return { id, status, error, modified, prefix_count: prefixCount, rejected, bogons };
}
