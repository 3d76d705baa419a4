/**
 * What the service reports to whoever runs it, as it happens: one line of the log each, and one count, by the process that knows it
 * first-hand. docs/reference/metrics.md has the table of them.
 */
import { inNumber } from '../shapes/counted.ts';
import { grouped } from '../shapes/grouped.ts';

export const OPERATOR_EVENTS = {
  session_up: 'info',
  session_down: 'warn',
  speaker_silent: 'warn',
  speaker_answers: 'info',
  apply_begun: 'info',
  apply_ended: 'info',
  apply_failed: 'warn',
  revision_ready: 'info',
  revision_held: 'warn',
  module_held: 'warn',
  module_released: 'info',
  source_stale: 'warn',
  source_good: 'info',
  source_unreadable_lines: 'warn',
  job_failed: 'warn',
} as const satisfies Readonly<Record<string, 'info' | 'warn'>>;

export type OperatorEventName = keyof typeof OPERATOR_EVENTS;

export interface OperatorEvent {
  readonly event: OperatorEventName;
  /** A sentence that is understood without the fields. */
  readonly text: string;
  /** Ids beside the names, such as `speaker_id` and `speaker`; `seconds` where something took time. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Where it is worse than events of its name are. */
  readonly level?: 'warn';
}

export function levelOf({ event, level }: OperatorEvent): 'info' | 'warn' {
  return level ?? OPERATOR_EVENTS[event];
}

/** Seconds as a person says them: `4.2 s`, `3 min`, `2 h 5 min`, `9 d 4 h`. */
export function duration(seconds: number): string {
  if (seconds < 60) return `${Math.max(0, Math.round(seconds * 10) / 10)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return hours % 24 === 0 ? `${hours / 24} d` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** `1 route`, `2,000 routes`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${inNumber(count, noun)}`;
}
