/** A service that is killed while it sends events to a webhook, twice: the next one goes on where it was. */
import { afterEach, expect, test } from 'vitest';
import { firstArrivals, startReceiver, type Receiver } from '../../control/outbox/receiver.ts';
import { waitFor } from '../../daemons/wait.ts';
import { startCasting, type Casting } from '../casting.ts';

let casting: Casting;
let receiver: Receiver;
afterEach(async () => {
  await casting.close();
  await receiver.close();
});

test('killed in the middle twice, and every event arrives once it runs again, none before an earlier one', async () => {
  receiver = await startReceiver();
  casting = await startCasting();
  const kinds = ['job', 'revision', 'session', 'apply', 'module', 'tenant', 'audit'];
  const { id } = await casting.service.post<{ id: string }>('/v1/webhooks', {
    url: receiver.url,
    events: kinds,
  });
  for (const enough of [3, 7]) {
    receiver.react = (_, n) => (n > enough ? 'silence' : 200);
    // Each has some events.
    for (let n = 0; n < 4; n++) await casting.service.ended(await casting.service.post('/v1/revisions'));
    await waitFor(() => receiver.requests.length > enough || undefined, { what: `${enough} deliveries` });
    await casting.service.stop('SIGKILL');
    await casting.restart();
  }
  receiver.react = () => 200;
  const path = `/v1/webhooks/${id}/deliveries?limit=500`;
  interface Deliveries {
    readonly items: readonly { id: string; event_id: string; state: string }[];
  }
  const sent = await waitFor(
    async () => {
      const { items } = await casting.service.get<Deliveries>(path);
      return items.length > 20 && items.every(({ state }) => state === 'delivered') && items;
    },
    { what: 'deliveries that have all arrived' },
  );
  const numbers = sent.map(({ event_id: number }) => Number(number)).reverse();
  expect(numbers).toEqual(numbers.map((_, index) => numbers[0]! + index));
  const ids = sent.map((delivery) => delivery.id).reverse();
  expect(firstArrivals(receiver.taken).slice(0, ids.length)).toEqual(ids);
});
