/** Speakers that a tenant creates by the dozen begin one after the other; nobody else's waits for them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  deleteSpeaker,
  getSpeaker,
  insertSpeaker,
  listSpeakers,
} from '../../../src/store/speakers/speakers.ts';
import { waitFor } from '../../daemons/wait.ts';
import { speakersOf } from '../../store/speaker-tenants.ts';
import { startPlane, type Plane } from '../plane.ts';

let plane: Plane;
beforeAll(async () => {
  plane = await startPlane();
});
afterAll(() => plane?.close());

test('of many new speakers some begin at once, and the others in turn, after one of another tenant', async () => {
  const holding = await plane.hold();
  // In one transaction, so that all are there at the same moment.
  const ids = await plane.run(async (tx) => {
    const made: string[] = [];
    for (let n = 0; n < 40; n++)
      made.push((await insertSpeaker(tx, { name: `edge ${n}`, local_asn: 64_512 })).resource.id);
    return made;
  });
  const other = await speakersOf(plane.database, 'edge');
  // In one look: forty at once would wait for the connections that the service has.
  const begun = async (): Promise<number> => {
    const { items } = await plane.run((tx) => listSpeakers(tx, { live: true, limit: 100 }));
    return items.filter(({ id, live }) => ids.includes(id) && live!.last_reconfigured_at !== null).length;
  };
  await waitFor(
    async () =>
      (await other.run((tx) => getSpeaker(tx, other.speakers[0]!, true))).resource.live!
        .last_reconfigured_at !== null,
    { what: 'the speaker of another tenant' },
  );
  expect(await begun()).toBeLessThan(40);
  // Most of those that wait are gone before it is their turn.
  for (const id of ids.splice(16)) await plane.run((tx) => deleteSpeaker(tx, id, null));
  await waitFor(async () => (await begun()) === 16, { what: 'those that are left' });
  await holding.close();
});
