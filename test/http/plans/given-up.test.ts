/** A trial of an import that its client has given up ends soon: whoever gave it up and writes then waits for the locks that it has. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';

/** More than are written before somebody learns that the client has gone. */
const CHUNKS = 60;
const ROWS_OF_CHUNK = 1_000;

let service: TestService;
let path: string;
let csv: string;

beforeAll(async () => {
  service = await startService();
  const { id } = await service.make('/v1/modules', { name: 'ranges', type: 'IP_RANGES' });
  path = `/v1/modules/${id}/entries.csv`;
  const rows = Array.from(
    { length: CHUNKS * ROWS_OF_CHUNK },
    (_, i) => `11.${i >> 16}.${(i >> 8) & 255}.${i & 255}/32`,
  );
  csv = ['cidr', ...rows].join('\n');
  // What a sequence counts stays, although trials are taken back.
  const admin = (text: string): Promise<unknown> => service.database.admin(text);
  await admin('CREATE SEQUENCE chunks');
  await admin(
    "CREATE FUNCTION count_chunk() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN PERFORM nextval(''chunks''); RETURN NULL; END'",
  );
  await admin(
    'CREATE TRIGGER count_chunks AFTER INSERT ON ip_range_entry FOR EACH STATEMENT EXECUTE FUNCTION count_chunk()',
  );
});
afterAll(() => service?.close());

async function chunks(): Promise<number> {
  const [row] = (await service.database.admin(
    'SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS count FROM chunks',
  )) as { count: string }[];
  return Number(row!.count);
}

async function send(url: string, type: string, body: string, signal: AbortSignal): Promise<Response> {
  const headers = { authorization: `Bearer ${service.tenant.keys.super_admin}`, 'content-type': type };
  return fetch(`${service.url}${url}`, { method: 'POST', headers, body, signal });
}

const TRIALS: readonly [string, (signal: AbortSignal) => Promise<Response>][] = [
  [
    'plan',
    (signal) =>
      send(
        '/v1/revisions/plan',
        'application/json',
        JSON.stringify({ changes: [{ method: 'POST', path, body: csv }] }),
        signal,
      ),
  ],
  ['dry run', (signal) => send(`${path}?dry_run=true`, 'text/csv', csv, signal)],
];

test.each(TRIALS)('a %s', async (_, begin) => {
  const before = await chunks();
  const leaving = new AbortController();
  const trial = begin(leaving.signal);
  await expect.poll(chunks, { interval: 10 }).toBeGreaterThan(before);
  leaving.abort();
  await expect(trial).rejects.toThrow('abort');
  const { status, text } = await service.call('POST', path, {
    body: 'cidr\n12.0.0.0/24\n',
    headers: { 'content-type': 'text/csv' },
  });
  expect(status, text).toBe(200);
  // Its own chunk is one of them.
  expect((await chunks()) - before).toBeLessThan(CHUNKS);
});

test('one that is meant is carried out, although its client has gone', async () => {
  const before = await chunks();
  const leaving = new AbortController();
  const meant = send(path, 'text/csv', csv, leaving.signal);
  await expect.poll(chunks, { interval: 10 }).toBeGreaterThan(before);
  leaving.abort();
  await expect(meant).rejects.toThrow('abort');
  await expect.poll(chunks).toBe(before + CHUNKS);
  const count = "SELECT count(*)::int AS count FROM ip_range_entry WHERE cidr <<= '11.0.0.0/8'";
  await expect.poll(async () => service.database.admin(count)).toEqual([{ count: CHUNKS * ROWS_OF_CHUNK }]);
});
