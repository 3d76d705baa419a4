import { spawn } from 'node:child_process';
import { AgentFault } from '../agent/agent-fault.ts';

/** Milliseconds: a transaction of a million prefixes takes about ten seconds. */
const LONGEST_MILLISECONDS = 300_000;
/** Characters of an nft error, without the line that it quotes, which may have a million prefixes. */
const LONGEST_ERROR = 2_000;

/** The program nft, one process for each call. */
export class Nft {
  readonly #program: string;

  constructor(program: string) {
    this.#program = program;
  }

  /**
   * @returns its output
   * @throws {AgentFault} `kernel_refused` with nft's own words, or `wrong_setup` when it cannot be started
   */
  async run(args: readonly string[]): Promise<string> {
    const child = spawn(this.#program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: LONGEST_MILLISECONDS,
      env: { ...process.env, LC_ALL: 'C' },
    });
    const output: Buffer[] = [];
    let error = '';
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => {
      if (error.length < LONGEST_ERROR) error += chunk.toString().slice(0, LONGEST_ERROR);
    });
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    const status = await ended.catch((cause: unknown) => {
      const { message } = cause as Error;
      throw new AgentFault(
        'wrong_setup',
        `${this.#program} cannot be started: ${message}. Install nftables, or set APP_FIREWALL_NFT to its program nft.`,
        { cause },
      );
    });
    if (status === 0) return Buffer.concat(output).toString();
    const words = error.trim().replaceAll(/\s+/g, ' ').slice(0, 500) || `it ended with ${status}`;
    throw new AgentFault('kernel_refused', `nft ${args.join(' ')} failed: ${words}`);
  }
}
