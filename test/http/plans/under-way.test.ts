/** What a plan says of routers whose apply is under way: they have its routes, although it has not ended. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Effect } from '../../../src/api/revisions/plan.ts';
import { measureEffect } from '../../../src/control/previews/effect.ts';
import type { TenantTx } from '../../../src/store/database/database.ts';
import { insertJob } from '../../../src/store/jobs/jobs.ts';
import { queueApplies } from '../../store/queue-applies.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const run = <T>(work: (tx: TenantTx) => Promise<T>): Promise<T> =>
  service.database.db.inTenant(service.tenant.id, work);

test('a second edit is asked about by itself, and not for what the first one takes from them', async () => {
  const { queue, secrets } = service.dependencies;
  const requester = { queue, secrets, actor: 'key:the operator' };
  const latest = async (): Promise<string> => {
    await run((tx) => measureEffect(tx, requester, () => Promise.resolve()));
    return (await service.call('GET', '/v1/revisions/latest')).body.id as string;
  };
  const module = await service.make('/v1/modules', { name: 'ranges', type: 'IP_RANGES' });
  const list = `/v1/modules/${module.id}/ip-range-entries`;
  await service.make(list, { cidr: '8.8.8.0/24' });
  const { id: first } = await service.make(list, { cidr: '9.9.9.0/24' });
  const speaker = await service.make('/v1/speakers', { name: 'edge', local_asn: 64512 });
  await service.make('/v1/peers', { name: 'router', address: '192.0.2.9', remote_asn: 64500 });
  await service.database.admin(
    'UPDATE speaker SET applied_revision_id = $1, applied_at = now() WHERE id = $2',
    [await latest(), speaker.id],
  );
  await service.call('DELETE', `${list}/${first}`);
  const revisionId = await latest();
  await run(async (tx) => {
    const job = await insertJob(tx, {
      type: 'apply',
      input: {},
      resource: null,
      requestedBy: 'cli',
      parentId: null,
    });
    await queueApplies(tx, job.id, [{ speakerId: String(speaker.id), revisionId }]);
  });
  await service.database.admin("UPDATE speaker_apply SET state = 'running', started_at = now()");
  const { body } = await service.call('POST', `${list}?dry_run=true`, { body: { cidr: '7.7.7.0/24' } });
  expect((body.effect as Effect).speakers).toMatchObject([
    {
      ...{ name: 'edge', announced: 1, withdrawn: 0, changed: 0 },
      peers: [{ before: { ipv4: 1, ipv6: 0 }, after: { ipv4: 2, ipv6: 0 }, updated: 1, withdrawn: 0 }],
    },
  ]);
});
