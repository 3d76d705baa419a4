const RESOLUTION_MS = 1;

/** Processor time of this thread between two turns of the loop, in milliseconds: what held it, whatever else the machine does. */
export class BusyMonitor {
  readonly #times: number[] = [];
  readonly #timer: NodeJS.Timeout;
  #last = threadCpuMs();

  constructor() {
    this.#timer = setInterval(() => this.#note(), RESOLUTION_MS);
  }

  end(): { readonly p99: number; readonly max: number; readonly count: number } {
    clearInterval(this.#timer);
    this.#note();
    const sorted = this.#times.sort((a, b) => a - b);
    const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? 0;
    return { p99, max: sorted.at(-1) ?? 0, count: sorted.length };
  }

  #note(): void {
    const now = threadCpuMs();
    this.#times.push(now - this.#last);
    this.#last = now;
  }
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
