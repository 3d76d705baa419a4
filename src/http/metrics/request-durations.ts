/**
 * The histogram of how long answers took. That of the library looks its labels up for each time that it is given, which takes longer than
 * much of a quick answer; here they are looked up when somebody reads the metrics.
 */
import type { Metric, Registry } from 'prom-client';

const NAME = 'http_request_duration_seconds';
/** Upper bounds, in seconds. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

type Labels = Readonly<Record<'method' | 'route' | 'status', string>>;

/** Answers of one kind. */
class Durations {
  /** Times up to each bound and above the one before it. */
  readonly #counts = BOUNDS.map(() => 0);
  #sum = 0;
  #count = 0;

  observe(seconds: number): void {
    this.#sum += seconds;
    this.#count++;
    for (let place = 0; place < BOUNDS.length; place++)
      if (seconds <= BOUNDS[place]!) {
        this.#counts[place]!++;
        return;
      }
  }

  values(labels: Labels): Value[] {
    if (this.#count === 0) return [];
    let below = 0;
    const buckets = this.#counts.map((count, place) => bucket(labels, BOUNDS[place]!, (below += count)));
    return [
      ...buckets,
      bucket(labels, '+Inf', this.#count),
      { metricName: `${NAME}_sum`, labels, value: this.#sum },
      { metricName: `${NAME}_count`, labels, value: this.#count },
    ];
  }
}

interface Value {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

function bucket(labels: Labels, bound: number | string, value: number): Value {
  return { metricName: `${NAME}_bucket`, labels: { le: bound, ...labels }, value };
}

export class RequestDurations {
  readonly name = NAME;
  readonly #kinds: { readonly labels: Labels; readonly durations: Durations }[] = [];

  constructor(registry: Registry) {
    // The registry asks a metric for its name and its values; its type names the classes of the library.
    registry.registerMetric(this as unknown as Metric);
  }

  /** What takes the times, in seconds, of answers of a kind. */
  of(labels: Labels): (seconds: number) => void {
    const durations = new Durations();
    this.#kinds.push({ labels, durations });
    return (seconds) => durations.observe(seconds);
  }

  get(): Promise<object> {
    return Promise.resolve({
      ...{ name: NAME, type: 'histogram', aggregator: 'sum' },
      help: 'Time from the head of a request to the end of its answer.',
      values: this.#kinds.flatMap(({ labels, durations }) => durations.values(labels)),
    });
  }
}
