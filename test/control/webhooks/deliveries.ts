/** What receivers of webhooks were sent, as the tests read it. */
import type { EventKind } from '../../../src/api/activity/events.ts';
import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import { waitFor } from '../../daemons/wait.ts';
import type { Received, Receiver } from '../outbox/receiver.ts';

export interface Hook {
  readonly id: string;
  readonly secret: string;
}

/** Waits until the receiver has taken the events of these numbers, in this order. */
export async function takes(
  receiver: Receiver,
  numbers: readonly number[],
  faults: readonly string[],
): Promise<void> {
  const found = (): number[] => numbersOf(receiver.taken);
  await waitFor(() => found().length >= numbers.length || undefined, {
    what: `${numbers.length} deliveries`,
    details: () => `${JSON.stringify(found())}\n${faults.slice(-5).join('\n')}`,
  });
  expect(found()).toEqual(numbers);
}

/** The data of an event of the kind, as the service writes them, known by a number. */
export function dataOf(kind: EventKind, n: number): Record<string, unknown> {
  const id = `01900000-0000-7000-8000-${String(n).padStart(12, '0')}`;
  const none = { started_at: null, finished_at: null, error: null };
  const all: Partial<Record<EventKind, Record<string, unknown>>> = {
    job: {
      ...{ id, type: 'apply', state: 'queued', progress: null, attempt: 0, resource: null },
      ...{ parent_id: null, requested_by: null, ...none },
    },
    module: { id, held: null },
    session: { speaker_id: id, peer_id: id, state: null, since: null, last_error: null },
    revision: {
      ...{ id, number: n, state: 'ready', content_hash: null, parent_id: null, rollback_of: null },
      trigger: { kind: 'manual', module_id: null, job_id: null, actor: null },
      prefix_count: { ipv4: 1, ipv6: 0 },
    },
  };
  return all[kind]!;
}

/** The number of {@link dataOf}. */
export function numberIn(data: unknown): number {
  const { id } = data as { readonly id?: string };
  return id === undefined ? NaN : Number(id.slice(-12));
}

/** The number of each event, in the order in which they came first. */
export const numbersOf = (received: readonly Received[]): number[] => [
  ...new Set(received.map(({ record }) => numberIn(record.data))),
];

/** Whether the signature is that of the secret, over the time of now and the body. */
export function isSigned({ headers, text }: Received, secret: string): boolean {
  const time = String(headers['prefixcast-time']);
  expect(Math.abs(Number(time) - Date.now() / 1_000)).toBeLessThan(600);
  const signature = createHmac('sha256', secret).update(`${time}.${text}`).digest('hex');
  return headers['prefixcast-signature'] === `sha256=${signature}`;
}
