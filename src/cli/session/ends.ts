/** When entries leave by themselves, as people write it and read it. */
import { UsageError } from '../process/command-error.ts';
import { READERS } from '../table/value-types.ts';
import type { Session } from './run-remote.ts';

export interface EndOptions {
  /** Seconds from now. */
  readonly for?: number | undefined;
  readonly expires?: unknown;
}

/** Of `Date` in an answer (RFC 9110, section 6.6.1). */
const SECOND = 1_000;

/**
 * The time as the service has it, by which entries leave. This machine's, where the service does not contradict it: it says whole seconds, and
 * its answer was on the way.
 */
export async function serviceClock({ client }: Pick<Session, 'client'>): Promise<() => number> {
  const asked = Date.now();
  const said = Date.parse((await client.request('GET', '/v1/version')).headers.get('date') ?? '');
  const ahead = aheadBy(said, asked, Date.now());
  return () => Date.now() + ahead;
}

/** Milliseconds by which the service is ahead at least, or behind (less than 0). */
export function aheadBy(said: number, asked: number, answered: number): number {
  if (said > answered) return said - answered;
  return said + SECOND < asked ? said + SECOND - asked : 0;
}

/** What `--for` sets of an entry: the member that `--expires` sets, too. */
export function endMember(
  { for: seconds, expires }: EndOptions,
  now: number,
): { readonly expires_at?: string } {
  if (seconds === undefined) {
    if (typeof expires === 'string' && READERS.duration(expires).ok)
      throw new UsageError(
        `--expires is a moment, such as 2026-01-31T18:00:00Z, or none: for an end ${expires} from now write --for ${expires}`,
      );
    return {};
  }
  if (expires !== undefined)
    throw new UsageError('--for and --expires say different things: write one of them');
  return { expires_at: new Date(now + seconds * 1_000).toISOString() };
}

const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const;

/** Such as `in 59 min`. @param end RFC 3339, or null */
export function untilEnd(end: unknown, now: number): string | null {
  if (typeof end !== 'string') return null;
  const seconds = Math.round((Date.parse(end) - now) / 1_000);
  return seconds <= 0 ? 'now' : `in ${spanText(seconds)}`;
}

/** Such as `59 min`, since when something is as it is. @param since RFC 3339, or null */
export function sinceText(since: unknown, now: number): string | null {
  if (typeof since !== 'string') return null;
  return spanText(Math.max(0, Math.round((now - Date.parse(since)) / 1_000)));
}

function spanText(seconds: number): string {
  // 90 min says more than 2 h.
  const [size, unit] = UNITS.find(([one]) => seconds >= 2 * one) ?? UNITS.at(-1)!;
  return `${Math.round(seconds / size)} ${unit}`;
}
