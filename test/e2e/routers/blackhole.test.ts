/** docs/use-cases/blackhole.md: one command, one address dropped at the router, and gone an hour later by the clock of the database. */
import { execFile, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AuditRecord } from '../../../src/api/activity/audit.ts';
import type { Revision } from '../../../src/api/revisions/revisions.ts';
import { processExists } from '../../../src/concurrency/process-identity.ts';
import type { Bird } from '../../daemons/bird/bird.ts';
import { MachineClock, removeClockTraces } from '../../daemons/machine/clock.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { type Casting, startCasting } from '../casting.ts';

const lacks = requireDaemon('bird') === null || requireDaemon('libfaketimeMT.so.1') === null;

interface Made {
  readonly id: string;
}

describe.skipIf(lacks)('an address that is blackholed for an hour', () => {
  const directory = mkdtempSync(join(tmpdir(), 'prefixcast-hour-'));
  let clock: MachineClock;
  let casting: Casting;
  let bird: Bird;
  let server = 0;

  beforeAll(async () => {
    // The server of the database is another user.
    chmodSync(directory, 0o755);
    clock = new MachineClock(join(directory, 'clock'));
    chmodSync(join(directory, 'clock'), 0o644);
    casting = await startCasting();
    server = await restartDatabaseBy(clock, casting);
    bird = await casting.addBird();
    await casting.service.call('PATCH', '/v1/settings', { auto_revision: null, guard_bogons: 'allow' });
  }, 180_000);
  afterAll(async () => {
    await casting.close();
    removeClockTraces(server);
    rmSync(directory, { recursive: true });
  });

  const revisions = async (): Promise<Revision[]> =>
    (await casting.service.get<{ items: Revision[] }>('/v1/revisions')).items;

  test('one command brings the /32 with the community and its next hop; an hour later it is gone, and the revision says why', async () => {
    const { service } = casting;
    const community = await service.post<Made>('/v1/communities', {
      ...{ community: 'blackhole', title: 'Blackhole', next_hop_ipv4: '192.0.2.1' },
    });
    const module = await service.post<Made>('/v1/modules', {
      ...{ name: 'attacked', type: 'IP_RANGES', community_id: community.id },
    });
    const command = `curl -fsS -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
      $URL/v1/modules/$MODULE/ip-range-entries \\
      -d '{"cidr": "203.0.113.7/32", "expires_at": "'$(date -u -d '+1 hour' +%FT%TZ)'"}'`;
    const env = { PATH: process.env.PATH, KEY: service.key, URL: service.url, MODULE: module.id };
    const asked = performance.now();
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { env });
    await bird.waitRoutes(1);
    console.info(`at the router after ${((performance.now() - asked) / 1_000).toFixed(2)} s`);
    const { id } = JSON.parse(stdout) as Made;
    expect(await bird.routes()).toMatchObject([
      { prefix: '203.0.113.7/32', nextHop: '192.0.2.1', communities: ['65535:666', '65535:65281'] },
    ]);
    // Of another address nothing is said.
    await service.post(`/v1/modules/${module.id}/ip-range-entries`, { cidr: '203.0.113.8/32' });
    await bird.waitRoutes(2);

    clock.set(1);
    const moved = performance.now();
    await bird.waitRoutes(1);
    console.info(`gone after ${((performance.now() - moved) / 1_000).toFixed(2)} s`);
    expect(await bird.routes()).toMatchObject([{ prefix: '203.0.113.8/32' }]);
    expect((await revisions())[0]!.trigger).toMatchObject({
      ...{ kind: 'expiry', actor: 'auto:scheduler', module_id: module.id },
    });
    const gone = await service.request('GET', `/v1/modules/${module.id}/ip-range-entries/${id}`);
    expect(gone.status).toBe(404);
    const { items } = await service.get<{ items: AuditRecord[] }>('/v1/audit?action=ip_range_entry.expire');
    expect(items).toMatchObject([{ resource: { id, name: '203.0.113.7/32' }, actor: 'auto:scheduler' }]);
    const now = await service.get<{ prefix_count: object; entry_count: number }>(`/v1/modules/${module.id}`);
    expect(now).toMatchObject({ entry_count: 1, prefix_count: { ipv4: 1, ipv6: 0 } });
  });
});

/** Starts the embedded server anew, just as the service had started it, but by this clock; the service finds it running. @returns its pid */
async function restartDatabaseBy(clock: MachineClock, casting: Casting): Promise<number> {
  const cluster = join(casting.dataDir, 'postgres', 'data');
  const pidFile = join(cluster, 'postmaster.pid');
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
  const [program, ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  const { uid, gid } = statSync(cluster);
  await casting.service.stop();
  await waitFor(() => Promise.resolve(!processExists(pid)), { what: 'the database to stop' });
  const child = spawn(program!, args, {
    ...{ uid, gid, cwd: '/', detached: true, stdio: 'ignore' },
    env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC', ...clock.env },
  });
  child.unref();
  await waitFor(() => Promise.resolve(readFileSync(pidFile, 'utf8').includes('ready')), {
    what: 'the database to answer',
  });
  await casting.restart();
  return child.pid!;
}
