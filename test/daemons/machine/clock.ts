import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { programPath } from '../programs.ts';

/** The clock of a machine that there is only for programs with its environment: libfaketime reads it from a file. */
export class MachineClock {
  readonly #path: string;

  /** @param path of the file, which is made */
  constructor(path: string) {
    this.#path = path;
    this.set(0);
  }

  get env() {
    return {
      LD_PRELOAD: programPath('libfaketimeMT.so.1'),
      FAKETIME_TIMESTAMP_FILE: this.#path,
      // With a cache, processes would see the step one after the other, which none does on a real machine.
      FAKETIME_NO_CACHE: '1',
      // Nobody can set that one on a real machine.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
  }

  /** Steps the clock, under programs that run: all of them see it at once. @param hours that it is ahead from now on */
  set(hours: number): void {
    const whole = `${this.#path}.new`;
    writeFileSync(whole, `${hours < 0 ? '' : '+'}${hours * 3_600}\n`, { mode: 0o644 });
    renameSync(whole, this.#path);
  }
}

/** What libfaketime leaves behind of a program that ended, which would be in the way of a later one of that number. */
export function removeClockTraces(pid: number): void {
  for (const name of [`faketime_shm_${pid}`, `sem.faketime_sem_${pid}`])
    rmSync(join('/dev/shm', name), { force: true });
}
