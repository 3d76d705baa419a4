/** What is done where a stream of events breaks, or says nothing. */
import { afterEach, expect, test, vi } from 'vitest';
import { readEventStream, type StreamPart } from '../../client/src/event-stream.ts';
import { followEvents } from '../../client/src/events.ts';
import { ApiProblem, type ApiEvent } from '../../client/src/index.ts';
import { waitForJob, type Job } from '../../client/src/wait-for-job.ts';

afterEach(() => vi.useRealTimers());

const streamOf = (text: string): ReadableStream<Uint8Array> => new Response(text).body!;

test('the id counts once its event was taken', async () => {
  const parts: StreamPart[] = [];
  const stream = streamOf('id: 4\n\nid: 5\nevent: job\ndata: {}\n\nid: 6\n');
  for await (const part of readEventStream(stream)) parts.push(part);
  expect(parts).toEqual([{ lastId: '4' }, { event: { id: '5', kind: 'job', data: '{}' } }, { lastId: '5' }]);
});

test('an event whose stream broke after its id is asked for again', async () => {
  const whole = 'id: 8\nevent: job\ndata: {"id":"j"}\n\n';
  const answers = [`retry: 1\nid: 7\n\n${whole.slice(0, whole.indexOf('data'))}`, whole];
  const asked: (string | undefined)[] = [];
  const stop = new AbortController();
  const open = (after: string | undefined): Promise<Response> => {
    asked.push(after);
    return Promise.resolve(new Response(answers.shift()));
  };
  const seen: ApiEvent[] = [];
  for await (const event of followEvents(open, { signal: stop.signal })) {
    seen.push(event);
    stop.abort();
  }
  expect(asked).toEqual([undefined, '7']);
  expect(seen).toEqual([{ id: '8', kind: 'job', data: { id: 'j' } }]);
});

test('a job whose last event never comes is seen to end all the same', async () => {
  vi.useFakeTimers();
  const job = { id: 'j', type: 'apply', state: 'running', progress: null, attempt: 1 } as unknown as Job;
  let now = job;
  let isAway = false;
  const away = new ApiProblem({ code: 'unreachable', detail: 'The service is away' });
  const waited = waitForJob(
    {
      readJob: () => (isAway ? Promise.reject(away) : Promise.resolve(now)),
      // oxlint-disable-next-line require-yield -- nothing is sent
      async *jobEvents(signal, onOpen): AsyncGenerator<ApiEvent> {
        onOpen();
        await new Promise((end) => signal.addEventListener('abort', end));
      },
    },
    'j',
    {},
  );
  await vi.advanceTimersByTimeAsync(1_000);
  isAway = true;
  await vi.advanceTimersByTimeAsync(30_000);
  isAway = false;
  now = { ...job, state: 'succeeded' };
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await waited).toMatchObject({ state: 'succeeded' });
});
