/** Gauges of what the service holds, read from the database when metrics are scraped; sums over all tenants, nothing of one. */
import { Gauge, type Registry } from 'prom-client';
import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../store/database.ts';
import { countJobsByState } from '../store/jobs.ts';
import { countSessionsByState } from '../store/sessions.ts';

interface Count {
  readonly state: string;
  readonly count: number;
}

export function observeState(db: Database, registry: Registry, log: FastifyBaseLogger): void {
  const gauge = (name: string, help: string, read: () => Promise<readonly Count[]>): void => {
    new Gauge({
      name,
      help,
      labelNames: ['state'],
      registers: [registry],
      async collect() {
        this.reset();
        try {
          for (const { state, count } of await read()) this.set({ state }, count);
        } catch (error) {
          // The other metrics matter most when the database is away.
          log.warn({ err: error }, `${name} could not be read`);
        }
      },
    });
  };
  gauge('prefixcast_jobs', 'Jobs by state.', () => db.inSystem(countJobsByState));
  gauge('prefixcast_bgp_sessions', 'BGP sessions by state.', () => db.inSystem(countSessionsByState));
}
