import { beforeAll, describe, expect, test } from 'vitest';
import { diffHeldModule } from '../../../src/control/revisions/held-diff.ts';
import { createIpRangeEntries } from '../../../src/control/entries/ip-range-entries.ts';
import { rollbackRevision } from '../../../src/control/rollout/rollback-revision.ts';
import { listAuditRecords } from '../../../src/store/audit/audit.ts';
import { deleteModule } from '../../../src/store/modules/modules.ts';
import type { Plane } from '../plane.ts';
import { applied, scattered, useGuarded } from './guarded.ts';

const guarded = useGuarded();
let plane: Plane;
beforeAll(() => {
  plane = guarded.plane;
});

const GOOD = scattered(200);
const reason = 'the provider moved its network';
/** No unchanged list may lose so much by itself. */
const POISON = scattered(20);

/** A module of one good source that is applied, and the poison that came after. */
async function poisoned(poison: readonly string[] = POISON) {
  const made = await applied(guarded, GOOD);
  guarded.answer('/list', poison);
  return { ...made, revision: await guarded.refresh(made.moduleId) };
}

describe('a module that breaks a guardrail by itself', () => {
  test.each([
    ['too much of it has vanished', POISON, 'max_change_exceeded'],
    ['it holds the default route', [...GOOD, '0.0.0.0/0'], 'default_route_forbidden'],
    ['it covers more than half', [...GOOD, '64.0.0.0/2', '128.0.0.0/2'], 'coverage_exceeded'],
    ['it holds a short prefix', [...GOOD, '44.0.0.0/7'], 'prefix_too_short'],
  ])('%s: is held, and the revision has what was accepted', async (_what, poison, code) => {
    const { moduleId, sourceId, revision } = await poisoned(poison);
    const { held } = await guarded.module(moduleId);
    expect(revision).toMatchObject({ state: 'ready', findings: [] });
    expect(revision.quarantined).toEqual([
      { module_id: moduleId, findings: held!.findings, snapshot: held!.snapshot },
    ]);
    const ofCode = held!.findings.filter((finding) => finding.code === code);
    expect(ofCode).toMatchObject([{ module_id: moduleId, entry_id: sourceId }]);
    expect(await guarded.source(moduleId, sourceId)).toMatchObject({ status: 'ok', held: true });
    expect(await guarded.routes()).toEqual([...GOOD].sort());
    const { items } = await plane.run((tx) => listAuditRecords(tx, { action: 'module.hold', limit: 500 }));
    expect(items[0]).toMatchObject({ severity: 'warning', resource: { type: 'module', id: moduleId } });
  });

  test('holds no other: a blackhole in a hurry goes through', async () => {
    const { moduleId } = await poisoned();
    const blackhole = await guarded.addRange('blackhole', '46.9.9.9/32');
    const revision = await guarded.refresh(blackhole);
    expect(revision).toMatchObject({ state: 'ready', quarantined: [{ module_id: moduleId }] });
    expect(await guarded.routes()).toEqual([...GOOD, '46.9.9.9/32'].sort());
  });

  test('that was never accepted contributes nothing', async () => {
    await applied(guarded, GOOD);
    const moduleId = await guarded.addModule('new');
    await guarded.addSource(moduleId, '/new');
    guarded.answer('/new', ['46.0.0.0/24', '0.0.0.0/0']);
    expect(await guarded.refresh(moduleId)).toMatchObject({
      state: 'ready',
      quarantined: [{ module_id: moduleId }],
    });
    expect(await guarded.routes()).toEqual([...GOOD].sort());
  });

  test('is free again when its source is good again, since when it was held being reported meanwhile', async () => {
    const { moduleId, sourceId } = await poisoned();
    const { since } = (await guarded.module(moduleId)).held!;
    await guarded.refresh(moduleId);
    expect((await guarded.module(moduleId)).held).toMatchObject({ since });
    guarded.answer('/list', scattered(210));
    expect(await guarded.refresh(moduleId)).toMatchObject({ state: 'ready', quarantined: [] });
    expect(await guarded.module(moduleId)).toMatchObject({ held: null });
    expect(await guarded.source(moduleId, sourceId)).toMatchObject({ held: false });
    expect(await guarded.routes()).toEqual(scattered(210).sort());
  });

  test('obeys the operator meanwhile: what is disabled leaves, and a deleted module takes its routes along', async () => {
    const moduleId = await guarded.addModule('two');
    const sources = [await guarded.addSource(moduleId, '/a'), await guarded.addSource(moduleId, '/b')];
    guarded.answer('/a', scattered(60));
    guarded.answer('/b', scattered(60, 60));
    await guarded.set({ guard_max_withdraw_percent: 100 });
    await guarded.refresh(moduleId);
    guarded.answer('/a', ['44.0.0.0/7']);
    await guarded.refresh(moduleId);
    expect(await guarded.routes()).toEqual(scattered(120).sort());
    await guarded.enableSource(moduleId, sources[1]!, false);
    const other = await guarded.addRange('other', '46.0.0.0/24');
    expect(await guarded.refresh(other)).toMatchObject({ quarantined: [{ module_id: moduleId }] });
    expect(await guarded.routes()).toEqual([...scattered(60), '46.0.0.0/24'].sort());
    await plane.run((tx) => deleteModule(tx, moduleId, null));
    expect(await guarded.refresh(other)).toMatchObject({ state: 'ready', quarantined: [] });
    expect(await guarded.routes()).toEqual(['46.0.0.0/24']);
  });
});

