/** A plan without a write: what edits lead to that are done, and that no revision holds yet. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Effect } from '../../../src/api/revisions/plan.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

test('a plan of no write is of the edits that no revision holds yet', async () => {
  const plan = async (): Promise<Effect> => {
    const { status, text, body } = await service.call('POST', '/v1/revisions/plan', {
      body: { changes: [] },
    });
    expect(status, text).toBe(200);
    expect(body.answers).toEqual([]);
    return body.effect as Effect;
  };
  const { id } = await service.make('/v1/modules', { name: 'ranges', type: 'IP_RANGES' });
  const list = `/v1/modules/${id}/ip-range-entries`;
  await service.make(list, { cidr: '8.8.4.0/24' });
  expect(await plan()).toMatchObject({
    ...{
      revision: { state: 'ready' },
      summary: { announced: 1, withdrawn: 0 },
      items: [{ prefix: '8.8.4.0/24' }],
    },
  });
  const { items } = (await service.call('GET', list)).body as { items: { id: string }[] };
  await service.call('DELETE', list, { body: { ids: items.map(({ id }) => id) } });
  expect(await plan()).toMatchObject({ summary: { announced: 0 }, items: [] });
  expect((await service.call('POST', '/v1/changes', { body: { changes: [] } })).status).toBe(422);
});
