/** A service with readers of its events, and what leads to events. Readers are closed after each test, the service after the file. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { TenantTx } from '../../../src/store/database/database.ts';
import { finishJob, setJobProgress, startJob } from '../../../src/store/jobs/job-runs.ts';
import { insertJob } from '../../../src/store/jobs/jobs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { startService, type TestService, type TestTenant } from '../service.ts';
import { EventReader, type SeenEvent } from './event-reader.ts';

export const newJob = {
  ...{ type: 'apply' as const, input: {}, resource: null },
  ...{ requestedBy: 'key:test', parentId: null },
} as const;

export interface Followers {
  readonly service: TestService;
  /** Opens a stream, and waits until it has begun or was refused. */
  readonly follow: (
    tenant: TestTenant,
    lastEventId?: string | null,
    of?: { readonly query?: string; readonly key?: string },
  ) => Promise<EventReader>;
  /** Closes every reader that is open. */
  readonly leave: () => void;
  readonly inTenant: <T>(tenant: TestTenant, work: (tx: TenantTx) => Promise<T>) => Promise<T>;
  /** A job that is asked for, runs and succeeds, each in a transaction of its own. */
  readonly runJob: (tenant: TestTenant) => Promise<string>;
}

export function followers(): Followers {
  let service: TestService;
  const readers: EventReader[] = [];
  const leave = (): void => {
    for (const reader of readers.splice(0)) reader.close();
  };
  beforeAll(async () => {
    service = await startService();
  });
  afterEach(leave);
  afterAll(() => service?.close());
  const inTenant: Followers['inTenant'] = ({ id }, work) => service.database.db.inTenant(id, work);
  return {
    get service() {
      return service;
    },
    leave,
    inTenant,
    async follow(tenant, lastEventId = null, { query = '', key = tenant.keys.viewer } = {}) {
      const reader = await EventReader.open(`${service.url}/v1/events${query}`, key, lastEventId);
      readers.push(reader);
      if (reader.response.statusCode === 200)
        await waitFor(() => reader.lastId !== null || reader.hasEnded, { what: 'the stream to begin' });
      return reader;
    },
    async runJob(tenant) {
      const { id } = await inTenant(tenant, (tx) => insertJob(tx, newJob));
      const holder = randomUUID();
      await inTenant(tenant, (tx) => startJob(tx, id, holder));
      await inTenant(tenant, (tx) => setJobProgress(tx, id, holder, { phase: 'apply', done: 1, total: 2 }));
      await inTenant(tenant, (tx) => finishJob(tx, id, { state: 'succeeded', result: {}, error: null }));
      return id;
    },
  };
}

export async function seen(reader: EventReader, count: number): Promise<readonly SeenEvent[]> {
  await waitFor(() => reader.events.length >= count, {
    what: `${count} events`,
    details: () => JSON.stringify(reader.events),
  });
  return reader.events;
}
