import { beforeAll, describe, expect, test } from 'vitest';
import { getCdnSource } from '../../../src/store/entries/cdn-sources.ts';
import { changeModule } from '../../../src/control/lists/modules.ts';
import { serves } from '../../sources/lists/list-server.ts';
import { applied, scattered, useGuarded } from '../guards/guarded.ts';
import type { Plane } from '../plane.ts';

const guarded = useGuarded();
let plane: Plane;
beforeAll(() => {
  plane = guarded.plane;
});

const source = async (moduleId: string, id: string) =>
  (await plane.run((tx) => getCdnSource(tx, moduleId, id))).resource;
const age = (hours: number) =>
  plane.database.admin(`UPDATE cdn_source SET last_refreshed_at = now() - make_interval(hours => $1)`, [
    hours,
  ]);

describe('a source that has nothing any more', () => {
  test('keeps the last good prefixes, and says so', async () => {
    const { moduleId, sourceId } = await applied(guarded, scattered(5));
    guarded.answer('/list', []);
    expect(await plane.ended(await plane.refresh(moduleId))).toMatchObject({ state: 'failed' });
    const { status, last_error: error } = await source(moduleId, sourceId);
    expect(status).toBe('stale');
    expect(error).toMatch(/^empty_result: the last good prefixes stay\. source_empty: /);
    const other = await guarded.addModule('other beside');
    expect(await guarded.refresh(other)).toMatchObject({ state: 'ready', prefix_count: { ipv4: 5 } });
  });

  test('becomes empty where its module can be, and comes back', async () => {
    const { moduleId, sourceId } = await applied(guarded, scattered(5));
    await plane.run((tx) => changeModule(tx, moduleId, { can_be_empty: true }, null));
    guarded.answer('/list', []);
    expect(await guarded.refresh(moduleId)).toMatchObject({ state: 'ready', prefix_count: { ipv4: 0 } });
    expect(await source(moduleId, sourceId)).toMatchObject({
      status: 'ok',
      last_error: null,
      prefix_count: { ipv4: 0, ipv6: 0 },
    });
    guarded.answer('/list', scattered(3));
    expect(await guarded.refresh(moduleId)).toMatchObject({ state: 'ready', prefix_count: { ipv4: 3 } });
  });

  test('becomes empty where the setting allows it', async () => {
    const { moduleId } = await applied(guarded, scattered(5));
    await guarded.set({ guard_empty_result: 'allow' });
    plane.answers.set('/list', serves('10.0.0.0/8'));
    expect(await guarded.refresh(moduleId)).toMatchObject({ state: 'ready', prefix_count: { ipv4: 0 } });
  });

  test('holds the module by the guardrail about changes when that was much', async () => {
    const { moduleId } = await applied(guarded, scattered(200));
    await guarded.set({ guard_empty_result: 'allow' });
    guarded.answer('/list', []);
    expect(await guarded.refresh(moduleId)).toMatchObject({
      prefix_count: { ipv4: 200 },
      quarantined: [{ module_id: moduleId, findings: [{ code: 'max_change_exceeded', measured: 100 }] }],
    });
  });
});

describe('a source that was not read for too long', () => {
  const stale = async (hours: number) => {
    const { moduleId, sourceId } = await applied(guarded, scattered(5));
    await guarded.addSource(moduleId, '/fresh');
    guarded.answer('/fresh', ['46.0.0.0/24']);
    plane.answers.delete('/list');
    await guarded.refresh(moduleId);
    await age(hours);
    return { moduleId, sourceId };
  };

  test('stays with a warning', async () => {
    const { moduleId, sourceId } = await stale(169);
    const revision = await guarded.refresh(moduleId);
    expect(revision).toMatchObject({ state: 'ready', findings: [], prefix_count: { ipv4: 6 } });
    expect(revision.warnings).toMatchObject([
      { code: 'source_stale', module_id: moduleId, entry_id: sourceId, measured: 169, limit: 168 },
    ]);
    expect(revision.warnings[0]!.detail).toMatch(/module list .* 169 hours, .* stay/);
  });

  test('leaves where the setting says so, which is intended, and comes back when it is read', async () => {
    const { moduleId } = await stale(200);
    await guarded.set({ guard_stale_action: 'drop' });
    const revision = await guarded.refresh(moduleId);
    expect(revision).toMatchObject({ state: 'ready', prefix_count: { ipv4: 1 } });
    expect(revision.warnings[0]!.detail).toMatch(/have left/);
    guarded.answer('/list', scattered(5));
    expect(await guarded.refresh(moduleId)).toMatchObject({
      ...{ state: 'ready', warnings: [] },
      prefix_count: { ipv4: 6 },
    });
  });

  test('is none before its time', async () => {
    const { moduleId } = await stale(167);
    await guarded.set({ guard_stale_action: 'drop' });
    expect(await guarded.refresh(moduleId)).toMatchObject({ warnings: [], prefix_count: { ipv4: 6 } });
  });
});

describe('special-purpose prefixes that were dropped', () => {
  test('are a warning of every revision that the module is in, until they are gone', async () => {
    const { moduleId, sourceId } = await applied(guarded, scattered(5));
    const other = await guarded.addModule('other');
    await guarded.addSource(other, '/fresh');
    guarded.answer('/fresh', ['46.0.0.0/24']);
    guarded.answer('/list', [...scattered(5), '10.0.0.0/8', '192.168.1.0/24']);
    const warning = {
      ...{ code: 'bogon_prefix', module_id: moduleId, entry_id: sourceId, measured: 2 },
    };
    expect((await guarded.refresh(moduleId)).warnings).toMatchObject([warning]);
    expect((await guarded.refresh(other)).warnings).toMatchObject([warning]);
    plane.answers.delete('/list');
    expect(await plane.ended(await plane.refresh(moduleId))).toMatchObject({ state: 'failed' });
    expect((await guarded.refresh(other)).warnings).toMatchObject([warning]);
    guarded.answer('/list', scattered(5));
    expect((await guarded.refresh(moduleId)).warnings).toEqual([]);
    expect((await guarded.refresh(other)).warnings).toEqual([]);
  });
});
