import { afterEach, expect, test } from 'vitest';
import { EventStream, type EventStreamOptions } from '../../../src/http/live/event-stream.ts';
import type { StoredEvent } from '../../../src/store/events.ts';
import { waitFor } from '../../daemons/wait.ts';

const streams: EventStream[] = [];
afterEach(() => {
  for (const stream of streams.splice(0)) stream.destroy();
});

/** A stream of what `written` holds. */
function open(written: readonly StoredEvent[], more: Partial<EventStreamOptions> = {}): EventStream {
  const read = (after: number) =>
    Promise.resolve(written.filter(({ sequence }) => sequence > after).slice(0, 50));
  const stream = new EventStream({ after: 0, lostId: null, read, onFault: () => undefined, ...more });
  streams.push(stream);
  return stream;
}

function listen(stream: EventStream): { text: () => string } {
  let text = '';
  stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { text: () => text };
}

const event = (sequence: number, data: Record<string, unknown> = {}): StoredEvent => ({
  entry: sequence,
  sequence,
  kind: 'job',
  data,
});

test('a stream opens with its id, and reports each event in its own lines', async () => {
  const written = [event(1, { a: 'line\nbreak' })];
  const stream = open(written);
  const { text } = listen(stream);
  await waitFor(() => text().includes('data'), { what: 'the event' });
  expect(text()).toBe('retry: 2000\nid: 0\n\nid: 1\nevent: job\ndata: {"a":"line\\nbreak"}\n\n');
  written.push(event(2));
  stream.hint();
  await waitFor(() => text().endsWith('id: 2\nevent: job\ndata: {}\n\n'), { what: 'the second event' });
});

test('silence is broken by a comment', async () => {
  const { text } = listen(open([], { heartbeatMilliseconds: 50 }));
  await waitFor(() => text().split(': heartbeat\n\n').length > 3, { what: 'three heartbeats' });
  expect(text().replaceAll(': heartbeat\n\n', '')).toBe('retry: 2000\nid: 0\n\n');
});

test('a look that fails is reported to the log once, and tried again', async () => {
  const faults: unknown[] = [];
  let looks = 0;
  const stream = open([], {
    heartbeatMilliseconds: 20,
    onFault: (error) => faults.push(error),
    read: () =>
      ++looks < 3 ? Promise.reject(new Error('away')) : Promise.resolve(looks === 3 ? [event(1)] : []),
  });
  const { text } = listen(stream);
  await waitFor(() => text().includes('id: 1\n'), { what: 'the event' });
  expect(looks).toBeGreaterThanOrEqual(3);
  expect(faults).toHaveLength(1);
});

test('a reader that takes nothing gets no more than a buffer full, and is cut off', async () => {
  const many = Array.from({ length: 10_000 }, (_, i) => event(i + 1, { text: 'x'.repeat(1_000) }));
  let asked = 0;
  const stream = open(many, {
    timeoutMilliseconds: 200,
    read: (after) => {
      asked = after;
      return Promise.resolve(many.slice(after, after + 50));
    },
  });
  let fault: Error | null = null;
  stream.on('error', (error) => (fault = error));
  stream.read(0);
  await waitFor(() => stream.destroyed, { what: 'the reader to be cut off' });
  expect(String(fault)).toContain('took nothing');
  expect(asked).toBeLessThan(500);
});

test('a slow reader gets everything', async () => {
  const many = Array.from({ length: 2_000 }, (_, i) => event(i + 1, { text: 'x'.repeat(500) }));
  const stream = open(many);
  let text = '';
  for await (const chunk of stream) {
    text += String(chunk);
    if (text.includes('id: 2000\n')) break;
    await new Promise((resolve) => setTimeout(resolve, 2)); // the reader is slow
  }
  const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  expect(ids).toEqual(Array.from({ length: 2_001 }, (_, i) => i));
});

test('an ended stream comes to its end in order; one that nobody reads is cut off', async () => {
  const [read, unread] = [open([]), open([])];
  listen(read);
  let complete = false;
  read.on('end', () => (complete = true));
  unread.read(0);
  for (const stream of [read, unread]) stream.end();
  await waitFor(() => read.destroyed && unread.destroyed, { what: 'both to be gone' });
  expect(complete).toBe(true);
});
