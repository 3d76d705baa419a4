/** When entries leave by themselves, as people write it and read it. */
import { UsageError } from '../process/command-error.ts';

export interface EndOptions {
  /** Seconds from now. */
  readonly for?: number | undefined;
  readonly expires?: unknown;
}

/** What `--for` sets of an entry: the member that `--expires` sets, too. */
export function endMember(
  { for: seconds, expires }: EndOptions,
  now = Date.now(),
): { readonly expires_at?: string } {
  if (seconds === undefined) return {};
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
export function untilEnd(end: unknown, now = Date.now()): string | null {
  if (typeof end !== 'string') return null;
  const seconds = Math.round((Date.parse(end) - now) / 1_000);
  if (seconds <= 0) return 'now';
  // 90 min says more than 2 h.
  const [size, unit] = UNITS.find(([one]) => seconds >= 2 * one) ?? UNITS.at(-1)!;
  return `in ${Math.round(seconds / size)} ${unit}`;
}
