import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { stopProcess } from './program.ts';
import type { Router, RouterOptions } from './peer.ts';

const command = join(import.meta.dirname, '../src/prefixcast.ts');
const ADDRESS = '127.0.0.1';

/** What a line of `prefixcast listen --output json` may say; see `prefixcast listen --help`. */
interface Line {
  readonly event: string;
  readonly prefix?: string;
  readonly communities?: readonly string[];
}

/** The project's own listener, for machines without a routing daemon. */
export async function startListener({ port, asn }: RouterOptions): Promise<Router> {
  const args = ['listen', '--listen', `${ADDRESS}:${port}`, '--asn', String(asn), '--output', 'json'];
  const child = spawn(process.execPath, [command, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const routes = new Map<string, readonly string[]>();
  const listening = Promise.withResolvers<void>();
  child.once('exit', () => listening.reject(new Error("The demo's listener did not start.")));
  createInterface(child.stdout).on('line', (text) => {
    const { event, prefix, communities } = JSON.parse(text) as Line;
    if (event === 'listening') listening.resolve();
    else if (event === 'announce') routes.set(prefix!, communities!);
    else if (event === 'withdraw') routes.delete(prefix!);
  });
  await listening.promise;
  return {
    title: 'prefixcast listen',
    address: ADDRESS,
    port,
    asn,
    count(community) {
      const matching = [...routes.values()].filter((held) => community === null || held.includes(community));
      return Promise.resolve(matching.length);
    },
    stop: () => stopProcess(child),
  };
}
