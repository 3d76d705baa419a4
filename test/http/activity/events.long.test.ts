/** Streams of events that take long: many events, and a quarter of a minute of silence. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createServer } from '../../../src/http/server/server.ts';
import { startJob } from '../../../src/store/jobs/job-runs.ts';
import { insertJob } from '../../../src/store/jobs/jobs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { makeTenant, newMetrics } from '../service.ts';
import { followers, newJob } from './event-followers.ts';
import { EventReader, type SeenEvent } from './event-reader.ts';

const stage = followers();
const { follow, inTenant, runJob } = stage;

test('silence is broken by a comment, after a quarter of a minute', async () => {
  const reader = await follow(await makeTenant(stage.service.database));
  await waitFor(() => reader.comments.includes('heartbeat'), { what: 'a heartbeat' });
  expect(reader.events).toEqual([]);
});

describe('coming back', () => {
  test('while 500 jobs change: every event once and in order, for readers that break off and go on at any process', async () => {
    const tenant = await makeTenant(stage.service.database);
    const second = await createServer({ ...stage.service.dependencies, metrics: newMetrics() });
    const secondUrl = await second.listen({ host: '127.0.0.1', port: 0 });
    const { id: lateId } = await inTenant(tenant, (tx) => insertJob(tx, newJob));
    const start = (await follow(tenant)).lastId!;
    const total = 500 * 4 + 1;
    let written = false;
    const readAll = async (breaks: boolean): Promise<SeenEvent[]> => {
      const events: SeenEvent[] = [];
      let last = start;
      const deadline = performance.now() + 60_000;
      while (events.length < total && performance.now() < deadline) {
        const url = breaks && Math.random() < 0.5 ? secondUrl : stage.service.url;
        const reader = await EventReader.open(`${url}/v1/events`, tenant.keys.operator, last);
        const enough = breaks ? 1 + Math.floor(Math.random() * 120) : total;
        while (reader.events.length < Math.min(enough, total - events.length) && performance.now() < deadline)
          await sleep(5); // as often as it looks whether it has enough
        reader.close();
        events.push(...reader.events);
        last = reader.lastId ?? last;
      }
      return events;
    };
    const reading = Promise.all([readAll(false), readAll(true), readAll(true)]);
    // One writes early and commits last.
    const late = inTenant(tenant, async (tx) => {
      await startJob(tx, lateId, randomUUID());
      await waitFor(() => written, { what: 'the others to have written' });
    });
    let left = 500;
    const write = async (): Promise<void> => {
      while (left-- > 0) await runJob(tenant);
    };
    await Promise.all(Array.from({ length: 6 }, write));
    written = true;
    await late;
    const read = await reading;
    await second.close();
    for (const events of read) {
      expect(events).toHaveLength(total);
      const first = Number(start) + 1;
      expect(events.map(({ id }) => Number(id))).toEqual(events.map((_, i) => first + i));
      const byJob = Map.groupBy(events, ({ data }) => data.id);
      expect(byJob.size).toBe(501);
      for (const [id, own] of byJob)
        expect(own.map(({ data }) => data.state)).toEqual(
          id === lateId ? ['running'] : ['queued', 'running', 'running', 'succeeded'],
        );
    }
  });
});

describe('a stream ends', () => {
  test('when its reader takes nothing for a quarter of a minute, with little kept for it', async () => {
    const tenant = await makeTenant(stage.service.database);
    const reader = await follow(tenant);
    reader.response.pause();
    const fat = `INSERT INTO event (tenant_id, kind, data)
                 SELECT $1, 'job', jsonb_build_object('text', repeat('x', 20000)) FROM generate_series(1, 2000)`;
    await stage.service.database.admin(fat, [tenant.id]);
    const reported = () =>
      stage.service.log.some((line) => line.includes('cut off') && line.includes('took nothing'));
    await waitFor(reported, { what: 'the reader to be cut off' });
    reader.response.resume();
    await waitFor(() => reader.hasEnded, { what: 'the stream to end' });
    expect(reader.response.complete).toBe(false);
    expect(reader.events.length).toBeLessThan(1_000);
  });
});
