/** What became of a prefix whose revisions were pruned: nobody is to read that it had never been there. */
import pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { placesOf } from '../../../src/store/embedded/places.ts';
import { useDesk } from '../desk/desk.ts';

const desk = useDesk();
const { type, mustType } = desk;

/** The only revisions that are kept, once the others were pruned. */
let kept = 0;

beforeAll(async () => {
  for (const line of [
    'module create hosts --type IP_RANGES',
    'entry add hosts 8.8.4.0/24 9.9.9.9/32 --wait',
    'entry remove hosts 9.9.9.9/32 --wait',
    'entry add hosts 7.7.7.7/32 --wait',
  ])
    await mustType(line);
  await ageRevisions();
  await mustType('settings set revision_retention_minutes 1');
  await mustType('revision prune --wait');
  kept = (JSON.parse(await mustType('revision show latest -o json')) as { number: number }).number;
});

async function ageRevisions(): Promise<void> {
  const host = placesOf(desk.casting.dataDir).socketDir;
  const database = new pg.Client({ host, port: 5432, user: 'postgres', database: 'prefixcast' });
  await database.connect();
  await database.query("UPDATE prefixcast.revision SET created_at = created_at - interval '1 hour'");
  await database.end();
}

const cut = (prefix: string): RegExp =>
  new RegExp(
    `Revision ${kept} of 2\\S+ is the oldest that is kept, and \\d+ revisions? before it w\\w+ pruned: what these had is not known\\. ` +
      `Who edited it then: prefixcast audit list --prefix ${prefix}`,
  );

test('a history says where it is cut, of what is there and of what is gone', async () => {
  const there = await type('history 8.8.4.0/24');
  expect(there).toMatchObject({ code: 0, err: expect.stringMatching(cut('8.8.4.0/24')) as string });
  expect(there.out).toMatch(new RegExp(`^${kept} .* announced by then `, 'm'));
  const gone = await type('history 9.9.9.9/32');
  expect(gone).toMatchObject({ code: 0, err: expect.stringMatching(cut('9.9.9.9/32')) as string });
  const data = await type('history 9.9.9.9/32 -o json');
  expect(JSON.parse(data.out)).toMatchObject({ items: [], oldest: { revision: kept } });
  expect(
    (JSON.parse(data.out) as { oldest: { pruned_before: number } }).oldest.pruned_before,
  ).toBeGreaterThan(0);
  // The line that it prints leads to who it was.
  expect(await mustType('audit list --prefix 9.9.9.9/32')).toContain('ip_range_entry.delete');
});

test('why does not take the oldest revision for the beginning, nor what it lacks for what never was', async () => {
  expect(await mustType('why 8.8.4.1')).toMatch(
    new RegExp(`^ {4}since 2\\S+ or before that: revision ${kept} is the oldest that is kept$`, 'm'),
  );
  const gone = await type('why 9.9.9.9');
  expect(gone).toMatchObject({ code: 1, out: expect.stringMatching(cut('9.9.9.9')) as string });
});

test('what changed since then is dated as ever', async () => {
  await mustType('entry add hosts 6.6.6.6/32 --wait');
  const { out } = await type('history 6.6.6.6/32');
  expect(out).toMatch(new RegExp(`^${kept + 1} .* announced +6\\.6\\.6\\.6/32`, 'm'));
  expect(await mustType('why 6.6.6.6')).toMatch(new RegExp(`^ {4}since 2\\S+, revision ${kept + 1}$`, 'm'));
});
