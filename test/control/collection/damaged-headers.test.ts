/** Stored headers that nobody can open any more, say after a restore with another key: a fault of their owner alone. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeCdnSource } from '../../../src/control/entries/cdn-sources.ts';
import { createDohProfile } from '../../../src/control/lists/doh-profiles.ts';
import { createDomainEntries } from '../../../src/control/entries/domain-entries.ts';
import { testDohProfile } from '../../../src/control/lists/test-doh-profile.ts';
import { listProfilesToAsk } from '../../../src/store/modules/doh-profiles.ts';
import { a, type DohServer, replyTo, startDohServer } from '../../sources/doh/server.ts';
import { useGuarded } from '../guards/guarded.ts';

const guarded = useGuarded();

const damage = (table: 'cdn_source' | 'doh_profile', id: string): Promise<unknown> =>
  guarded.plane.database.admin(
    `UPDATE ${table} SET headers_sealed = set_byte(headers_sealed, 30, get_byte(headers_sealed, 30) # 1) WHERE id = $1`,
    [id],
  );

describe('of a source', () => {
  test('it keeps its prefixes and says what to do, and the others of its module are read', async () => {
    const { plane } = guarded;
    const moduleId = await guarded.addModule('clouds');
    const change = (id: string, headers: Record<string, string | null>): Promise<unknown> =>
      plane.run((tx) => changeCdnSource(tx, plane.context, moduleId, id, { headers }, null));
    guarded.answer('/damaged', ['11.0.0.0/24']);
    guarded.answer('/well', ['12.0.0.0/24']);
    const damaged = await guarded.addSource(moduleId, '/damaged');
    const well = await guarded.addSource(moduleId, '/well');
    await change(damaged, { 'X-Token': 'hunter2', 'X-Name': 'us' });
    await guarded.refresh(moduleId);

    await damage('cdn_source', damaged);
    guarded.answer('/damaged', ['13.0.0.0/24']);
    guarded.answer('/well', ['12.0.0.0/24', '14.0.0.0/24']);
    await guarded.refresh(moduleId);
    expect(await guarded.routes()).toEqual(['11.0.0.0/24', '12.0.0.0/24', '14.0.0.0/24']);
    expect(await guarded.source(moduleId, damaged)).toMatchObject({
      status: 'stale',
      last_error: expect.stringMatching(
        /^source_bad_headers: the stored headers cannot be opened, so that nothing is asked: set each of them again/,
      ) as string,
    });
    expect(await guarded.source(moduleId, well)).toMatchObject({ status: 'ok' });

    // What stays would be sent without its value.
    await expect(change(damaged, { 'x-token': 'hunter3' })).rejects.toMatchObject({
      code: 'validation_failed',
      errors: [{ pointer: '/headers', detail: expect.stringContaining('X-Name as well') as string }],
    });
    await change(damaged, { 'x-token': 'hunter3', 'X-Name': null });
    await guarded.refresh(moduleId);
    expect(await guarded.routes()).toEqual(['12.0.0.0/24', '13.0.0.0/24', '14.0.0.0/24']);
    expect(await guarded.source(moduleId, damaged)).toMatchObject({ status: 'ok', last_error: null });
  });
});

describe('of a resolver', () => {
  let server: DohServer;
  beforeAll(async () => {
    server = await startDohServer();
    server.answer = (asked) => replyTo(asked, asked.type === 'A' ? [a(asked.name, '11.9.9.9')] : []);
  });
  afterAll(() => server?.close());

  test('the next one is asked, and a test of it says what to do', async () => {
    const { plane } = guarded;
    const profile = (name: string, headers: Record<string, string>): Promise<string> =>
      plane.run(
        async (tx) =>
          (await createDohProfile(tx, plane.context, { name, url: server.url, headers })).resource.id,
      );
    const first = await profile('first', { 'X-Token': 'hunter2' });
    const second = await profile('second', {});
    await damage('doh_profile', first);
    const moduleId = await guarded.addModule('names', {
      type: 'DOMAINS',
      doh_profile_ids: [first, second],
    });
    await plane.run((tx) => createDomainEntries(tx, moduleId, [{ domain: 'www.example.com' }], () => ''));
    await guarded.refresh(moduleId);
    expect(await guarded.routes()).toContain('11.9.9.9/32');

    const [asked] = await plane.run((tx) => listProfilesToAsk(tx, plane.context.secrets, [first]));
    const { answers } = await testDohProfile('tenant', asked!, 'www.example.com', { allow: [], own: [] });
    expect(answers[0]!.error).toMatch(/^source_bad_headers: first: the stored headers cannot be opened/);
  });
});