describe('what is kept when a source fails', () => {
  test('is what was accepted, never what is held back', async () => {
    const { moduleId, sourceId } = await poisoned();
    plane.answers.set('/list', (_request, response) => response.writeHead(500).end());
    const { held } = await guarded.module(moduleId);
    await plane.ended(await plane.refresh(moduleId));
    // A failure says nothing of what is held: that can still be looked at and released.
    expect(await guarded.module(moduleId)).toMatchObject({ held, last_refresh: { status: 'failed' } });
    const other = await guarded.addRange('other', '46.0.0.0/24');
    const revision = await guarded.refresh(other);
    expect(revision).toMatchObject({ state: 'ready', quarantined: [{ module_id: moduleId }] });
    expect(await guarded.source(moduleId, sourceId)).toMatchObject({
      ...{ status: 'stale', held: true },
      prefix_count: { ipv4: 200 },
    });
    expect(await guarded.routes()).toEqual([...GOOD, '46.0.0.0/24'].sort());
    // The same poison again is poison still.
    guarded.answer('/list', POISON);
    expect(await guarded.refresh(moduleId)).toMatchObject({ quarantined: [{ module_id: moduleId }] });
  });

  test('is asked for again by a source that says that nothing has changed', async () => {
    const { moduleId, sourceId } = await applied(guarded, GOOD);
    const answer = (prefixes: readonly string[], etag: string) =>
      plane.answers.set('/list', (request, response) => {
        if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
        else response.writeHead(200, { 'content-type': 'text/plain', etag }).end(prefixes.join('\n'));
      });
    answer(POISON, '"poison"');
    await guarded.refresh(moduleId);
    plane.answers.set('/list', (_request, response) => response.writeHead(500).end());
    await plane.ended(await plane.refresh(moduleId));
    answer(POISON, '"poison"');
    expect(await guarded.refresh(moduleId)).toMatchObject({ quarantined: [{ module_id: moduleId }] });
    expect(await guarded.source(moduleId, sourceId)).toMatchObject({ prefix_count: { ipv4: POISON.length } });
    expect(await guarded.routes()).toEqual([...GOOD].sort());
  });
});

