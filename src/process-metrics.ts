/** The metrics of a process, made before anything else, so that whatever starts can count. */
import type { Logger } from 'pino';
import { Registry, collectDefaultMetrics } from 'prom-client';
import type { Config } from './config/config.ts';
import { serveMetrics } from './http/metrics/metrics-server.ts';
import { AllRegistries, type ProcessMetrics } from './http/metrics/scrapes.ts';
import type { Closers } from './closers.ts';

/** @throws {StartFault} when APP_METRICS_LISTEN cannot be listened on */
export async function startMetrics(
  { metricsListen }: Pick<Config, 'metricsListen'>,
  logger: Logger,
  closers: Closers,
): Promise<ProcessMetrics> {
  const sums = new Registry();
  collectDefaultMetrics({ register: sums });
  const named = new Registry();
  const metrics = { sums, named, isServedApart: metricsListen !== null };
  if (metricsListen === null) return metrics;
  const server = await serveMetrics(metricsListen, new AllRegistries(sums, named));
  closers.push('the metrics', () => server.close());
  logger.info({ url: server.url }, `Metrics and health are answered at ${server.url}`);
  return metrics;
}
