/**
 * What can go wrong on the network of network.ts beside cables and processes: disks that are full, clocks that are wrong (of FRR's host
 * never), and somebody between all hosts and the control plane.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopProcess } from '../../../demo/program.ts';
import type { Passing } from '../../agent/proxy.ts';
import { MachineClock, removeClockTraces } from '../../daemons/machine/clock.ts';
import type { Altered, Listening, Passed } from './between-child.ts';
import type { Host } from './daemons.ts';

/** Of whoever has a small disk: an agent for its state, BIRD for what it reads, the service for its database. */
const DISK_BYTES = { frr: 128 * 1024, bird: 128 * 1024, service: 256 * 1024 * 1024 } as const;

export type Place = Host | 'service';
export type Tamper = (path: string, answer: Passing) => Passing;
const untouched: Tamper = (_path, answer) => answer;

export class NetworkFaults {
  readonly #directory = mkdtempSync(join(tmpdir(), 'prefixcast-faults-'));
  readonly #clocks = new Map<Place, MachineClock>();
  readonly #disks = new Map<Place, string>();
  readonly #pids = new Map<Place, readonly number[]>();
  readonly #full: (() => void)[] = [];
  #between: ChildProcess | null = null;
  /** Changes an answer on its way to a node; where it throws the line breaks. */
  tamper: Tamper = untouched;

  /** Of every program there that tells or reads the time; not of the database of the control plane, which has a clock of its own. */
  env(place: Place): NodeJS.ProcessEnv {
    if (place === 'frr') return {};
    return this.#clockOf(place).env;
  }

  /** Steps the clock of a host, under programs that run. @param hours that it is ahead from now on */
  setClock(place: Place, hours: number): void {
    this.#clockOf(place).set(hours);
  }

  #clockOf(place: Place): MachineClock {
    const clock = this.#clocks.get(place) ?? new MachineClock(join(this.#directory, `clock-${place}`));
    this.#clocks.set(place, clock);
    return clock;
  }

  /** A program runs there, with what {@link env} and {@link wrapper} said. */
  started(place: Place, pid: number): void {
    this.#pids.set(place, [...(this.#pids.get(place) ?? []), pid]);
  }

  /** Gets between. @param service what runs a command where the control plane is. @returns where agents find it */
  async begin({
    service,
    address,
    url,
  }: {
    readonly service: readonly string[];
    readonly address: string;
    readonly url: string;
  }): Promise<string> {
    const script = join(import.meta.dirname, 'between-child.ts');
    const line = [...service, process.execPath, script, url, address];
    const stdio: ['ignore', 'inherit', 'inherit', 'ipc'] = ['ignore', 'inherit', 'inherit', 'ipc'];
    const child = spawn(line[0]!, line.slice(1), { stdio, serialization: 'advanced' });
    this.#between = child;
    const listening = await new Promise<Listening>((resolve, reject) => {
      child.once('message', resolve);
      child.once('exit', (code) => reject(new Error(`between-child.ts ended with ${code}`)));
    });
    child.on('message', (passed: Passed) => child.send(this.#alter(passed)));
    return listening.url;
  }

  #alter({ id, path, answer }: Passed): Altered {
    try {
      return { id, answer: this.tamper(path, { ...answer, body: Buffer.from(answer.body) }) };
    } catch {
      return { id, answer: null };
    }
  }

  /** Makes room on disks, and lets answers pass; clocks stay as they are. */
  mend(): void {
    this.tamper = untouched;
    for (const free of this.#full.splice(0)) free();
  }

  /**
   * What comes before the program of the service or an agent, so that it has a small disk there. But for BIRD's, which is as old as BIRD,
   * a disk is gone with the program.
   */
  wrapper(place: Place, path: string): readonly string[] {
    if (place === 'builtin') return [];
    const mount = `mkdir -p ${path} && mount -t tmpfs -o size=${DISK_BYTES[place]},mode=755 tmpfs ${path}`;
    const mounting = ['sh', '-c', `${mount} && exec "$@"`, 'sh'];
    const isMounted = this.#disks.has(place);
    this.#disks.set(place, path);
    if (place !== 'bird') return mounting;
    // Where BIRD, which runs already, sees it too, and nobody else.
    const enter = ['nsenter', `--mount=/proc/${this.#pids.get(place)![0]}/ns/mnt`];
    return isMounted ? enter : [...enter, ...mounting];
  }

  /** Uses up what room the small disk has, also what is freed later, until {@link mend}. */
  fillDisk(place: keyof typeof DISK_BYTES): void {
    const pid = this.#pids.get(place)!.at(-1)!;
    const filler = join(`/proc/${pid}/root`, this.#disks.get(place)!, 'filler');
    const piece = Buffer.alloc(Math.min(DISK_BYTES[place], 1 << 22));
    const fill = (): void => {
      for (let written = 0; written <= DISK_BYTES[place]; written += piece.length)
        try {
          writeFileSync(filler, piece, { flag: 'a' });
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return;
          throw error;
        }
    };
    fill();
    const filling = setInterval(fill, 50).unref();
    this.#full.push(() => {
      clearInterval(filling);
      rmSync(filler);
    });
  }

  async close(): Promise<void> {
    if (this.#between !== null) await stopProcess(this.#between);
    for (const pid of [...this.#pids.values()].flat()) removeClockTraces(pid);
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