describe('the guard looks at what the build looks at', () => {
  test('poison in a source that is disabled then is no change', async () => {
    const { moduleId, sourceId } = await poisoned([...GOOD, ...scattered(900, 300)]);
    await guarded.addSource(moduleId, '/more');
    guarded.answer('/more', scattered(184));
    await guarded.enableSource(moduleId, sourceId, false);
    const other = await guarded.addRange('other', '46.0.0.0/24');
    await guarded.set({ guard_max_withdraw_percent: 100 });
    expect(await guarded.refresh(other)).toMatchObject({ state: 'ready', findings: [], quarantined: [] });
    expect(await guarded.routes()).toEqual(['46.0.0.0/24']);
    expect(await guarded.refresh(moduleId)).toMatchObject({ state: 'ready', findings: [], quarantined: [] });
    expect(await guarded.routes()).toEqual([...scattered(184), '46.0.0.0/24'].sort());
  });

  test('a disabled source that is enabled again does not bring back what was never accepted', async () => {
    const { moduleId, sourceId } = await poisoned(['44.0.0.0/7']);
    const other = await guarded.addRange('other', '46.0.0.0/24');
    await guarded.set({ guard_max_withdraw_percent: 100 });
    await guarded.enableSource(moduleId, sourceId, false);
    expect(await guarded.refresh(other)).toMatchObject({ state: 'ready', quarantined: [] });
    await guarded.enableSource(moduleId, sourceId, true);
    plane.answers.set('/list', (_request, response) => response.writeHead(500).end());
    expect(await guarded.refresh(other)).toMatchObject({
      state: 'ready',
      quarantined: [
        { module_id: moduleId, findings: [{ code: 'prefix_too_short' }, { code: 'max_change_exceeded' }] },
      ],
    });
    await plane.ended(await plane.refresh(moduleId));
    expect(await guarded.refresh(other)).toMatchObject({
      ...{ state: 'ready', quarantined: [{ module_id: moduleId }] },
    });
    expect(await guarded.routes()).toEqual(['46.0.0.0/24']);
  });

  test('a disabled source that is enabled again while it fails has to keep what was accepted', async () => {
    const { moduleId, sourceId } = await applied(guarded, GOOD);
    const other = await guarded.addRange('other', '46.0.0.0/24');
    await guarded.set({ guard_max_withdraw_percent: 100 });
    await guarded.enableSource(moduleId, sourceId, false);
    await guarded.refresh(other);
    expect(await guarded.routes()).toEqual(['46.0.0.0/24']);
    plane.answers.set('/list', (_request, response) => response.writeHead(500).end());
    await guarded.enableSource(moduleId, sourceId, true);
    await plane.ended(await plane.refresh(moduleId));
    expect(await guarded.source(moduleId, sourceId)).toMatchObject({ status: 'stale' });
    await guarded.refresh(other);
    expect(await guarded.routes()).toEqual([...GOOD, '46.0.0.0/24'].sort());
  });

  test('what is ready with a held module is applied without an override', async () => {
    const { moduleId } = await poisoned();
    await guarded.set({ auto_apply: false });
    const other = await guarded.addRange('other', '46.0.0.0/24');
    const { id } = await guarded.refresh(other);
    // A guardrail that changes meanwhile has everything looked at again.
    await guarded.set({ guard_protected_prefixes: ['47.0.0.0/8'] });
    await plane.succeeded(await guarded.apply({ revision_id: id }));
    expect(await guarded.runs()).toBe(id);
    expect(await guarded.module(moduleId)).toMatchObject({ held: { findings: [{}] } });
  });
});

