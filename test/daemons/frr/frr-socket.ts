import { connect } from 'node:net';
import { PATIENCE_MS } from '../wait.ts';

/**
 * Asks FRR's bgpd over the socket that `vtysh` uses: a command ends with NUL, an answer with three NULs and a status.
 * Rejects with FRR's words when the status is not 0.
 */
export function askFrr(socketPath: string, command: string, timeoutMs = PATIENCE_MS): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath);
    const pending = ['enable', command];
    let received = Buffer.alloc(0);
    let chunks: Buffer[] = [];
    const finish = (error: Error | undefined, answer = ''): void => {
      socket.destroy();
      if (error === undefined) resolve(answer);
      else reject(error);
    };
    const next = (): void => {
      socket.write(`${pending[0]!}\0`);
    };
    socket.setTimeout(timeoutMs, () => {
      finish(new Error(`FRR did not answer "${command}" within ${timeoutMs} ms`));
    });
    socket.on('connect', next);
    socket.on('error', finish);
    socket.on('close', () => {
      finish(new Error(`FRR closed its socket before the answer to "${command}" was complete`));
    });
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      const last = chunks.length === 1 ? chunk : Buffer.concat(chunks.slice(-2));
      const isComplete = last.length >= 4 && last.subarray(-4, -1).equals(Buffer.alloc(3));
      if (!isComplete) return;
      received = Buffer.concat(chunks);
      chunks = [];
      const status = received.at(-1)!;
      const text = received.toString('utf8', 0, received.length - 4);
      const asked = pending.shift()!;
      if (status !== 0) finish(new Error(`FRR answers "${asked}" with status ${status}: ${text.trim()}`));
      else if (pending.length === 0) finish(undefined, text);
      else next();
    });
  });
}
