/** The routing daemons on the machines of this service: what they are at, and having them read their configuration again. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { RouterReloadResult } from '../../api/activity/job-results.ts';
import type { Job } from '../../api/activity/jobs.ts';
import { Problem } from '../../api/problems/problem.ts';
import type { RouterDaemon, RouterStatus } from '../../api/speakers/router.ts';
import { notify, type TenantTx } from '../../store/database/database.ts';
import {
  askReload,
  listDaemonsOfSpeakers,
  listReloads,
  type DaemonOfSpeaker,
  type DaemonReload,
} from '../../store/holding/router-daemons.ts';
import { DEFAULT_TENANT } from '../../store/tenants/bootstrap.ts';
import { readOwnTenant } from '../../store/tenants/tenants.ts';
import type { ControlContext } from '../context.ts';
import { JobFailure, JobPause, type JobCommit, type JobContext } from '../job.ts';
import { SPEAKERS_CHANNEL } from '../../store/speakers/speakers.ts';

/** Longest wait for the processes that drive the daemons. A BIRD with a million routes takes a second or two. */
const WAIT_MILLISECONDS = 60_000;
const LOOK_MILLISECONDS = 100;
const PAUSE_SECONDS = 1;

const NO_PROCESS =
  'No process that drives it has reported for some seconds. Start one with APP_SERVICE=app-all or app-speaker.';

/** As last reported by the processes that drive them. */
export async function routerStatus(tx: TenantTx): Promise<RouterStatus> {
  const daemons = new Map<string, DaemonOfSpeaker[]>();
  for (const speaker of await listDaemonsOfSpeakers(tx)) {
    const key = `${speaker.daemon} ${speaker.holder}`;
    daemons.set(key, [...(daemons.get(key) ?? []), speaker]);
  }
  return { items: [...daemons.values()].map(presentDaemon) };
}

/** @param speakers that live in the one daemon, at least one */
function presentDaemon(speakers: readonly DaemonOfSpeaker[]): RouterDaemon {
  const [first] = speakers as readonly [DaemonOfSpeaker];
  const answering = speakers.find(({ reachable }) => reachable === true);
  const shown = answering ?? first;
  const sum = (member: 'sessions' | 'sessions_established' | 'protocols' | 'protocols_up'): number =>
    speakers.reduce((total, speaker) => total + (speaker[member] ?? 0), 0);
  return {
    daemon: first.daemon,
    host: first.hostname,
    reachable: answering !== undefined,
    version: shown.version,
    router_id: shown.router_id,
    uptime_seconds: shown.uptime_seconds,
    last_reconfigured_at: shown.reconfigured_at,
    speakers: speakers.length,
    sessions: { total: sum('sessions'), established: sum('sessions_established') },
    protocols: shown.protocols === null ? null : { total: sum('protocols'), up: sum('protocols_up') },
    error: speakers.find(({ error }) => error !== null)?.error ?? (first.holder === null ? NO_PROCESS : null),
  };
}

/**
 * Queues the job that has every daemon read its configuration again. What else waits in it is not the tenant's: only who runs the machines
 * decides when it is read.
 * @throws {Problem} `forbidden`
 */
export async function requestRouterReload(tx: TenantTx, context: ControlContext): Promise<Job> {
  const { slug } = await readOwnTenant(tx);
  if (slug !== DEFAULT_TENANT && !context.role.startsWith('super_'))
    throw new Problem(
      'forbidden',
      'Only keys of the home tenant and of super roles have the routing daemons read their configuration. Ask the operator of the service.',
    );
  return context.queue.enqueue(tx, {
    type: 'router_reload',
    input: {},
    resource: null,
    requestedBy: context.actor,
    parentId: null,
  });
}

/**
 * The job `router_reload`: asks the processes that drive the daemons, and waits for them. Only they talk to a daemon, wherever the
 * job runs.
 */
export async function reloadRouters({
  db,
  tenantId,
  job,
  signal,
  progress,
}: JobContext): Promise<JobCommit<RouterReloadResult>> {
  const isAsked = await db.inTenant(tenantId, async (tx) => {
    await notify(tx, SPEAKERS_CHANNEL, tenantId);
    return askReload(tx, job.id);
  });
  if (!isAsked)
    throw new JobPause(PAUSE_SECONDS, { phase: 'waiting for an older reload', done: 0, total: null });
  const deadline = performance.now() + WAIT_MILLISECONDS;
  for (;;) {
    const reloads = await db.inTenant(tenantId, (tx) => listReloads(tx, job.id));
    const waiting = reloads.filter(({ state }) => state === 'asked').length;
    progress('reload', reloads.length - waiting, reloads.length);
    if (waiting === 0 || performance.now() > deadline) return commitOf(reloads);
    await sleep(LOOK_MILLISECONDS, undefined, { signal });
  }
}

function commitOf(reloads: readonly DaemonReload[]): JobCommit<RouterReloadResult> {
  if (reloads.length === 0) throw new Problem('reload_failed', `There is no daemon to reload. ${NO_PROCESS}`);
  const daemons = reloads.map(({ daemon, hostname: host, state, error }) => ({
    ...{ daemon, host, status: state === 'done' ? ('ok' as const) : ('failed' as const) },
    error: state === 'asked' ? `It was not reloaded within ${WAIT_MILLISECONDS / 1000} s.` : error,
  }));
  const result: RouterReloadResult = { daemons };
  const failed = daemons.filter(({ status }) => status === 'failed');
  if (failed.length === 0) return () => Promise.resolve(result);
  const words = failed.map(({ daemon, host, error }) => `${daemon} on ${host ?? 'a machine'}: ${error}`);
  throw new JobFailure('reload_failed', words.join('; '), result);
}
