/** `bgpctl`, OpenBGPD's control program, and `bgpd -n`, which checks a configuration in its own process. */
import { execFile } from 'node:child_process';
import { Readable } from 'node:stream';
import { SpeakerError } from '../speaker.ts';

/** Milliseconds until a daemon that does not answer counts as hung. */
const DEADLINE = 5_000;
/** Octets: an answer about a thousand peers has 4 MB. */
const LONGEST_ANSWER = 64 << 20;
/** Octets: a million networks have 50 MB. */
const LONGEST_RIB = 1 << 30;
const NETWORKS_PER_MILLISECOND = 5;

export interface ControlOptions {
  /** Path of OpenBGPD's control socket. */
  readonly socket: string;
  /** Path of `bgpctl`. */
  readonly controlProgram: string;
  /** Path of `bgpd`. */
  readonly program: string;
}

/** A program that failed; its output is in `words`. */
interface Ended {
  readonly error: (Error & { code?: unknown; killed?: boolean; signal?: unknown }) | null;
  readonly words: string;
  readonly output: string;
}

export class Control {
  readonly #options: ControlOptions;

  constructor(options: ControlOptions) {
    this.#options = options;
  }

  async showNeighbors(): Promise<unknown> {
    return JSON.parse(await this.#ask(['-j', 'show', 'neighbor']));
  }

  showNeighborsText(): Promise<string> {
    return this.#ask(['show', 'neighbor']);
  }

  /** For example `OpenBGPD 7.7`. */
  async version(): Promise<string> {
    const { words } = await run(this.#options.controlProgram, ['-V'], { deadline: DEADLINE });
    return words;
  }

  /** Lines of the networks that carry a large community such as `1:2:*`. */
  showNetworks(largeCommunity: string): Promise<string> {
    return this.#ask(['show', 'rib', 'large-community', largeCommunity], {
      deadline: 60_000,
      longest: LONGEST_RIB,
    });
  }

  /** Reads the configuration again. @throws {SpeakerError} when OpenBGPD rejects it and keeps the previous one */
  async reload(): Promise<void> {
    const answer = await this.#ask(['reload']);
    if (!answer.includes('request processed'))
      throw new SpeakerError('config_refused', `OpenBGPD did not take the configuration: ${oneLine(answer)}`);
  }

  /** Ends the session, which restarts at once. */
  async clear(address: string): Promise<void> {
    await this.#ask(['neighbor', address, 'clear']);
  }

  /** @param lines a prefix each, `count` in all */
  async announce(mark: string, lines: Iterable<Uint8Array>, count: number): Promise<void> {
    await this.#bulk(['network', 'bulk', 'large-community', mark, 'add'], lines, count);
  }

  async takeBack(lines: Iterable<Uint8Array>, count: number): Promise<void> {
    await this.#bulk(['network', 'bulk', 'delete'], lines, count);
  }

  /** Has `bgpd -n` check a configuration. @throws {SpeakerError} with OpenBGPD's own words */
  async check(path: string): Promise<void> {
    const { program } = this.#options;
    const { error, words } = await run(program, ['-n', '-f', path], { deadline: DEADLINE });
    if (error === null) return;
    if (isMissing(error)) throw missing(program, 'APP_ROUTER_BIN', 'bgpd, which checks configurations');
    throw new SpeakerError(
      'config_refused',
      `OpenBGPD refuses the configuration ${path}: ${reasonOf(error, words, DEADLINE)}`,
    );
  }

  #bulk(args: readonly string[], lines: Iterable<Uint8Array>, count: number): Promise<string> {
    return this.#ask(args, { input: lines, deadline: DEADLINE + count / NETWORKS_PER_MILLISECOND });
  }

  async #ask(args: readonly string[], options: Partial<RunOptions> = {}): Promise<string> {
    const { controlProgram, socket } = this.#options;
    const deadline = options.deadline ?? DEADLINE;
    const { error, words, output } = await run(controlProgram, ['-s', socket, ...args], {
      ...options,
      deadline,
    });
    if (error === null) return output;
    if (isMissing(error)) throw missing(controlProgram, 'APP_ROUTER_CTL', 'bgpctl, which talks to OpenBGPD');
    throw new SpeakerError(
      'speaker_unreachable',
      `OpenBGPD at ${socket} does not answer "bgpctl ${args.join(' ')}": ${reasonOf(error, words, deadline)}. Is it running, and does APP_ROUTER_SOCKET name its socket?`,
    );
  }
}

interface RunOptions {
  /** In milliseconds. */
  readonly deadline: number;
  readonly longest?: number;
  readonly input?: Iterable<Uint8Array>;
}

function run(
  program: string,
  args: readonly string[],
  { deadline, longest = LONGEST_ANSWER, input }: RunOptions,
): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { timeout: Math.ceil(deadline), killSignal: 'SIGKILL', maxBuffer: longest } as const;
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      resolve({ error, output: stdout, words: `${stderr}\n${stdout}`.trim() });
    });
    // It may end before it has read everything; its own words say why.
    child.stdin?.on('error', () => undefined);
    if (input === undefined) child.stdin?.end();
    else if (child.stdin !== null) Readable.from(input, { objectMode: false }).pipe(child.stdin);
  });
}

function isMissing({ code }: NonNullable<Ended['error']>): boolean {
  return code === 'ENOENT' || code === 'EACCES';
}

function missing(program: string, variable: string, what: string): SpeakerError {
  return new SpeakerError('daemon_missing', `${program} can't be run: set ${variable} to ${what}`);
}

function reasonOf(error: NonNullable<Ended['error']>, words: string, deadline: number): string {
  if (error.killed === true) return `it took longer than ${Math.ceil(deadline / 1000)} s`;
  return oneLine(words) || `it ended by ${String(error.signal ?? error.code)}`;
}

function oneLine(words: string): string {
  return words
    .split(/\s*\n\s*/)
    .join('; ')
    .slice(0, 1_000);
}
