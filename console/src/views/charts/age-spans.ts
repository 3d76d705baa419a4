/** Times by how long ago they are. */
import { chartText } from '../../strings/charts.ts';

const { spans } = chartText;
const HOUR = 3_600;
const DAY = 24 * HOUR;

export interface Span {
  readonly label: string;
  /** Seconds; what is as old as this is in the next one. */
  readonly below: number;
}

const LONGER = [
  { label: spans.quarter, below: 6 * HOUR },
  { label: spans.day, below: DAY },
  { label: spans.week, below: 7 * DAY },
  { label: spans.longer, below: Infinity },
] as const;

export const SOURCE_SPANS: readonly Span[] = [{ label: spans.hour, below: HOUR }, ...LONGER];
export const SESSION_SPANS: readonly Span[] = [
  { label: spans.minute, below: 60 },
  { label: spans.minutes, below: HOUR },
  ...LONGER,
];
export const AN_HOUR = HOUR;
export const A_DAY = DAY;

/** How many ages, in seconds, are in each of these. */
export function countBySpan(spansOfAges: readonly Span[], ages: readonly number[]): number[] {
  const counts = spansOfAges.map(() => 0);
  for (const age of ages) counts[spansOfAges.findIndex(({ below }) => age < below)]! += 1;
  return counts;
}
