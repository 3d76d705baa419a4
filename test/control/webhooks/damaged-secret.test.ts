/** The stored secret of a webhook that nobody can open any more: a fault of that webhook alone. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deliverWebhooks } from '../../../src/control/webhooks/deliver-webhooks.ts';
import { writeEvent } from '../../../src/store/events.ts';
import { startService, type Body, type TestService } from '../../http/service.ts';
import { startReceiver, type Receiver } from '../outbox/receiver.ts';
import { dataOf, isSigned, takes } from './deliveries.ts';

let service: TestService;
let receiver: Receiver;
let well: Receiver;
let delivery: { close(): Promise<void> };
const faults: string[] = [];

beforeAll(async () => {
  service = await startService();
  receiver = await startReceiver();
  well = await startReceiver();
  delivery = deliverWebhooks({
    db: service.database.db,
    secrets: service.dependencies.secrets,
    reach: service.dependencies.fetch.reach,
    onFault: (_tenantId, error) => faults.push(String(error)),
    ...{ pollMs: 20, longestDelaySeconds: 0.1 },
  });
});
afterAll(async () => {
  await delivery?.close();
  await receiver?.close();
  await well?.close();
  await service?.close();
});

const call = async (method: string, path: string): Promise<Body> => {
  const answer = await service.call(method, `/v1/webhooks/${path}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};
const happen = (n: number): Promise<void> =>
  service.database.db.inTenant(service.tenant.id, (tx) => writeEvent(tx, 'job', dataOf('job', n)));

test('it sends nothing and says why, others go on, and with another secret all that waited arrives', async () => {
  const make = (url: string): Promise<Body & { id: string }> =>
    service.make('/v1/webhooks', { url, events: ['job'] });
  const { id } = await make(receiver.url);
  await make(well.url);
  await happen(1);
  await takes(receiver, [1], faults);

  await service.database.admin(
    'UPDATE webhook SET secret_sealed = set_byte(secret_sealed, 30, get_byte(secret_sealed, 30) # 1) WHERE id = $1',
    [id],
  );
  await happen(2);
  await takes(well, [1, 2], faults);
  await expect
    .poll(async () => (await call('GET', id)).last_error)
    .toMatch(/^the stored secret cannot be opened, so nothing is sent: give it another one/);
  expect(await call('POST', `${id}/test`)).toMatchObject({
    ...{ state: 'refused', status: null },
    error: expect.stringContaining('/rotate') as string,
  });
  expect((await call('GET', `${id}/deliveries?state=pending`)).items).toMatchObject([
    { error: expect.stringContaining('cannot be opened') as string },
  ]);

  const { secret } = await call('POST', `${id}/rotate`);
  await takes(receiver, [1, 2], faults);
  expect(isSigned(receiver.taken.at(-1)!, String(secret))).toBe(true);
  await expect.poll(async () => (await call('GET', id)).last_error).toBeNull();
  expect(faults).toEqual([]);
});
