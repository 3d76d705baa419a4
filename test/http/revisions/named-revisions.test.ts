import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeRevision } from '../fixtures.ts';
import { startService, type Body, type TestService } from '../service.ts';

let service: TestService;
let speakers: string[];
/** In the order of their numbers: 1, 2 and 3. */
let revisions: string[];
beforeAll(async () => {
  service = await startService();
  const { id } = await service.make('/v1/communities', { community: '65000:100', title: 'x' });
  speakers = [];
  for (const name of ['one', 'two'])
    speakers.push((await service.make('/v1/speakers', { name, local_asn: 64512 })).id);
  revisions = [];
  for (let n = 0; n < 3; n++)
    revisions.push(await makeRevision(service, service.tenant, id, [`9.1.${n}.0/24`, '9.0.0.0/24']));
  await service.database.admin("UPDATE revision SET state = 'held' WHERE id = $1", [revisions[2]]);
});
afterAll(() => service.close());

/** As the holder of a speaker writes it down at the end of an apply. */
async function ranSince(speaker: number, revision: number, secondsAgo: number): Promise<void> {
  await service.database.admin(
    `UPDATE speaker SET applied_revision_id = $2, applied_at = now() - make_interval(secs => $3) WHERE id = $1`,
    [speakers[speaker], revisions[revision], secondsAgo],
  );
}

const get = async (path: string): Promise<Body> => {
  const { status, body, text } = await service.call('GET', path);
  expect(status, text).toBe(200);
  return body;
};

describe('a revision is named', () => {
  test('by its id in any case, its number, and `latest`, which is the newest that is ready', async () => {
    for (const name of [revisions[1]!, revisions[1]!.toUpperCase(), '2', 'latest'])
      expect(await get(`/v1/revisions/${name}`)).toMatchObject({ id: revisions[1], number: 2 });
    expect(await get('/v1/revisions/3')).toMatchObject({ id: revisions[2], state: 'held' });
  });

  test('by `applied`: of several the one that was applied last, of enabled speakers', async () => {
    const none = await service.call('GET', '/v1/revisions/applied');
    expect(none).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(none.body.detail).toContain('No enabled speaker runs a revision yet');
    await ranSince(0, 1, 60);
    expect(await get('/v1/revisions/applied')).toMatchObject({ number: 2 });
    await ranSince(1, 0, 5);
    expect(await get('/v1/revisions/applied')).toMatchObject({ number: 1 });
    await service.database.admin('UPDATE speaker SET enabled = false WHERE id = $1', [speakers[1]]);
    expect(await get('/v1/revisions/applied')).toMatchObject({ number: 2 });
    await service.database.admin('UPDATE speaker SET enabled = true WHERE id = $1', [speakers[1]]);
  });

  test('wherever a path does: prefixes, preview, diff, pin and rollback', async () => {
    expect((await get('/v1/revisions/1/prefixes')).items).toHaveLength(2);
    expect(await get('/v1/revisions/latest/preview')).toMatchObject({ revision_id: revisions[1] });
    const diff = await get('/v1/revisions/applied/diff/latest');
    expect(diff.summary).toMatchObject({ announced: 1, withdrawn: 1 });
    const pinned = await service.call('PATCH', '/v1/revisions/latest', { body: { pinned: true } });
    expect(pinned).toMatchObject({ status: 200, body: { id: revisions[1], pinned: true } });
    const record = ((await get('/v1/audit?action=revision.change')).items as Body[])[0];
    expect(record).toMatchObject({ resource: { id: revisions[1] } });
    const back = await service.call('POST', '/v1/revisions/1/rollback');
    expect(back).toMatchObject({ status: 201, body: { number: 4, rollback_of: revisions[0] } });
    await service.database.admin('DELETE FROM revision WHERE number = 4');
  });

  test.each([
    [2, 1],
    ['2', 1],
    ['latest', 1],
    ['applied', 0],
  ])('in the body of an apply: %j', async (name, place) => {
    for (const path of ['/v1/apply', `/v1/speakers/${speakers[0]}/apply`]) {
      const { status, body, text } = await service.call('POST', path, { body: { revision_id: name } });
      expect(status, text).toBe(202);
      expect(body.resource).toEqual({ type: 'revision', id: revisions[place] });
    }
  });
});

describe('a name that names none', () => {
  test.each(['newest', '0', '-1', '01', '1e3', 'LATEST', '9999999999', '%20'])(
    'is 404 in a path with the names that there are: %s',
    async (name) => {
      const { status, body } = await service.call('GET', `/v1/revisions/${name}`);
      expect({ status, code: body.code }).toEqual({ status: 404, code: 'not_found' });
      expect(body.detail).toMatch(/names no revision\. Give the id .*its number, `latest` .* `applied`/);
    },
  );

  test('is 404 for a number that no revision of this tenant has', async () => {
    const { status, body } = await service.call('GET', '/v1/revisions/77');
    expect({ status, detail: body.detail }).toEqual({
      status: 404,
      detail: 'No revision has the number 77. List /v1/revisions to see which exist.',
    });
    const key = service.other.keys.operator;
    expect((await service.call('GET', '/v1/revisions/1', { key })).status).toBe(404);
    expect((await service.call('GET', '/v1/revisions/latest', { key })).status).toBe(404);
  });

  test.each(['newest', 0, 1.5, 77, true])('is 422 in a body with what is allowed: %j', async (name) => {
    const { status, body } = await service.call('POST', '/v1/apply', { body: { revision_id: name } });
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'validation_failed' });
    expect((body.errors as Body[])[0]).toMatchObject({ pointer: '/revision_id' });
    if (typeof name === 'string') expect(body.detail).toMatch(/`latest` .*`applied`/);
  });
});