describe('a release', () => {
  test('accepts exactly what is held, after its difference was read', async () => {
    const { moduleId } = await poisoned();
    const { held } = await guarded.module(moduleId);
    const diff = await plane.run((tx) => diffHeldModule(tx, moduleId, { limit: 100 }));
    expect(diff).toMatchObject({
      snapshot: held!.snapshot,
      summary: { announced: 0, withdrawn: 180, changed: 0 },
      has_more: true,
    });
    const rest = await plane.run((tx) =>
      diffHeldModule(tx, moduleId, { cursor: diff.next_cursor!, limit: 100 }),
    );
    const reported = [...diff.items, ...rest.items].map(({ prefix }) => prefix);
    expect(reported.sort()).toEqual(scattered(180, 20).sort());
    expect(await guarded.routes()).toEqual([...GOOD].sort());
    const request = { override: ['max_change_exceeded' as const], reason, snapshot: held!.snapshot };
    expect(await guarded.release(moduleId, request)).toMatchObject({
      ...{ state: 'ready', quarantined: [] },
      trigger: { kind: 'release', module_id: moduleId, actor: 'key:test' },
    });
    expect(await guarded.routes()).toEqual([...POISON].sort());
    expect(await guarded.module(moduleId)).toMatchObject({ held: null });
  });

  test('holds for that content as long as the module has it, and for no other', async () => {
    await guarded.set({ guard_max_change_percent: 1_000_000 });
    const { moduleId } = await poisoned([...GOOD, '44.0.0.0/7']);
    await guarded.release(moduleId, { override: ['prefix_too_short'], reason });
    expect(await guarded.refresh(moduleId)).toMatchObject({ state: 'ready', quarantined: [] });
    guarded.answer('/list', [...GOOD, '44.0.0.0/7', '48.0.0.0/7']);
    expect(await guarded.refresh(moduleId)).toMatchObject({ quarantined: [{ module_id: moduleId }] });
    expect(await guarded.routes()).toEqual(
      [...GOOD, '44.0.0.0/7'].filter((one) => !one.startsWith('45.')).sort(),
    );
    // What was let through may be applied again although guardrails have changed, and breaks no other.
    await guarded.set({ guard_protected_prefixes: ['47.0.0.0/8'] });
    const id = (await guarded.runs())!;
    await plane.succeeded(await guarded.apply({ revision_id: id }));
    await guarded.set({ guard_protected_prefixes: ['44.0.0.0/8'] });
    expect((await guarded.refused({ revision_id: id })).code).toBe('protected_prefix');
  });

  test('is refused for another snapshot, another guardrail, by another role, and for a module that is not held', async () => {
    const { moduleId } = await poisoned([...GOOD, '0.0.0.0/0']);
    const refused = async (request: Parameters<typeof guarded.release>[1], role?: 'super_admin') =>
      guarded.release(moduleId, request, role).then(
        () => null,
        (problem: { code: string; message: string }) => problem,
      );
    const override = ['default_route_forbidden' as const];
    expect(await refused({ override, reason })).toMatchObject({ code: 'forbidden' });
    expect(await refused({ override: ['prefix_too_short'], reason }, 'super_admin')).toMatchObject({
      code: 'validation_failed',
    });
    expect(await refused({ override, reason, snapshot: 'ab'.repeat(32) }, 'super_admin')).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('by now') as unknown,
    });
    guarded.answer('/list', [...GOOD, '::/0', '44.0.0.0/7']);
    await guarded.refresh(moduleId);
    expect(await refused({ override, reason }, 'super_admin')).toMatchObject({ code: 'prefix_too_short' });
    guarded.answer('/list', GOOD);
    await guarded.refresh(moduleId);
    expect(await refused({ override, reason }, 'super_admin')).toMatchObject({ code: 'conflict' });
  });

  test('ends with a rollback: what was rolled back from is held again', async () => {
    const { moduleId, revision } = await poisoned();
    await guarded.release(moduleId, { override: ['max_change_exceeded'], reason });
    const back = await plane.run((tx) => rollbackRevision(tx, plane.context, revision.id));
    await plane.succeeded({ id: back.resource.apply_job_id! });
    expect(await guarded.refresh(moduleId)).toMatchObject({ quarantined: [{ module_id: moduleId }] });
    expect(await guarded.routes()).toEqual([...GOOD].sort());
  });
});

test('a default route with a hole is one, whatever cuts it', async () => {
  await applied(guarded, GOOD);
  const out = await guarded.addModule('out', { purpose: 'exclude', type: 'IP_RANGES' });
  await plane.run((tx) =>
    createIpRangeEntries(tx, out, [{ cidr: '9.9.9.0/24' }, { cidr: '64.0.0.0/3' }], () => ''),
  );
  const all = await guarded.addRange('all', '0.0.0.0/0');
  await guarded.refresh(out);
  const revision = await guarded.refresh(all);
  expect(revision.state).toBe('ready');
  const codes = revision.quarantined.flatMap(({ findings }) => findings.map(({ code }) => code));
  expect(codes).toContain('default_route_forbidden');
  const override = [...new Set(codes)] as ['default_route_forbidden'];
  await expect(guarded.release(all, { override, reason })).rejects.toMatchObject({ code: 'forbidden' });
  expect(await guarded.routes()).toEqual([...GOOD].sort());
});

test('a list of exclusions that takes out nearly everything is held', async () => {
  await applied(guarded, GOOD);
  const out = await guarded.addModule('out', { purpose: 'exclude' });
  const source = await guarded.addSource(out, '/out');
  guarded.answer('/out', ['9.9.9.0/24']);
  await guarded.refresh(out);
  guarded.answer('/out', ['9.9.9.0/24', '0.0.0.0/0']);
  expect(await guarded.refresh(out)).toMatchObject({
    state: 'ready',
    quarantined: [{ module_id: out, findings: [{ code: 'coverage_exceeded', entry_id: source }] }],
  });
  expect(await guarded.routes()).toEqual([...GOOD].sort());
});
