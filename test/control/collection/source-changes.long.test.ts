import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { changeCdnSource } from '../../../src/control/entries/cdn-sources.ts';
import { requestRevisionPrune } from '../../../src/control/maintenance/prune-revisions.ts';
import { waitFor } from '../../daemons/wait.ts';
import { serves } from '../../sources/lists/list-server.ts';
import { applied, scattered, useGuarded } from '../guards/guarded.ts';
import type { Plane } from '../plane.ts';

const guarded = useGuarded();
let plane: Plane;
beforeAll(() => {
  plane = guarded.plane;
});

describe('a source that changes by itself, where guard_scope is revision', () => {
  beforeEach(() => guarded.set({ guard_scope: 'revision' }));

  test.each([
    [99, scattered(99), scattered(199), 'ready'],
    [99, scattered(99), scattered(200), 'held'],
    [99, scattered(99), scattered(50), 'ready'],
    [99, scattered(99), scattered(49), 'held'],
    [3, scattered(3), scattered(3, 60), 'ready'],
    [4, scattered(4), scattered(4, 60), 'held'],
    [100, scattered(100), scattered(130), 'ready'],
    [100, scattered(100), scattered(131), 'held'],
    [101, scattered(101), scattered(71), 'ready'],
    [101, scattered(101), scattered(70), 'held'],
    [200, scattered(200), scattered(200, 60), 'ready'],
    [200, scattered(200), scattered(200, 61), 'held'],
    [200, scattered(200), ['45.0.0.0/16', ...scattered(72, 128)], 'held'],
  ])('from %i prefixes', async (_count, before, after, state) => {
    const { moduleId } = await applied(guarded, before);
    guarded.answer('/list', after);
    const revision = await guarded.refresh(moduleId);
    expect(revision.state).toBe(state);
    expect(revision.findings.map(({ code }) => code)).toEqual(
      state === 'held' ? ['max_change_exceeded'] : [],
    );
  });

  test('is held, whoever refreshes what, until it is good again; the speaker keeps what it runs', async () => {
    const { moduleId } = await applied(guarded, scattered(200));
    const other = await guarded.addModule('other');
    await guarded.addSource(other, '/other');
    guarded.answer('/other', ['46.0.0.0/24']);
    await guarded.refresh(other);
    const before = await guarded.runs();
    guarded.answer('/list', scattered(100));
    const result = await plane.succeeded(await plane.refresh(moduleId));
    expect(result).toMatchObject({
      revision_state: 'held',
      findings: ['max_change_exceeded'],
      apply_job_id: null,
    });
    const held = await plane.revision(String(result.revision_id));
    expect(held.findings).toMatchObject([
      { code: 'max_change_exceeded', module_id: moduleId, measured: 50, limit: 30 },
    ]);
    expect(held.findings[0]!.detail).toMatch(
      /^Module list: without any edit, its lists lost 50 % of the 200 IPv4 prefixes accepted before, /,
    );
    expect(held.findings[0]!.examples).toContain('45.0.200.0/24');
    expect(held.prefix_count).toEqual({ ipv4: 101, ipv6: 0 });
    expect(await guarded.runs()).toBe(before);
    expect((await guarded.refresh(other)).state).toBe('held');
    expect(await guarded.runs()).toBe(before);
    guarded.answer('/list', scattered(190));
    const good = await guarded.refresh(moduleId);
    expect(good).toMatchObject({ state: 'ready', findings: [] });
    expect(await guarded.runs()).toBe(good.id);
  });

  test('by as much as the setting allows', async () => {
    const { moduleId } = await applied(guarded, scattered(200));
    await guarded.set({ guard_max_change_percent: 50 });
    guarded.answer('/list', scattered(100));
    expect((await guarded.refresh(moduleId)).state).toBe('ready');
    guarded.answer('/list', scattered(151));
    expect((await guarded.refresh(moduleId)).state).toBe('held');
  });

  test('is measured after a prune as well, which takes what only old revisions remember', async () => {
    // Modules that were deleted before are forgotten: as long as they can be restored, what was collected of them stays.
    await plane.database.admin('DELETE FROM removed_batch');
    const { moduleId, sourceId } = await applied(guarded, scattered(200));
    const orphans = async () => {
      const [row] = await plane.database.admin<{ lists: number; orphans: number }>(`
        SELECT count(*)::int AS lists, count(*) FILTER (
          WHERE NOT EXISTS (SELECT FROM snapshot s WHERE s.entries_hash = entry_list.hash)
            AND NOT EXISTS (SELECT FROM accepted_snapshot a WHERE a.entries_hash = entry_list.hash)
            AND NOT EXISTS (SELECT FROM revision_input i WHERE i.entries_hash = entry_list.hash))::int AS orphans
          FROM entry_list`);
      return row!;
    };
    for (const name of ['a', 'b']) {
      await plane.run((tx) => changeCdnSource(tx, plane.context, moduleId, sourceId, { name }, null));
      await guarded.refresh(moduleId);
    }
    const { lists } = await orphans();
    await plane.database.admin("UPDATE revision SET created_at = now() - interval '31 days'");
    await plane.succeeded(await plane.run((tx) => requestRevisionPrune(tx, plane.context.queue, 'key:test')));
    const left = await orphans();
    expect(left.lists).toBeLessThan(lists);
    expect(left.orphans).toBe(0);
    guarded.answer('/list', scattered(100));
    const { findings } = await guarded.refresh(moduleId);
    expect(findings).toMatchObject([{ code: 'max_change_exceeded', measured: 50 }]);
  });

  test('is measured from what was accepted last, be it applied or not, and not from what was held', async () => {
    const { moduleId } = await applied(guarded, scattered(200));
    await guarded.set({ auto_apply: false });
    guarded.answer('/list', scattered(150));
    expect((await guarded.refresh(moduleId)).state).toBe('ready');
    guarded.answer('/list', scattered(100));
    const { state, findings } = await guarded.refresh(moduleId);
    expect({ state, measured: findings[0]!.measured }).toEqual({ state: 'held', measured: 33.34 });
    guarded.answer('/list', scattered(105));
    expect((await guarded.refresh(moduleId)).state).toBe('ready');
    guarded.answer('/list', scattered(75));
    expect((await guarded.refresh(moduleId)).state).toBe('ready');
  });
});

