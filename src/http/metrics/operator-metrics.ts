import { Counter, Histogram, type Registry } from 'prom-client';
import { OPERATOR_EVENTS, type OperatorEvent } from '../../api/activity/operator-events.ts';

const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** Counts the events that this process logs for operators: the same events, without names. */
export class OperatorMetrics {
  readonly #events: Counter<'event'>;
  readonly #applies: Histogram<'outcome'>;

  constructor(registry: Registry) {
    this.#events = new Counter({
      name: 'prefixcast_events_total',
      help: 'Events that this process logged for operators, by event.',
      labelNames: ['event'],
      registers: [registry],
    });
    this.#applies = new Histogram({
      name: 'prefixcast_apply_duration_seconds',
      help: 'Time that applies took at the speakers that this process holds, by outcome.',
      labelNames: ['outcome'],
      buckets: SECONDS,
      registers: [registry],
    });
    // Events that have not happened yet have a zero: otherwise their first occurrence would not show as an increase.
    for (const event of Object.keys(OPERATOR_EVENTS)) this.#events.inc({ event }, 0);
  }

  count({ event, fields: { outcome, seconds } }: OperatorEvent): void {
    this.#events.inc({ event });
    if (typeof outcome === 'string' && typeof seconds === 'number')
      this.#applies.observe({ outcome }, seconds);
  }
}
