/** A service that has just started has heard of no node yet: nothing needs anybody until these had time to report. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { waitFor } from '../../daemons/wait.ts';
import { useDesk } from '../desk/desk.ts';
import { addSilentNode } from '../desk/silent-node.ts';

const desk = useDesk();
const { type, mustType } = desk;

test('a node is awaited, and out of reach once it had time', { timeout: 180_000 }, async () => {
  const { service } = desk.casting;
  await mustType('module create hosts --type IP_RANGES');
  await mustType('entry add hosts 6.0.0.1/32 --wait');
  await addSilentNode(service.url, service.key);
  const reported = Date.now();
  await service.stop();
  // What it said then counts for half a minute.
  await sleep(Math.max(0, reported + 31_000 - Date.now()));
  await desk.casting.restart();
  const awaited = await type('status');
  expect(awaited.code, awaited.out).toBe(0);
  expect(awaited.out.replaceAll(/\s+/g, ' ')).toMatch(
    /Under way: awaited speaker edge: since 20\S+Z: The service has just started, and the agent on edge-1\.example\.net has not reported since; it does within 40 s if it runs\./,
  );
  expect(awaited.out).toContain(', sessions 0 of 1 up, 1 unknown');
  const isAway = async (): Promise<boolean> => (await type('status')).out.includes('out of reach');
  await waitFor(isAway, { what: 'a node that is out of reach', timeoutMs: 90_000 });
  expect(await type('status')).toMatchObject({ code: 1 });
});
