/** Gauges of the log files of this machine, looked at when metrics are scraped. */
import { Gauge, type Registry } from 'prom-client';
import type { LogDirectory, LogFile } from '../../logs/log-directory.ts';

/** However often somebody scrapes, the directory is read no more often than this. */
const KEPT_MILLISECONDS = 10_000;

const GAUGES: readonly (readonly [name: string, help: string, of: (files: readonly LogFile[]) => number])[] =
  [
    ['files', 'Log files that are served.', (files) => files.length],
    ['bytes', 'What the log files hold together.', (files) => files.reduce((sum, { size }) => sum + size, 0)],
    [
      'largest_bytes',
      'What the largest log file holds.',
      (files) => files.reduce((most, { size }) => Math.max(most, size), 0),
    ],
  ];

/** There is no series while the directory is away. */
export function observeLogs(logs: LogDirectory, registry: Registry): void {
  let kept: { readonly look: Promise<LogFile[] | null>; readonly until: number } | null = null;
  const look = (): Promise<LogFile[] | null> => {
    if (kept === null || kept.until <= performance.now())
      kept = { look: logs.list().catch(() => null), until: performance.now() + KEPT_MILLISECONDS };
    return kept.look;
  };
  for (const [name, help, of] of GAUGES)
    new Gauge({
      name: `prefixcast_runtime_logs_${name}`,
      help,
      registers: [registry],
      async collect() {
        const files = await look();
        if (files === null) this.remove();
        else this.set(of(files));
      },
    });
}
