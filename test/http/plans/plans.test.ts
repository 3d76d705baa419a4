/** Plans of several writes: what comes of all of them, and what is refused. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Plan } from '../../../src/api/revisions/plan.ts';
import { plantKey, startService, type Body, type TestService } from '../service.ts';
import { build, makeList } from './dry-runs.ts';

let service: TestService;
let list: string;
beforeAll(async () => {
  service = await startService();
  list = await makeList(service, '8.8.8.0/24', '9.9.9.0/24');
  await build(service);
});
afterAll(() => service?.close());

test('a plan carries writes out one after the other, and takes all of it back', async () => {
  const before = await service.call('GET', `${list}?limit=500`);
  const [first] = before.body.items as (Body & { id: string })[];
  const { status, body, text } = await service.call('POST', '/v1/revisions/plan', {
    body: {
      changes: [
        { method: 'POST', path: list, body: { items: [{ cidr: '6.6.6.0/24' }, { cidr: '5.5.5.0/24' }] } },
        { method: 'DELETE', path: `${list}/${first!.id}` },
        {
          method: 'POST',
          path: `${list.replace('ip-range-entries', 'entries.csv')}`,
          body: 'cidr\n4.4.4.0/24\n',
        },
      ],
    },
  });
  expect(status, text).toBe(200);
  const { answers, effect } = body as unknown as Plan;
  expect(answers.map((answer) => answer.status)).toEqual([201, 204, 200]);
  expect(effect.summary).toEqual({ announced: 3, withdrawn: 1, changed: 0 });
  expect((await service.call('GET', `${list}?limit=500`)).body).toEqual(before.body);
});

test('a plan that holds a dry run is refused, and nothing of it stays', async () => {
  const { status, body } = await service.call('POST', '/v1/revisions/plan', {
    body: {
      changes: [
        { method: 'POST', path: '/v1/communities', body: { community: '65009:3', title: 'planned' } },
        {
          method: 'POST',
          path: `${list.replace('/ip-range-entries', '')}/entries.csv?dry_run=true`,
          body: 'cidr\n9.9.9.0/24\n',
        },
      ],
    },
  });
  expect({ status, detail: body.detail }).toEqual({
    status: 422,
    detail: expect.stringContaining('leave dry_run out') as unknown,
  });
  const { body: communities } = await service.call('GET', '/v1/communities?limit=500');
  expect((communities.items as Body[]).map(({ title }) => title)).not.toContain('planned');
});

test('a plan says which of its writes would be refused, and a key plans only what it may do', async () => {
  const change = { method: 'POST', path: list, body: { cidr: '3.3.3.0/24' } };
  const wrong = { changes: [change, { ...change, body: { cidr: '3.3.3.3/24' } }] };
  const refused = await service.call('POST', '/v1/revisions/plan', { body: wrong });
  expect(refused.body).toMatchObject({ status: 422, errors: [{ pointer: '/changes/1/body/cidr' }] });
  const viewer = await plantKey(service.database, service.tenant.id, 'viewer');
  const forbidden = await service.call('POST', '/v1/revisions/plan', {
    ...{ key: viewer.secret, body: { changes: [change] } },
  });
  expect(forbidden.body).toMatchObject({ status: 422, errors: [{ pointer: '/changes/0' }] });
  expect(forbidden.body.detail).toContain('forbidden');
  const unknown = await service.call('POST', '/v1/revisions/plan', {
    body: { changes: [{ method: 'POST', path: '/v1/nothing' }] },
  });
  expect(unknown.body.detail).toContain('not_found');
});
