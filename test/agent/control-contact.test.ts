import { expect, test } from 'vitest';
import { AgentFault } from '../../src/agent/agent-fault.ts';
import { ControlContact, type ControlContactOptions } from '../../src/agent/control-contact.ts';
import { Backoff } from '../../src/concurrency/backoff.ts';

/** Nobody waits: what is asked for is how long. */
const OVER = AbortSignal.abort();

function contactWith(options: Partial<ControlContactOptions> = {}) {
  const said: { readonly text: string; readonly seconds: number | null }[] = [];
  const note = (fields: object, text: string): void => {
    const { again_in_seconds: seconds = null } = fields as { again_in_seconds?: number };
    said.push({ text, seconds });
  };
  let changes = 0;
  const contact = new ControlContact({
    log: { info: note, warn: note, error: note },
    stays: 'All stays.',
    renewSecret: () => Promise.resolve(false),
    onChange: () => changes++,
    ...options,
  });
  return { contact, said, changes: () => changes };
}

const silent = new AgentFault('control_unreachable', 'no answer');
const refused = new AgentFault('unauthorized', 'the key is not valid');

test('a fault is reported once, and its end', async () => {
  const { contact, said, changes } = contactWith();
  contact.reached();
  expect(said).toEqual([]);
  for (const _ of [1, 2]) await contact.pauseAfter(silent, OVER);
  expect(contact.fault).toBe('control_unreachable: no answer');
  await contact.pauseAfter(refused, OVER);
  for (const _ of [1, 2]) contact.reached();
  expect(contact.fault).toBeNull();
  expect(said.map(({ text }) => text)).toEqual([
    'All stays. control_unreachable: no answer',
    'All stays. unauthorized: the key is not valid',
    'The control plane answers again',
  ]);
  expect(changes()).toBe(3);
});

test('another secret is used at once', async () => {
  const { contact, said } = contactWith({ renewSecret: () => Promise.resolve(true) });
  await contact.pauseAfter(refused, OVER);
  expect([said, contact.fault]).toEqual([[], null]);
});

test('a secret that cannot be looked for is none', async () => {
  const { contact } = contactWith({ renewSecret: () => Promise.reject(new Error('the disk')) });
  await contact.pauseAfter(refused, OVER);
  expect(contact.fault).not.toBeNull();
});

test('a refusal has pauses of its own, and whoever says how long to wait is heard', async () => {
  const { contact, said } = contactWith({ refusals: new Backoff(1_000_000, 1_000_000) });
  await contact.pauseAfter(silent, OVER);
  await contact.pauseAfter(refused, OVER);
  await contact.pauseAfter(new AgentFault('control_unreachable', 'full', { retryAfter: 40 }), OVER);
  const [first, second, third] = said.map(({ seconds }) => seconds!);
  expect(first).toBeLessThanOrEqual(1);
  expect(second).toBeGreaterThanOrEqual(500);
  expect(third).toBe(40);
});
