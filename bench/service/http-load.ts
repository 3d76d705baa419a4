/** Load over HTTP as wrk makes it, and the bare server of `node:http` that stands beside ours. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { ownProcessorMsOf } from '../measure/processor-time.ts';

const CONNECTIONS = 32;
const ROUND_MS = 3_000;

/** Who answers. */
export interface Answering {
  readonly port: number;
  readonly pid: number;
}

export interface Load {
  readonly perSecond: number;
  /** Microseconds of processor time of who answers: unlike the rate, other work on the machine hardly changes it. */
  readonly ofRequest: number;
  /** Milliseconds from a request to the end of its answer that one of a hundred takes longer than. */
  readonly p99: number;
}

/** Sends GET requests over as many connections as are usual, one at a time on each; `pathOf` names the path of request n. */
export async function load(
  { port, pid }: Answering,
  key: string,
  pathOf: (n: number) => string,
): Promise<Load> {
  const head = `Host: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  const before = ownProcessorMsOf(pid);
  const started = performance.now();
  const end = started + ROUND_MS;
  const times: number[] = [];
  let sent = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      socket.setNoDelay(true);
      let sentAt = 0;
      let missing = -1;
      const send = (): void => {
        sentAt = performance.now();
        missing = -1;
        socket.write(`GET ${pathOf(sent++)} HTTP/1.1\r\n${head}`);
      };
      socket.on('data', (bytes: Buffer) => {
        if (missing < 0) missing = answerLength(bytes);
        missing -= bytes.length;
        if (missing > 0) return;
        const now = performance.now();
        times.push(now - sentAt);
        if (now > end) socket.end();
        else send();
      });
      send();
      await once(socket, 'close');
    }),
  );
  const seconds = (performance.now() - started) / 1_000;
  times.sort((a, b) => a - b);
  return {
    perSecond: times.length / seconds,
    ofRequest: ((ownProcessorMsOf(pid) - before) * 1_000) / times.length,
    p99: times[Math.floor(times.length * 0.99)]!,
  };
}

/** Bytes of the whole answer of which this is the first piece; heads are short enough to come in one. */
function answerLength(first: Buffer): number {
  const head = first.indexOf('\r\n\r\n') + 4;
  const text = first.toString('latin1', 0, head);
  const body = /^content-length: (\d+)/im.exec(text)?.[1];
  if (head < 4 || body === undefined || !text.startsWith('HTTP/1.1 200')) throw new Error(first.toString());
  return head + Number(body);
}

export interface BareServer extends Answering {
  stop(): void;
}

/** A process that answers every request with a fixed body. */
export async function startBare(bodyLength: number): Promise<BareServer> {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), ['bare', String(bodyLength)]);
  const [port] = (await once(child, 'message')) as [number];
  return { port, pid: child.pid!, stop: () => child.disconnect() };
}

function serveBare(bodyLength: number): void {
  const body = Buffer.alloc(bodyLength, 'x');
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  });
  server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port));
  process.once('disconnect', () => process.exit());
}

if (process.argv[2] === 'bare') serveBare(Number(process.argv[3]));
