/** A policy for log files where several processes run jobs, and one of them has the files. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { JOB_TYPES, type Job, type JobType } from '../../../src/api/activity/jobs.ts';
import type { JobHandler } from '../../../src/control/job.ts';
import type { Asker } from '../../../src/control/access/home-tenant.ts';
import { createMaintenancePolicy, requestPolicyRun } from '../../../src/control/maintenance/policies.ts';
import { runMaintenancePolicy } from '../../../src/control/maintenance/run-policy.ts';
import { startBoss } from '../../../src/jobs/queue.ts';
import { startWorker } from '../../../src/jobs/worker.ts';
import { LogDirectory } from '../../../src/logs/log-directory.ts';
import { waitFor } from '../../daemons/wait.ts';
import { startPlane, type Plane } from '../plane.ts';

const ADMIN: Asker = { tenant: { slug: 'one-of-many' }, role: 'super_admin' };

let plane: Plane;
let path: string;
beforeEach(async () => {
  path = mkdtempSync(join(tmpdir(), 'prefixcast-logs-'));
  writeFileSync(join(path, 'a.log'), 'four');
  plane = await startPlane(null);
});
afterEach(async () => {
  await plane?.close();
  rmSync(path, { recursive: true, force: true });
});

/** A run that the process without log files has begun, and left to others. */
async function leftRun(): Promise<Job> {
  const job = await plane.run(async (tx) => {
    const { resource } = await createMaintenancePolicy(tx, ADMIN, {
      ...{ name: 'logs', kind: 'runtime_logs_cleanup', parameters: { max_file_bytes: 3 } },
    });
    return requestPolicyRun(tx, plane.context.queue, ADMIN, 'key:test', resource.id);
  });
  await waitFor(async () => (await plane.job(job.id)).progress?.phase.includes('log files'), {
    what: 'the job to be left to others',
  });
  return job;
}

test('a run is left to the process that has the log files', async () => {
  const job = await leftRun();
  const boss = await startBoss(plane.database.address, () => undefined);
  const tools = { logs: new LogDirectory(path) };
  const handler: JobHandler = (context) => runMaintenancePolicy(context, tools);
  const handlers = Object.fromEntries(JOB_TYPES.map((type) => [type, handler])) as Record<
    JobType,
    JobHandler
  >;
  const other = startWorker({ boss, db: plane.database.db, handlers, onFault: () => undefined });
  expect(await plane.succeeded(job)).toMatchObject({ count: 1, bytes: 4, names: ['a.log'] });
  expect(statSync(join(path, 'a.log')).size).toBe(0);
  await other.close();
  await boss.stop({ graceful: false });
});

test('a run is left to others by a process whose clock is hours ahead, too', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 6 * 3_600_000 });
  try {
    expect(await leftRun()).toMatchObject({ type: 'maintenance_policy_run' });
  } finally {
    vi.useRealTimers();
  }
});

test('where no process has them, it ends after a while, and says so', async () => {
  const job = await leftRun();
  await plane.database.admin("UPDATE job SET started_at = now() - interval '3 minutes' WHERE id = $1", [
    job.id,
  ]);
  expect(await plane.ended(job)).toMatchObject({
    ...{ state: 'failed', error: { code: 'runtime_logs_unavailable' } },
  });
  expect(statSync(join(path, 'a.log')).size).toBe(4);
});
