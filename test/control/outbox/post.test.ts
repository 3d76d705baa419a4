import { Agent } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { post, type PostAnswer } from '../../../src/control/outbox/post.ts';
import { startReceiver, type Receiver } from './receiver.ts';

let receiver: Receiver;
const agent = new Agent();
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(async () => {
  await agent.destroy();
  await receiver.close();
});

function send(timeoutMs: number, signal = new AbortController().signal): Promise<PostAnswer> {
  const what = { url: receiver.url, headers: {}, body: '{"id":"1"}' };
  return post(what, { agent, receiver: 'the portal', timeoutMs, signal });
}

test('what is answered with 200 is taken at once, also where the answer never ends', async () => {
  receiver.react = () => ({ unfinished: 200 });
  const began = performance.now();
  expect(await send(30_000)).toEqual({ kind: 'taken', status: 200 });
  expect(performance.now() - began).toBeLessThan(20_000);
});

test.each([
  [422, 'refused'],
  [503, 'failed'],
])('an answer of %i that never ends has its status when the time is over', async (status, kind) => {
  receiver.react = () => ({ unfinished: status });
  expect(await send(300)).toMatchObject({
    ...{ kind, status },
    error: `the portal answered ${status}: said by the receiver, and`,
  });
});

test('no answer at all is a failure, and a signal that aborts is its own reason', async () => {
  receiver.react = () => 'silence';
  expect(await send(200)).toMatchObject({ kind: 'failed', status: null, error: 'no answer within 200 ms' });
  const reason = new Error('the service stops');
  await expect(send(30_000, AbortSignal.abort(reason))).rejects.toBe(reason);
  for (const status of ['silence', { unfinished: 503 }] as const) {
    receiver.react = () => status;
    const stop = new AbortController();
    const sent = send(30_000, stop.signal);
    setTimeout(() => stop.abort(reason), 100);
    await expect(sent).rejects.toBe(reason);
  }
});
