/** Speakers that a tenant creates by the dozen begin one after the other; nobody else's waits for them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteSpeaker, insertSpeaker, listSpeakers } from '../../../src/store/speakers/speakers.ts';
import { waitFor } from '../../daemons/wait.ts';
import { speakersOf, type Run } from '../../store/speaker-tenants.ts';
import { startPlane, type Plane } from '../plane.ts';

let plane: Plane;
beforeAll(async () => {
  plane = await startPlane();
});
afterAll(() => plane?.close());

/** Where the speakers leave no connection for five seconds, as on a busy machine, one is to try again. */
const run: Run = async (work) => {
  const { result } = await waitFor(async () => ({ result: await plane.run(work) }), { what: 'a connection' });
  return result;
};

test('of many new speakers some begin at once, and the others in turn, after one of another tenant', async () => {
  const holding = await plane.hold();
  const other = await speakersOf(plane.database);
  // In one transaction, so that all are there at the same moment.
  const ids = await plane.run(async (tx) => {
    const made: string[] = [];
    for (let n = 0; n < 40; n++)
      made.push((await insertSpeaker(tx, { name: `edge ${n}`, local_asn: 64_512 })).resource.id);
    return made;
  });
  await other.run((tx) => insertSpeaker(tx, { name: 'edge', local_asn: 64_512 }));
  // In one look: forty at once would wait for the connections that the service has.
  const beginnings = async (inTenant: Run): Promise<Map<string, string | null>> => {
    const { items } = await inTenant((tx) => listSpeakers(tx, { live: true, limit: 100 }));
    return new Map(items.map(({ id, live }) => [id, live!.last_reconfigured_at]));
  };
  const began = await waitFor(async () => [...(await beginnings(other.run)).values()][0] ?? undefined, {
    what: 'the speaker of another tenant',
  });
  // By when each began: on a busy machine all may have, by the time that somebody looks.
  const times = [...(await beginnings(run)).values()];
  expect(times).toHaveLength(40);
  expect(times.filter((time) => time === null || time > began)).not.toEqual([]);
  // Most of those that wait are gone before it is their turn.
  for (const id of ids.splice(16)) await run((tx) => deleteSpeaker(tx, id, null));
  const areLeft = async (): Promise<boolean> => {
    const left = await beginnings(run);
    return ids.every((id) => typeof left.get(id) === 'string');
  };
  await waitFor(areLeft, { what: 'those that are left' });
  await holding.close();
});
