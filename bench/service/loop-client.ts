/** Entry of the thread beside `loop.ts`: serves the lists, asks for the health, and waits for jobs. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

export type ClientTask =
  | { readonly kind: 'serve'; readonly sources: number; readonly lines: number }
  | { readonly kind: 'probe' }
  | { readonly kind: 'probed' }
  | { readonly kind: 'wait'; readonly jobId: string };

/** In milliseconds. */
export interface Latency {
  readonly p99: number;
  readonly max: number;
  readonly count: number;
}

interface Job {
  readonly state: string;
  readonly error: { readonly detail: string } | null;
  readonly result: { readonly apply_job_id?: string | null } | null;
}

const BETWEEN_PROBES_MS = 5;
const { url, key } = workerData as { url: string; key: string };
const port = parentPort!;
let times: number[] | null = null;

port.on('message', (task: ClientTask) => {
  void perform(task).then((answer) => port.postMessage(answer));
});

async function perform(task: ClientTask): Promise<unknown> {
  switch (task.kind) {
    case 'serve':
      return serve(task.sources, task.lines);
    case 'probe':
      times = [];
      void probe(times);
      return null;
    case 'probed':
      return latency();
    case 'wait':
      await wait(task.jobId);
      return null;
  }
}

/**
 * From the second time on, the first list is another one than before; the others say that nothing changed. All are made before anything
 * is measured: this thread has to be free when it asks for the health.
 */
async function serve(sources: number, lines: number): Promise<{ origin: string }> {
  const lists = Array.from({ length: sources }, (_, i) => list(i + 1, lines));
  const [changed, half] = [list(sources + 1, lines), list(sources + 2, lines / 2)];
  let isFirst = true;
  const server = createServer((request, response) => {
    if (request.url === '/half/0') return void response.end(half);
    const place = Number(request.url!.slice(1));
    if (place === 0) {
      response.writeHead(200, { 'content-type': 'text/plain' }).end(isFirst ? lists[0] : changed);
      isFirst = false;
    } else if (request.headers['if-none-match'] !== undefined) response.writeHead(304).end();
    else response.writeHead(200, { 'content-type': 'text/plain', etag: '"1"' }).end(lists[place]);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Addresses from all over what may be announced. */
function list(seed: number, lines: number): Buffer {
  const bytes = Buffer.allocUnsafe(lines * '90.255.255.255\n'.length);
  let state = seed * 0x9e3779b1;
  let size = 0;
  for (let i = 0; i < lines; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const address = `${11 + ((state >>> 24) % 80)}.${(state >>> 16) & 255}.${(state >>> 8) & 255}.${state & 255}`;
    size += bytes.write(`${address}\n`, size, 'latin1');
  }
  return bytes.subarray(0, size);
}

async function probe(into: number[]): Promise<void> {
  while (times === into) {
    const started = performance.now();
    await (await fetch(`${url}/v1/health`)).arrayBuffer();
    into.push(performance.now() - started);
    await sleep(BETWEEN_PROBES_MS);
  }
}

function latency(): Latency {
  const sorted = (times ?? []).sort((a, b) => a - b);
  times = null;
  return {
    p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
    max: sorted.at(-1) ?? 0,
    count: sorted.length,
  };
}

async function wait(jobId: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/v1/jobs/${jobId}`, { headers: { authorization: `Bearer ${key}` } });
    const { state, error, result } = (await response.json()) as Job;
    if (state === 'succeeded') {
      if (typeof result?.apply_job_id === 'string') await wait(result.apply_job_id);
      return;
    }
    if (error !== null) throw new Error(`The job failed: ${error.detail}`);
    await sleep(100);
  }
}
