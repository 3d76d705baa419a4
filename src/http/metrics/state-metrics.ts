/** Gauges of what the service holds, read from the database when metrics are scraped; sums over all tenants, nothing of one. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { FastifyBaseLogger } from 'fastify';
import { readAuditBacklog, type AuditBacklog } from '../../store/audit/audit-outbox.ts';
import type { Database } from '../../store/database/database.ts';
import { countJobsByState } from '../../store/jobs/jobs.ts';
import { countSessionsByState } from '../../store/holding/sessions.ts';
import { countWebhooks } from '../../store/webhooks/webhook-turns.ts';
import { warnUnread } from './unread.ts';

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
          warnUnread(log, error, name);
        }
      },
    });
  };
  gauge('prefixcast_jobs', 'Jobs by state.', () => db.inSystem(countJobsByState));
  gauge('prefixcast_bgp_sessions', 'BGP sessions by state.', () => db.inSystem(countSessionsByState));
  gauge('prefixcast_webhooks', 'Webhooks by state: ok, failing, disabled.', () => db.inSystem(countWebhooks));
}

/** Of the process that sends. @returns what counts an attempt */
export function countWebhookAttempts(registry: Registry): (result: string) => void {
  const counter = new Counter({
    name: 'prefixcast_webhook_attempts_total',
    help: 'Requests to receivers of webhooks: taken, refused, failed.',
    labelNames: ['result'],
    registers: [registry],
  });
  return (result) => counter.inc({ result });
}

/** What the portal has not been sent: an age that grows is worth an alert, and so is anything that it refused. */
export function observeAuditOutbox(
  db: Database,
  registry: Registry,
  log: Pick<FastifyBaseLogger, 'warn'>,
): void {
  // The three gauges of one scrape share a look.
  let look: Promise<AuditBacklog> | null = null;
  const read = (): Promise<AuditBacklog> => {
    look ??= db.inSystem(readAuditBacklog).finally(() => (look = null));
    return look;
  };
  const gauge = (name: string, help: string, pick: (backlog: AuditBacklog) => number): void => {
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        try {
          this.set(pick(await read()));
        } catch (error) {
          warnUnread(log, error, name);
        }
      },
    });
  };
  gauge(
    'prefixcast_audit_unsent',
    'Audit records that the portal has not taken yet.',
    ({ unsent }) => unsent,
  );
  gauge(
    'prefixcast_audit_oldest_unsent_seconds',
    'Age of the oldest audit record that the portal has not taken yet.',
    ({ oldestSeconds }) => oldestSeconds,
  );
  gauge(
    'prefixcast_audit_refused',
    'Audit records that the portal refused for good.',
    ({ refused }) => refused,
  );
}