describe('a short list of a provider', () => {
  /** As Cloudflare has it. */
  const PROVIDER = [
    ...['173.245.48.0/20', '103.21.244.0/22', '103.22.200.0/22', '103.31.4.0/22', '141.101.64.0/18'],
    ...['108.162.192.0/18', '190.93.240.0/20', '188.114.96.0/20', '197.234.240.0/22', '198.41.128.0/17'],
    ...['162.158.0.0/15', '104.16.0.0/13', '104.24.0.0/14', '172.64.0.0/13', '131.0.72.0/22'],
  ];
  const eights = Array.from({ length: 40 }, (_, i) => `${2 + 2 * i}.0.0.0/8`);

  test.each([
    ['another list', eights],
    ['far more beside it', [...PROVIDER, '32.0.0.0/8']],
    ['a page of text with an address', ['Too many requests.', 'Your address: 8.8.4.4', '1.1.1.1']],
    ['half of it, because the connection was closed', PROVIDER.slice(0, 7)],
  ])('that becomes %s is held, and what was accepted stays', async (_what, body) => {
    const { moduleId } = await applied(guarded, PROVIDER);
    guarded.answer('/list', body);
    expect(await guarded.refresh(moduleId)).toMatchObject({
      state: 'ready',
      quarantined: [{ module_id: moduleId, findings: [{ code: 'max_change_exceeded' }] }],
    });
    expect((await guarded.routes()).length).toBe(PROVIDER.length);
  });

  test.each([
    ['one prefix less', PROVIDER.slice(1)],
    ['a new network', [...PROVIDER, '150.0.0.0/16']],
    ['several new ones', [...PROVIDER, ...scattered(60)]],
  ])('that has %s is not', async (_what, body) => {
    const { moduleId } = await applied(guarded, PROVIDER);
    guarded.answer('/list', body);
    expect(await guarded.refresh(moduleId)).toMatchObject({ state: 'ready', quarantined: [] });
    expect((await guarded.routes()).length).toBe(body.length);
  });

  test('says in its finding how much of what there was has changed', async () => {
    const { moduleId } = await applied(guarded, PROVIDER);
    guarded.answer('/list', [...PROVIDER, ...Array.from({ length: 150 }, (_, i) => `151.${i}.0.0/24`)]);
    await guarded.refresh(moduleId);
    const { held } = await guarded.module(moduleId);
    expect(held!.findings).toMatchObject([{ measured: 150, limit: 100 }]);
    expect(held!.findings[0]!.detail).toMatch(
      /^Module list: without any edit, its lists gained 150 IPv4 prefixes beside the 15 accepted before, and 100 is the most\./,
    );
  });
});

