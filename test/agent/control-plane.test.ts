import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import type { AgentFault } from '../../src/agent/agent-fault.ts';
import { ControlClock } from '../../src/agent/control-clock.ts';
import { ControlPlane } from '../../src/agent/control-plane.ts';
import { playPlane } from './played.ts';

const NOON = Date.UTC(2026, 10, 21, 12);
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
const never = new AbortController().signal;

test.each(['86400', '1e9', 'Infinity'])(
  'nobody has a node wait for longer than a minute (%s)',
  async (given) => {
    const plane = await playPlane(() => ({ status: 503, headers: { 'retry-after': given } }));
    closers.push(() => plane.close());
    const control = new ControlPlane({ url: plane.url, ca: null, clock: new ControlClock() });
    closers.push(() => control.close());
    const fault = await control.signingKeys('pc_n_1', never).catch((error: unknown) => error as AgentFault);
    expect(fault).toMatchObject({ code: 'control_unreachable', retryAfter: 60 });
  },
);

test('the time of an answer is that of its beginning, however long the rest takes', async () => {
  let steady = 0;
  let tell: () => void;
  const reported = new Promise<void>((resolve) => (tell = resolve));
  class ReadyClock extends ControlClock {
    override observe(date: string | undefined): void {
      super.observe(date);
      tell();
    }
  }
  const clock = new ReadyClock(
    () => NOON,
    () => steady,
  );
  const server = createServer((_, response) => {
    response.sendDate = false;
    response.writeHead(200, { date: new Date(NOON).toUTCString() }).write('a');
    // Where nobody looks at the time before the end, there is no such moment to wait for.
    void Promise.race([reported, sleep(2_000)]).then(() => {
      steady += 600_000;
      response.end('b');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const control = new ControlPlane({ url, ca: null, clock });
  closers.push(() => control.close());
  expect((await control.bundle('pc_n_1', '/v1/x', null, never)).toString()).toBe('ab');
  expect(clock.now()).toEqual(new Date(NOON + 600_000));
});
