/** What receivers of webhooks were sent, as the tests read it. */
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

/** The `n` of each event, in the order in which they came first. */
export const numbersOf = (received: readonly Received[]): number[] => [
  ...new Set(received.map(({ record }) => (record.data as { n: number }).n)),
];

/** Whether the signature is that of the secret, over the time of now and the body. */
export function isSigned({ headers, text }: Received, secret: string): boolean {
  const time = String(headers['prefixcast-time']);
  expect(Math.abs(Number(time) - Date.now() / 1_000)).toBeLessThan(600);
  const signature = createHmac('sha256', secret).update(`${time}.${text}`).digest('hex');
  return headers['prefixcast-signature'] === `sha256=${signature}`;
}