describe('what operators change is intended', () => {
  // How much they may take away is a guardrail of its own.
  beforeEach(() => guarded.set({ guard_scope: 'revision', guard_max_withdraw_percent: 100 }));
  const much = scattered(200, 500);

  test('an entry that was added', async () => {
    const { moduleId } = await applied(guarded, scattered(200));
    await guarded.addSource(moduleId, '/more');
    guarded.answer('/more', much);
    expect(await guarded.refresh(moduleId)).toMatchObject({ state: 'ready', prefix_count: { ipv4: 400 } });
  });

  test('an entry that was there and had never been read', async () => {
    const { moduleId } = await applied(guarded, scattered(200));
    await guarded.addSource(moduleId, '/late');
    await guarded.refresh(moduleId);
    guarded.answer('/late', much);
    expect(await guarded.refresh(moduleId)).toMatchObject({ state: 'ready', prefix_count: { ipv4: 400 } });
  });

  test('an entry that was edited, also when it fails first', async () => {
    const { moduleId, sourceId } = await applied(guarded, scattered(200));
    const url = `${plane.lists.origin}/edited`;
    await plane.run((tx) => changeCdnSource(tx, plane.context, moduleId, sourceId, { url }, null));
    expect(await plane.ended(await plane.refresh(moduleId))).toMatchObject({ state: 'failed' });
    guarded.answer('/edited', much.slice(0, 20));
    expect(await guarded.refresh(moduleId)).toMatchObject({ state: 'ready', prefix_count: { ipv4: 20 } });
  });

  test('an entry that was edited while it was being read', async () => {
    const { moduleId, sourceId } = await applied(guarded, scattered(200));
    let answered = (): void => undefined;
    let asked = false;
    plane.answers.set('/list', (request, response) => {
      asked = true;
      answered = () => void serves(scattered(200).join('\n'))(request, response);
    });
    const job = await plane.refresh(moduleId);
    await waitFor(() => asked, { what: 'the source to be asked' });
    const url = `${plane.lists.origin}/edited-meanwhile`;
    guarded.answer('/edited-meanwhile', much);
    await plane.run((tx) => changeCdnSource(tx, plane.context, moduleId, sourceId, { url }, null));
    answered();
    await plane.succeeded(job);
    expect(await guarded.refresh(moduleId)).toMatchObject({ state: 'ready', prefix_count: { ipv4: 200 } });
  });

  test('an entry that was disabled, and enabled again', async () => {
    const { moduleId, sourceId } = await applied(guarded, scattered(200));
    const enable = (enabled: boolean) =>
      plane.run((tx) => changeCdnSource(tx, plane.context, moduleId, sourceId, { enabled }, null));
    await enable(false);
    expect(await guarded.refresh(moduleId)).toMatchObject({ state: 'ready', prefix_count: { ipv4: 0 } });
    await enable(true);
    guarded.answer('/list', much);
    expect(await guarded.refresh(moduleId)).toMatchObject({ state: 'ready', prefix_count: { ipv4: 200 } });
  });

  test('but an edit that changed nothing excuses nothing that comes later', async () => {
    const { moduleId, sourceId } = await applied(guarded, scattered(200));
    await plane.run((tx) => changeCdnSource(tx, plane.context, moduleId, sourceId, { name: 'same' }, null));
    expect((await guarded.refresh(moduleId)).state).toBe('ready');
    guarded.answer('/list', scattered(100));
    expect((await guarded.refresh(moduleId)).state).toBe('held');
  });

  test('but what an unchanged entry does beside it still counts', async () => {
    const { moduleId } = await applied(guarded, scattered(200));
    await guarded.addSource(moduleId, '/beside');
    guarded.answer('/beside', much);
    guarded.answer('/list', scattered(10));
    const { state, findings } = await guarded.refresh(moduleId);
    expect({ state, measured: findings[0]!.measured }).toEqual({ state: 'held', measured: 95 });
  });
});
