/** Part 3 of the specification, "States and transitions": each trigger and its effect; the titles quote the table. */
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Body } from '../http/service.ts';
import { startLivingService, type LivingService } from './living-service.ts';

const LOGS = '/v1/runtime-logs';

let service: LivingService;
let key: string;
beforeAll(async () => {
  service = await startLivingService();
  key = service.tenant.keys.super_admin;
});
afterAll(() => service.close());

const rangesOf = async (name: string, ...cidrs: string[]): Promise<string> => {
  const { id } = await service.make('/v1/modules', { name, type: 'IP_RANGES' });
  for (const cidr of cidrs) await service.make(`/v1/modules/${id}/ip-range-entries`, { cidr });
  return id;
};

describe('`POST /v1/modules/{module_id}/refresh`', () => {
  test('"Prefixes of all enabled modules of the tenant are aggregated into the revision that is generated."', async () => {
    const asked = await rangesOf('asked', '8.8.0.0/25', '8.8.0.128/25');
    await rangesOf('beside', '9.9.9.0/24');
    const disabled = await rangesOf('disabled', '11.11.11.0/24');
    await service.call('PATCH', `/v1/modules/${disabled}`, { body: { enabled: false } });
    const { status, body: job } = await service.call('POST', `/v1/modules/${asked}/refresh`);
    expect(status).toBe(202);
    expect(await service.ended(job.id)).toMatchObject({ type: 'module_refresh', state: 'succeeded' });
    await service.idle();
    const routes = await service.itemsOf('/v1/revisions/latest/prefixes');
    expect(routes.map(({ prefix }) => prefix)).toEqual(['8.8.0.0/24', '9.9.9.0/24']);
  });
});

describe('Successful module or CDN source update', () => {
  test('"`last_refreshed_at` is set.", and a failed update leaves it', async () => {
    const module = await service.make('/v1/modules', { name: 'cdn', type: 'CDN_SOURCES' });
    const paths = [`/v1/modules/${module.id}`];
    const refreshedAt = () =>
      Promise.all(paths.map(async (path) => (await service.read(path)).last_refreshed_at));
    const source = await service.make(`${paths[0]!}/cdn-sources`, {
      name: 's',
      url: `${service.origin}/list`,
    });
    paths.push(`${paths[0]!}/cdn-sources/${source.id}`);
    const refresh = async () => service.ended((await service.call('POST', `${paths[0]!}/refresh`)).body.id);
    await refresh();
    await service.idle();
    expect(await refreshedAt()).toEqual([null, null]);
    service.texts.set('/list', '12.12.12.0/24\n');
    expect(await refresh()).toMatchObject({ state: 'succeeded' });
    const good = await refreshedAt();
    for (const at of good) expect(Date.parse(String(at))).toBeGreaterThan(Date.now() - 60_000);
    await service.idle();
    service.texts.delete('/list');
    expect(await refresh()).toMatchObject({ state: 'failed' });
    expect(await refreshedAt()).toEqual(good);
  });
});

describe('`POST`, `PATCH` or `DELETE` on a peer', () => {
  const address = '192.0.2.77';
  let speaker: { readonly id: string };
  let peer: { readonly id: string };
  beforeAll(async () => {
    await service.idle();
    speaker = await service.make('/v1/speakers', { name: 'edge', local_asn: 64512 });
  });

  test.for(['POST', 'PATCH', 'DELETE'])(
    '%s: "A fast job of type `peer_reconcile` is started. It does not ingest modules or collect prefixes. When it finishes, an apply to the speakers is queued automatically."',
    async (method) => {
      await service.idle();
      const known = new Set((await service.itemsOf('/v1/jobs?limit=500')).map(({ id }) => id));
      const revisions = (await service.itemsOf('/v1/revisions')).length;
      if (method === 'POST')
        peer = await service.make('/v1/peers', { name: 'router', address, remote_asn: 64500 });
      else
        await service.call(method, `/v1/peers/${peer.id}`, {
          ...(method === 'PATCH' ? { body: { description: 'x' } } : {}),
        });
      await service.idle();
      const jobs = (await service.itemsOf('/v1/jobs?limit=500&sort=created_at')).filter(
        ({ id }) => !known.has(id),
      );
      const [reconcile, apply] = jobs;
      expect(jobs.map(({ type }) => type)).toEqual(['peer_reconcile', 'apply']);
      expect(reconcile).toMatchObject({ state: 'succeeded', result: { apply_job_id: apply!.id } });
      const took = Date.parse(String(reconcile!.finished_at)) - Date.parse(String(reconcile!.started_at));
      expect(took, 'milliseconds').toBeLessThan(10_000);
      expect(await service.itemsOf('/v1/revisions')).toHaveLength(revisions);
      const { speakers } = apply!.result as { speakers: Body[] };
      expect(speakers.map(({ speaker_id: id }) => id)).toEqual([speaker.id]);
    },
  );
});

describe('`DELETE` on a runtime log file', () => {
  test('"The file is truncated (default) or deleted, synchronously, and a cleanup audit record is written."', async () => {
    const path = join(service.logs, 'a.log');
    writeFileSync(path, 'line\n');
    await service.call('DELETE', `${LOGS}/files/a.log`, { key });
    expect(statSync(path).size).toBe(0);
    expect(await newestCleanup()).toMatchObject({ action: 'runtime_logs.truncate' });
    await service.call('DELETE', `${LOGS}/files/a.log?mode=delete`, { key });
    expect(existsSync(path)).toBe(false);
    expect(await newestCleanup()).toMatchObject({ action: 'runtime_logs.delete' });
  });
});

describe('`POST /v1/runtime-logs/auto-run`', () => {
  test('"Cleanup runs immediately; with `dry_run=true` it only evaluates. The audit record has actor prefix `auto:scheduler`."', async () => {
    const path = join(service.logs, 'b.log');
    writeFileSync(path, 'line\n');
    await service.call('PATCH', '/v1/settings', { key, body: { runtime_logs_max_file_bytes: 1 } });
    const before = await newestCleanup();
    await service.call('POST', `${LOGS}/auto-run?dry_run=true`, { key });
    expect(statSync(path).size).toBe(5);
    expect(await newestCleanup()).toEqual(before);
    await service.call('POST', `${LOGS}/auto-run`, { key });
    expect(statSync(path).size).toBe(0);
    expect((await newestCleanup()).actor).toMatch(/^auto:scheduler/);
  });
});

describe('Run of a maintenance policy', () => {
  test('"A job of type `maintenance_policy_run` is created; the audit record carries `policy_id`."', async () => {
    const policy = await service.make('/v1/maintenance/policies', { name: 'jobs', kind: 'job_prune' });
    const { body: job } = await service.call('POST', `/v1/maintenance/policies/${policy.id}/run`);
    expect(job.type).toBe('maintenance_policy_run');
    expect(await service.ended(job.id)).toMatchObject({ state: 'succeeded' });
    const log = await service.itemsOf('/v1/audit?action=maintenance_policy.run');
    expect(log).toMatchObject([{ policy_id: policy.id }]);
  });
});

async function newestCleanup(): Promise<Body> {
  const { body } = await service.call('GET', `${LOGS}/cleanup-audit?limit=1`, { key });
  return (body.items as Body[])[0]!;
}
