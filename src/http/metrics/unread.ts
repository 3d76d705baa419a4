/** What a scrape could not read. */
import { Problem } from '../../api/problems/problem.ts';
import type { LineLog } from '../../control/operator-log.ts';

/** The other metrics matter most when the database is away. That it is closed, since the service stops, is nothing to be warned of. */
export function warnUnread(log: Pick<LineLog, 'warn'>, error: unknown, what: string): void {
  if (error instanceof Problem && error.code === 'shutting_down') return;
  log.warn({ err: error }, `${what} could not be read`);
}
