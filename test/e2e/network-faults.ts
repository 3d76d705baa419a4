/**
 * What can go wrong at the hosts of network.ts beside cables and processes: disks that are full (of FRR's host the agent's own, of BIRD's
 * the directory that BIRD reads), clocks that are wrong (of the other two hosts than FRR's), and somebody between all and the control plane.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopProcess } from '../../demo/program.ts';
import type { Passing } from '../agent/proxy.ts';
import type { Bird } from '../daemons/bird.ts';
import { programPath } from '../daemons/programs.ts';
import type { Altered, Listening, Passed } from './between-child.ts';
import type { Host } from './network-daemons.ts';
import type { Network } from './network.ts';

const SMALL_BYTES = 128 * 1024;
const SMALL = `size=${SMALL_BYTES},mode=755`;

export type Tamper = (path: string, answer: Passing) => Passing;
/** Whose clock can be wrong. */
export type Clock = Host | 'service';
const untouched: Tamper = (_path, answer) => answer;

export class NetworkFaults {
  readonly #directory = mkdtempSync(join(tmpdir(), 'prefixcast-faults-'));
  readonly #disks = new Map<Host, string>();
  readonly #pids: number[] = [];
  #between: ChildProcess | null = null;
  /** Changes an answer on its way to a node; where it throws the line breaks. */
  tamper: Tamper = untouched;

  /** Of every program there that tells or reads the time; not of the database of the control plane, which has a clock of its own. */
  env(host: Clock): NodeJS.ProcessEnv {
    if (host === 'frr') return {};
    this.setClock(host, 0);
    return {
      LD_PRELOAD: programPath('libfaketimeMT.so.1'),
      FAKETIME_TIMESTAMP_FILE: this.#clock(host),
      FAKETIME_CACHE_DURATION: '1',
      // Nobody can set that one on a real machine.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
  }

  /** Steps the clock of a host, under programs that run. @param hours that it is ahead from now on */
  setClock(host: Clock, hours: number): void {
    writeFileSync(this.#clock(host), `${hours < 0 ? '' : '+'}${hours * 3_600}\n`);
  }

  /** A program with the host's clock was started. */
  started(pid: number): void {
    this.#pids.push(pid);
  }

  #clock(host: Clock): string {
    return join(this.#directory, `clock-${host}`);
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

  leaveAlone(): void {
    this.tamper = untouched;
  }

  /** What comes before the agent's program, so that it has the small disk of its host. */
  wrapper(
    host: Host,
    { dataDir, configDir, bird }: { dataDir: string; configDir: string; bird: Bird },
  ): readonly string[] {
    if (host === 'builtin') return [];
    if (host === 'frr') {
      this.#disks.set(host, dataDir);
      const mounting = `mkdir -p ${dataDir} && mount -t tmpfs -o ${SMALL} tmpfs ${dataDir} && exec "$@"`;
      return ['sh', '-c', mounting, 'sh'];
    }
    // Where BIRD sees it too, and nobody else.
    const enter = ['nsenter', `--mount=/proc/${bird.pid}/ns/mnt`];
    if (!this.#disks.has(host))
      execFileSync(enter[0]!, [...enter.slice(1), 'mount', '-t', 'tmpfs', '-o', SMALL, 'tmpfs', configDir]);
    this.#disks.set(host, configDir);
    return enter;
  }

  /** Uses up what room the host's small disk has, also what is freed later. @returns what makes room again */
  fillDisk(host: 'bird' | 'frr', { bird, agents }: Network): () => void {
    const pid = host === 'bird' ? bird.pid : agents.frr.child.pid!;
    const filler = join(`/proc/${pid}/root`, this.#disks.get(host)!, 'filler');
    const fill = (): void => {
      try {
        writeFileSync(filler, Buffer.alloc(SMALL_BYTES), { flag: 'a' });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    };
    fill();
    const filling = setInterval(fill, 50).unref();
    return () => {
      clearInterval(filling);
      rmSync(filler);
    };
  }

  async close(): Promise<void> {
    if (this.#between !== null) await stopProcess(this.#between);
    // What libfaketime leaves behind, which would be in the way of a later process of that number.
    for (const pid of this.#pids)
      for (const name of [`faketime_shm_${pid}`, `sem.faketime_sem_${pid}`])
        rmSync(join('/dev/shm', name), { force: true });
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
