import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { stopProcess } from './program.ts';
import type { Router, RouterOptions } from './peer.ts';

const run = promisify(execFile);

/** BIRD does not peer with its own address. */
const ADDRESS = '127.0.0.2';

/** A real BIRD with a configuration of its own, beside whatever BIRD the machine runs. */
export async function startBird(bird: string, birdc: string, options: RouterOptions): Promise<Router> {
  const socket = join(options.directory, 'bird.ctl');
  const config = join(options.directory, 'bird.conf');
  writeFileSync(config, configuration(options));
  const files = ['-c', config, '-s', socket, '-P', join(options.directory, 'bird.pid')];
  const child = spawn(bird, ['-f', ...files], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ask = async (question: string): Promise<string> =>
    (await run(birdc, ['-r', '-s', socket, question])).stdout;
  const version = /BIRD (\S+)/.exec(await firstAnswer(child, () => ask('show status')))?.[1] ?? '';
  return {
    title: `BIRD ${version}`,
    address: ADDRESS,
    port: options.port,
    asn: options.asn,
    async count(community) {
      const filter = community === null ? '' : `where (${community.replace(':', ',')}) ~ bgp_community `;
      const answer = await ask(`show route ${filter}count`);
      const perTable = [...answer.matchAll(/^(\d+) of \d+ routes/gm)].map(([, count]) => Number(count));
      return perTable.reduce((sum, count) => sum + count, 0);
    },
    stop: () => stopProcess(child),
  };
}

function configuration({ port, asn, speakerAsn }: RouterOptions): string {
  return `router id ${ADDRESS};
protocol device { }
protocol bgp prefixcast {
  local ${ADDRESS} port ${port} as ${asn};
  neighbor 127.0.0.1 as ${speakerAsn};
  strict bind; passive; multihop; graceful restart;
  ipv4 { import all; export none; };
  ipv6 { import all; export none; };
}
`;
}

/** `ask`'s first answer, once the process listens. */
async function firstAnswer(child: ChildProcess, ask: () => Promise<string>): Promise<string> {
  let complaint = '';
  child.stderr?.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
  for (let attempt = 0; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      if (child.exitCode !== null || attempt === 100) {
        await stopProcess(child);
        throw new Error(`The demo's router did not start: ${complaint}`, { cause: error });
      }
      await sleep(50);
    }
  }
}
