import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { diffHeldModule } from '../../../src/control/revisions/held-diff.ts';
import { rollbackRevision } from '../../../src/control/rollout/rollback-revision.ts';
import { createIpRangeEntries } from '../../../src/control/entries/ip-range-entries.ts';
import { deleteExpired } from '../../../src/store/entries/expiries.ts';
import type { Plane } from '../plane.ts';
import { applied, scattered, useGuarded } from './guarded.ts';

const guarded = useGuarded();
let plane: Plane;
beforeAll(() => {
  plane = guarded.plane;
});

const GOOD = scattered(200);
const POISON = scattered(20);
const reason = 'the provider moved its network';

describe('what a rollback took back', () => {
  const rollBack = (id: string) => plane.run((tx) => rollbackRevision(tx, plane.context, id));
  const codesOf = async (id: string) => (await guarded.module(id)).held?.findings.map(({ code }) => code);

  test('is released once, with all that the release meets', async () => {
    const { moduleId } = await applied(guarded, GOOD);
    const good = (await guarded.runs())!;
    await guarded.set({ guard_max_change_percent: 1_000_000 });
    guarded.answer('/list', POISON);
    await guarded.refresh(moduleId);
    await guarded.set({ guard_max_change_percent: null });
    const { apply_job_id: job } = (await rollBack(good)).resource;
    await plane.succeeded({ id: job! });
    expect(await codesOf(moduleId)).toEqual(['rolled_back']);
    const { findings } = await plane.run((tx) => diffHeldModule(tx, moduleId, { limit: 1 }));
    expect(findings.map(({ code }) => code)).toEqual(['max_change_exceeded', 'rolled_back']);
    await expect(guarded.release(moduleId, { override: ['rolled_back'], reason })).rejects.toMatchObject({
      code: 'max_change_exceeded',
      message: expect.stringContaining('max_change_exceeded, rolled_back') as unknown,
    });
    const override = ['rolled_back' as const, 'max_change_exceeded' as const];
    expect(await guarded.release(moduleId, { override, reason })).toMatchObject({ quarantined: [] });
    expect(await guarded.routes()).toEqual([...POISON].sort());
  });

  test('ends what was let through and no revision had: that is held again', async () => {
    const { moduleId } = await applied(guarded, GOOD);
    const good = (await guarded.runs())!;
    guarded.answer('/list', scattered(210));
    await guarded.refresh(moduleId);
    guarded.answer('/list', [...scattered(220), '12.0.0.0/7']);
    await guarded.set({ guard_max_change_percent: 1_000_000 });
    await guarded.refresh(moduleId);
    expect(await codesOf(moduleId)).toEqual(['prefix_too_short']);
    await guarded.set({ guard_max_prefixes: 215 });
    expect(await guarded.release(moduleId, { override: ['prefix_too_short'], reason })).toMatchObject({
      state: 'held',
      findings: [{ code: 'max_prefixes_exceeded' }],
    });
    expect(await codesOf(moduleId)).toBeUndefined();
    await plane.succeeded({ id: (await rollBack(good)).resource.apply_job_id! });
    const { held } = await guarded.module(moduleId);
    expect(held?.findings).toMatchObject([{ code: 'prefix_too_short', module_id: moduleId }]);
    expect(held?.findings[0]?.detail).toContain('a rollback has ended that');
    await guarded.refresh(await guarded.addRange('other', '46.0.0.0/24'));
    expect(await guarded.routes()).toEqual([...GOOD, '46.0.0.0/24'].sort());
    expect(await codesOf(moduleId)).toEqual(['prefix_too_short']);
  });

  test('stays back when the rollback was held, and let through with an override', async () => {
    const { moduleId } = await applied(guarded, GOOD);
    const good = (await guarded.runs())!;
    guarded.answer('/list', scattered(210));
    await guarded.refresh(moduleId);
    await guarded.set({ guard_min_prefix_length_ipv4: 25 });
    const { resource: held } = await rollBack(good);
    expect(held).toMatchObject({ state: 'held', quarantined: [] });
    const job = await guarded.apply({ revision_id: held.id, override: ['prefix_too_short'], reason });
    await plane.succeeded(job);
    expect(await codesOf(moduleId)).toEqual(['rolled_back']);
    expect(await plane.revision(held.id)).toMatchObject({ quarantined: [{ module_id: moduleId }] });
    await guarded.set({ guard_min_prefix_length_ipv4: null });
    await guarded.refresh(await guarded.addRange('other', '46.0.0.0/24'));
    expect(await guarded.routes()).toEqual([...GOOD, '46.0.0.0/24'].sort());
  });

  test('is let through no more when it was held, and something newer is ready', async () => {
    await applied(guarded, GOOD);
    const good = (await guarded.runs())!;
    await guarded.refresh(await guarded.addRange('slip', '46.0.1.0/24'));
    await guarded.set({ guard_min_prefix_length_ipv4: 25 });
    const { resource: held } = await rollBack(good);
    await guarded.set({ guard_min_prefix_length_ipv4: null });
    await guarded.refresh(await guarded.addRange('other', '46.0.0.0/24'));
    const before = await guarded.routes();
    expect(await guarded.refused({ revision_id: held.id })).toMatchObject({
      ...{ code: 'conflict', message: expect.stringContaining(`/v1/revisions/${good}/rollback`) as unknown },
    });
    expect(await guarded.routes()).toEqual(before);
    expect(await plane.revision(held.id)).toMatchObject({ state: 'held' });
  });

  test.each([
    ['disabled', (id: string, source: string) => guarded.enableSource(id, source, false)],
    [
      'deleted',
      (_id: string, source: string) =>
        plane.run((tx) => tx.sql.deleteFrom('cdn_source').where('id', '=', source).execute()),
    ],
  ])('is corrected at once when the entry that brought it is %s', async (_what, correct) => {
    const { moduleId } = await applied(guarded, GOOD);
    const good = (await guarded.runs())!;
    const [bad, idle] = [
      await guarded.addSource(moduleId, '/bad'),
      await guarded.addSource(moduleId, '/idle'),
    ];
    guarded.answer(
      '/bad',
      POISON.map((prefix) => prefix.replace('45.', '44.')),
    );
    guarded.answer('/idle', []);
    await guarded.refresh(moduleId);
    const { apply_job_id: job } = (await rollBack(good)).resource;
    await plane.succeeded({ id: job! });
    expect(await codesOf(moduleId)).toEqual(['rolled_back']);
    const other = await guarded.addRange('other', '46.0.0.0/24');
    // What had nothing in it corrects nothing.
    await guarded.enableSource(moduleId, idle, false);
    expect(await guarded.refresh(other)).toMatchObject({ quarantined: [{ module_id: moduleId }] });
    await correct(moduleId, bad);
    expect(await guarded.refresh(other)).toMatchObject({ state: 'ready', quarantined: [] });
    expect(await guarded.routes()).toEqual([...GOOD, '46.0.0.0/24'].sort());
  });

  test.each<[string, (source: string) => Promise<unknown>]>([
    [
      'an entry becomes stale',
      async (source) => {
        await guarded.set({ guard_stale_action: 'drop', guard_stale_max_hours: 24 });
        const last_refreshed_at = sql<string>`now() - interval '25 hours'`;
        await plane.run((tx) =>
          tx.sql.updateTable('cdn_source').set({ last_refreshed_at }).where('id', '=', source).execute(),
        );
      },
    ],
    [
      'the end of an entry comes',
      async (source) => {
        const expires_at = sql<string>`now() - interval '1 second'`;
        await plane.run((tx) =>
          tx.sql.updateTable('cdn_source').set({ expires_at }).where('id', '=', source).execute(),
        );
        expect(await plane.run((tx) => deleteExpired(tx, 'cdn_source', [source]))).toEqual([source]);
      },
    ],
    [
      'an entry may have been disabled before, which an earlier version did not note',
      async (source) => {
        const unknown = { left_out: null };
        await plane.run(async (tx) => {
          await tx.sql.updateTable('rolled_back_snapshot').set(unknown).execute();
          await tx.sql.updateTable('cdn_source').set({ enabled: false }).where('id', '=', source).execute();
        });
      },
    ],
  ])('stays back when %s', async (_what, leave) => {
    const { moduleId } = await applied(guarded, GOOD);
    const second = await guarded.addSource(moduleId, '/second');
    guarded.answer('/second', scattered(10, 300));
    await guarded.refresh(moduleId);
    const good = (await guarded.runs())!;
    guarded.answer('/list', scattered(205));
    await guarded.refresh(moduleId);
    await plane.succeeded({ id: (await rollBack(good)).resource.apply_job_id! });
    const other = await guarded.addRange('other', '46.0.0.0/24');
    await leave(second);
    for (let times = 0; times < 2; times++) {
      expect(await guarded.refresh(other)).toMatchObject({ quarantined: [{ module_id: moduleId }] });
      expect(await codesOf(moduleId)).toEqual(['rolled_back']);
    }
    expect(await guarded.routes()).toEqual([...GOOD, '46.0.0.0/24'].sort());
  });

  test('stays back when a range of it leaves by itself, and comes when somebody edits another', async () => {
    await applied(guarded, GOOD);
    const moduleId = await guarded.addRange('attacked', '46.0.0.0/24');
    await guarded.refresh(moduleId);
    const good = (await guarded.runs())!;
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const cidrs = ['46.1.0.0/24', '46.2.0.0/24', '46.3.0.0/24'];
    await plane.run((tx) =>
      createIpRangeEntries(
        tx,
        moduleId,
        cidrs.map((cidr) => ({ cidr, expires_at })),
        () => '',
      ),
    );
    await guarded.refresh(moduleId);
    expect(await guarded.routes()).toEqual(expect.arrayContaining(cidrs));
    await plane.succeeded({ id: (await rollBack(good)).resource.apply_job_id! });
    const expire = async (cidr: string): Promise<void> => {
      const ended = sql<string>`now() - interval '1 second'`;
      const { id } = await plane.run((tx) =>
        tx.sql
          .updateTable('ip_range_entry')
          .set({ expires_at: ended })
          .where('module_id', '=', moduleId)
          .where('cidr', '=', cidr)
          .returning('id')
          .executeTakeFirstOrThrow(),
      );
      expect(await plane.run((tx) => deleteExpired(tx, 'ip_range_entry', [id]))).toEqual([id]);
    };
    for (const cidr of cidrs.slice(0, 2)) {
      await expire(cidr);
      expect(await guarded.refresh(moduleId)).toMatchObject({ quarantined: [{ module_id: moduleId }] });
      expect(await codesOf(moduleId)).toEqual(['rolled_back']);
      // The ends of entries are remembered for some days.
      await plane.run((tx) => tx.sql.deleteFrom('past_expiry').execute());
    }
    const other = await guarded.addRange('other', '47.0.0.0/24');
    expect(await guarded.refresh(other)).toMatchObject({ quarantined: [{ module_id: moduleId }] });
    expect(await guarded.routes()).toEqual([...GOOD, '46.0.0.0/24', '47.0.0.0/24'].sort());
    await plane.run((tx) => createIpRangeEntries(tx, moduleId, [{ cidr: '46.4.0.0/24' }], () => ''));
    expect(await guarded.refresh(moduleId)).toMatchObject({ quarantined: [] });
    expect(await guarded.routes()).toEqual(
      [...GOOD, '46.0.0.0/24', '46.3.0.0/24', '46.4.0.0/24', '47.0.0.0/24'].sort(),
    );
  });

  test('of a list that had nothing before is held no more once all of it has left by itself', async () => {
    await applied(guarded, GOOD);
    const good = (await guarded.runs())!;
    const moduleId = await guarded.addModule('attacked', { type: 'IP_RANGES' });
    const entry = { cidr: '46.1.0.0/24', expires_at: new Date(Date.now() + 3_600_000).toISOString() };
    const [made] = await plane.run((tx) => createIpRangeEntries(tx, moduleId, [entry], () => ''));
    const { id } = made!.resource;
    await guarded.refresh(moduleId);
    await plane.succeeded({ id: (await rollBack(good)).resource.apply_job_id! });
    const other = await guarded.addRange('other', '46.9.0.0/24');
    expect(await guarded.refresh(other)).toMatchObject({ quarantined: [{ module_id: moduleId }] });
    await plane.run(async (tx) => {
      const expires_at = sql<string>`now() - interval '1 second'`;
      await tx.sql.updateTable('ip_range_entry').set({ expires_at }).where('id', '=', id).execute();
      expect(await deleteExpired(tx, 'ip_range_entry', [id])).toEqual([id]);
    });
    expect(await guarded.refresh(moduleId)).toMatchObject({ quarantined: [] });
    expect(await codesOf(moduleId)).toBeUndefined();
    expect(await guarded.refresh(other)).toMatchObject({ state: 'ready', quarantined: [] });
    expect(await guarded.routes()).toEqual([...GOOD, '46.9.0.0/24'].sort());
  });

  test('of a list that the old revision lacked, other content of its source is not what was taken back', async () => {
    await applied(guarded, GOOD);
    const good = (await guarded.runs())!;
    const moduleId = await guarded.addModule('later', { type: 'CDN_SOURCES' });
    const source = await guarded.addSource(moduleId, '/later');
    guarded.answer('/later', scattered(10, 300));
    await guarded.refresh(moduleId);
    await plane.succeeded({ id: (await rollBack(good)).resource.apply_job_id! });
    guarded.answer('/later', scattered(12, 300));
    expect(await guarded.refresh(moduleId)).toMatchObject({ quarantined: [{ module_id: moduleId }] });
    await guarded.enableSource(moduleId, source, false);
    const other = await guarded.addRange('other', '46.0.0.0/24');
    expect(await guarded.refresh(other)).toMatchObject({ quarantined: [{ module_id: moduleId }] });
    expect(await codesOf(moduleId)).toEqual(['rolled_back']);
    expect(await guarded.routes()).toEqual([...GOOD, '46.0.0.0/24'].sort());
  });

  test('is read again in full, although the server would say that nothing has changed', async () => {
    const { moduleId } = await applied(guarded, GOOD);
    const good = (await guarded.runs())!;
    const asked: (string | undefined)[] = [];
    plane.answers.set('/list', (request, response) => {
      asked.push(request.headers['if-none-match']);
      if (request.headers['if-none-match'] === '"1"') response.writeHead(304).end();
      else
        response.writeHead(200, { etag: '"1"', 'content-type': 'text/plain' }).end(scattered(210).join('\n'));
    });
    await guarded.refresh(moduleId);
    await plane.succeeded({ id: (await rollBack(good)).resource.apply_job_id! });
    await guarded.refresh(moduleId);
    expect(asked).toEqual([undefined, undefined]);
    expect(await codesOf(moduleId)).toEqual(['rolled_back']);
    expect(await guarded.routes()).toEqual([...GOOD].sort());
  });

  test('stays back when one of several sources fails', async () => {
    const { moduleId } = await applied(guarded, GOOD);
    await guarded.addSource(moduleId, '/second');
    guarded.answer('/second', scattered(10, 300));
    await guarded.refresh(moduleId);
    const good = (await guarded.runs())!;
    guarded.answer('/list', scattered(205));
    guarded.answer('/second', scattered(12, 300));
    await guarded.refresh(moduleId);
    await plane.succeeded({ id: (await rollBack(good)).resource.apply_job_id! });
    plane.answers.set('/second', (_request, response) => response.writeHead(500).end());
    expect(await guarded.refresh(moduleId)).toMatchObject({ quarantined: [{ module_id: moduleId }] });
    expect(await codesOf(moduleId)).toEqual(['rolled_back']);
    expect(await guarded.routes()).toEqual([...GOOD, ...scattered(10, 300)].sort());
  });
});
