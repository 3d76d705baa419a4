/** The metrics of a process, made before anything else, so that whatever starts can count. */
import type { Logger } from 'pino';
import { Registry, collectDefaultMetrics } from 'prom-client';
import type { Config } from './config/config.ts';
import { type MetricsText, serveMetrics } from './http/metrics/metrics-server.ts';
import type { Closers } from './closers.ts';

export interface ProcessMetrics {
  /** Of the process, and sums over all tenants. */
  readonly sums: Registry;
  /** What names tenants and what is theirs: kept from the API, which strangers may reach, where there is another place for it. */
  readonly named: Registry;
}

/** @throws {StartFault} when APP_METRICS_LISTEN cannot be listened on */
export async function startMetrics(
  { metricsListen }: Pick<Config, 'metricsListen'>,
  logger: Logger,
  closers: Closers,
): Promise<ProcessMetrics> {
  const sums = new Registry();
  collectDefaultMetrics({ register: sums });
  if (metricsListen === null) return { sums, named: sums };
  const named = new Registry();
  const all = new AllRegistries(sums, named);
  const server = await serveMetrics(metricsListen, all);
  closers.push(() => server.close());
  logger.info({ url: server.url }, `Metrics and health are answered at ${server.url}`);
  return { sums, named };
}

/** Both as one text; what joins either later is included. */
class AllRegistries implements MetricsText {
  readonly #registries: readonly Registry[];

  constructor(...registries: readonly Registry[]) {
    this.#registries = registries;
  }

  get contentType(): string {
    return this.#registries[0]!.contentType;
  }

  async metrics(): Promise<string> {
    return (await Promise.all(this.#registries.map((registry) => registry.metrics()))).join('');
  }
}
