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

test('an answer of 422 or 503 that never ends has its status when the time is over', async () => {
  let asked = 0;
  receiver.react = () => ({ unfinished: asked++ === 0 ? 422 : 503 });
  // Long enough for the beginning of an answer, also on a busy machine.
  const answers = await Promise.all([send(5_000), send(5_000)]);
  expect(answers.toSorted((a, b) => Number(a.status) - Number(b.status))).toMatchObject([
    { kind: 'refused', status: 422, error: 'the portal answered 422: said by the receiver, and' },
    { kind: 'failed', status: 503, error: 'the portal answered 503: said by the receiver, and' },
  ]);
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
