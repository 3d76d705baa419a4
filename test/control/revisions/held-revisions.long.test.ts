import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ApplyRequest } from '../../../src/api/revisions/apply.ts';
import { readPending } from '../../../src/store/modules/pending-changes.ts';
import { commitRevision } from '../../../src/control/revisions/commit-revision.ts';
import { createPeer, removePeer } from '../../../src/control/speakers/peers.ts';
import { buildDraft } from '../../../src/control/drafts/build-draft.ts';
import { draftReaderIn } from '../../../src/control/drafts/draft-reader.ts';
import { draftRevision } from '../../../src/control/drafts/revision-draft.ts';
import { rollbackRevision } from '../../../src/control/rollout/rollback-revision.ts';
import { listAuditRecords } from '../../../src/store/audit/audit.ts';
import { listJobs } from '../../../src/store/jobs/jobs.ts';
import { deleteModule } from '../../../src/store/modules/modules.ts';
import { freePort } from '../../daemons/machine/ports.ts';
import { applied, scattered, useGuarded } from '../guards/guarded.ts';
import type { Plane } from '../plane.ts';

const guarded = useGuarded();
let plane: Plane;
beforeAll(() => {
  plane = guarded.plane;
});

describe('a revision whose routes break a guardrail, where guard_scope is revision', () => {
  beforeEach(() => guarded.set({ guard_scope: 'revision' }));
  const of = (...prefixes: string[]) => ['45.0.0.0/24', ...prefixes];

  test.each([
    ['the default route', of('0.0.0.0/0'), {}, ['default_route_forbidden']],
    ['halves that become one', of('0.0.0.0/1', '128.0.0.0/1'), {}, ['default_route_forbidden']],
    ['a short prefix', of('44.0.0.0/7'), {}, ['prefix_too_short']],
    [
      'a protected prefix',
      of('9.9.9.0/24'),
      { guard_protected_prefixes: ['9.0.0.0/8'] },
      ['protected_prefix'],
    ],
    ['too many prefixes', of('46.0.0.0/24'), { guard_max_prefixes: 1 }, ['max_prefixes_exceeded']],
    ['both', of('9.0.0.0/7'.replace('9', '8'), '2600::/12'), {}, ['prefix_too_short', 'prefix_too_short']],
  ])('%s: is held, then good', async (_what, prefixes, settings, codes) => {
    const { moduleId } = await applied(guarded, ['45.0.0.0/24']);
    const before = await guarded.runs();
    await guarded.set(settings);
    guarded.answer('/list', prefixes);
    const held = await guarded.refresh(moduleId);
    expect(held.state).toBe('held');
    expect(held.findings.map(({ code }) => code)).toEqual(codes);
    expect(await guarded.runs()).toBe(before);
    expect((await guarded.refused({ revision_id: held.id })).code).toBe(codes[0]);
    guarded.answer('/list', ['45.0.1.0/24']);
    const good = await guarded.refresh(moduleId);
    expect(good.state).toBe('ready');
    expect(await guarded.runs()).toBe(good.id);
  });

  test('the addresses of speakers and peers are protected', async () => {
    const { moduleId } = await applied(guarded, ['45.0.0.0/24']);
    const body = {
      name: 'p',
      address: '45.9.9.9',
      port: await freePort(),
      remote_asn: 64496,
      enabled: false,
    };
    const { resource: peer } = await plane.run((tx) => createPeer(tx, plane.context, body));
    guarded.answer('/list', ['45.9.0.0/16']);
    const { findings } = await guarded.refresh(moduleId);
    expect(findings).toMatchObject([{ code: 'protected_prefix', examples: ['45.9.0.0/16'] }]);
    expect(findings[0]!.detail).toMatch(/45\.9\.9\.9 \(the peer p\)/);
    await plane.run((tx) => removePeer(tx, plane.context, peer.id, null));
    expect((await guarded.refresh(moduleId)).state).toBe('ready');
  });
});

describe('an override', () => {
  beforeEach(() => guarded.set({ guard_scope: 'revision' }));
  const reason = 'the provider moved its network';

  test('lets this content through once, and nothing else', async () => {
    const { moduleId } = await applied(guarded, scattered(200));
    guarded.answer('/list', [...scattered(50), '44.0.0.0/7']);
    const held = await guarded.refresh(moduleId);
    const override = ['prefix_too_short', 'max_change_exceeded'] as const;
    expect((await guarded.refused({ revision_id: held.id })).code).toBe('prefix_too_short');
    expect(
      (await guarded.refused({ revision_id: held.id, override: ['prefix_too_short'], reason })).code,
    ).toBe('max_change_exceeded');
    await plane.succeeded(await guarded.apply({ revision_id: held.id, override: [...override], reason }));
    expect(await guarded.runs()).toBe(held.id);
    const { items } = await plane.run((tx) =>
      listAuditRecords(tx, { action: 'revision.override', limit: 500 }),
    );
    expect(items[0]).toMatchObject({
      ...{ severity: 'critical', actor: 'key:test', resource: { type: 'revision', id: held.id } },
      changes: { after: { override, reason, content_hash: held.content_hash, findings: held.findings } },
    });
    // What was overridden is what is applied now, so the change is none any more; the prefix is as short as before.
    expect((await guarded.refused({ revision_id: held.id })).code).toBe('prefix_too_short');
    const again = await guarded.refresh(moduleId);
    expect(again).toMatchObject({ state: 'held', content_hash: held.content_hash });
    expect(again.findings.map(({ code }) => code)).toEqual(['prefix_too_short']);
    expect((await guarded.refused({ revision_id: again.id })).code).toBe('prefix_too_short');
    expect(await guarded.runs()).toBe(held.id);
  });

  test('names exactly the guardrails that are broken, and says why', async () => {
    const { moduleId } = await applied(guarded, ['45.0.0.0/24']);
    guarded.answer('/list', ['44.0.0.0/7']);
    const { id } = await guarded.refresh(moduleId);
    const faults = async (request: ApplyRequest) => {
      const { code, errors } = await guarded.refused({ revision_id: id, ...request });
      return [code, errors.map(({ pointer }) => pointer)];
    };
    const override: ApplyRequest['override'] = ['prefix_too_short'];
    expect(await faults({ override })).toEqual(['validation_failed', ['/reason']]);
    const latest = await guarded.refused({ revision_id: 'latest', override, reason });
    const held = await plane.revision(id);
    expect(latest.errors[0]!.detail).toContain(
      `Revision ${held.number} is the one that is held: apply it with {"revision_id": ${held.number}}. Revision ${held.number - 1}, the latest that is ready, does not break`,
    );
    expect(await faults({ override: ['prefix_too_short', 'bogon_prefix'], reason })).toEqual([
      'validation_failed',
      ['/override/1'],
    ]);
    guarded.answer('/list', ['45.0.1.0/24']);
    const good = await guarded.refresh(moduleId);
    expect((await guarded.refused({ revision_id: good.id, override, reason })).errors).toMatchObject([
      { pointer: '/override/0' },
    ]);
  });

  test('of the default route is for super roles', async () => {
    const { moduleId } = await applied(guarded, ['45.0.0.0/24']);
    guarded.answer('/list', ['0.0.0.0/0']);
    const request: ApplyRequest = {
      revision_id: (await guarded.refresh(moduleId)).id,
      override: ['default_route_forbidden'],
      reason,
    };
    expect((await guarded.refused(request)).code).toBe('forbidden');
    await plane.succeeded(await guarded.apply(request, 'super_admin'));
    expect(await guarded.runs()).toBe(request.revision_id);
    await plane.run((tx) => deleteModule(tx, moduleId, null));
  });
});

describe('the guardrails of today', () => {
  test('hold a revision that was built before they were tightened, and is committed after', async () => {
    const { moduleId } = await applied(guarded, ['45.0.0.0/24']);
    // No router has it yet.
    await guarded.set({ auto_apply: false });
    guarded.answer('/list', ['45.0.1.0/24']);
    await guarded.refresh(moduleId);
    const { id: job_id } = (await plane.run((tx) => listJobs(tx, { limit: 1 }))).items[0]!;
    const built = await plane.run(async (tx) => buildDraft(await draftRevision(tx, null), draftReaderIn(tx)));
    expect(built.findings).toEqual([]);
    await guarded.set({ guard_protected_prefixes: ['45.0.0.0/8'] });
    const trigger = { kind: 'refresh', module_id: null, job_id, actor: 'key:test' } as const;
    const committed = await plane.run(async (tx) =>
      commitRevision(tx, plane.context.queue, built, trigger, await readPending(tx)),
    );
    expect(committed).toMatchObject({ revision_state: 'held', findings: ['protected_prefix'] });
  });

  test('hold a revision that was ready before, at the request and in the job', async () => {
    const { moduleId } = await applied(guarded, ['45.0.0.0/24']);
    await guarded.set({ auto_apply: false });
    guarded.answer('/list', ['45.0.1.0/24']);
    const ready = await guarded.refresh(moduleId);
    const before = await guarded.runs();
    const waiting = await guarded.apply({ revision_id: ready.id }).then(async (job) => {
      // Whichever comes first.
      await guarded.set({ guard_protected_prefixes: ['45.0.0.0/8'] });
      return plane.ended(job);
    });
    if (waiting.state === 'failed') {
      expect(waiting.error).toMatchObject({ code: 'protected_prefix' });
      expect(await guarded.runs()).toBe(before);
    } else expect(await guarded.runs()).toBe(ready.id);
    expect((await guarded.refused({ revision_id: ready.id })).code).toBe('protected_prefix');
    await guarded.set({ guard_protected_prefixes: null });
    await plane.succeeded(await guarded.apply({ revision_id: ready.id }));
    expect(await guarded.runs()).toBe(ready.id);
  });

  test('let a held revision through that they allow by now, and what it holds is accepted', async () => {
    const { moduleId } = await applied(guarded, ['45.0.0.0/24']);
    await guarded.set({ guard_max_prefixes: 1 });
    guarded.answer('/list', ['45.0.0.0/24', '46.0.0.0/24']);
    const held = await guarded.refresh(moduleId);
    expect(held.state).toBe('held');
    await guarded.set({ guard_max_prefixes: null });
    await plane.succeeded(await guarded.apply({ revision_id: held.id }));
    expect(await guarded.runs()).toBe(held.id);
    // What is held next leaves that, not what was accepted before.
    guarded.answer('/list', ['0.0.0.0/0']);
    expect(await guarded.refresh(moduleId)).toMatchObject({
      ...{ state: 'ready', content_hash: held.content_hash },
      quarantined: [{ module_id: moduleId, findings: [{ code: 'default_route_forbidden' }] }],
    });
  });

  test('hold a rollback to a content that they forbid; what it changes is intended', async () => {
    const { moduleId } = await applied(guarded, scattered(200));
    const old = (await guarded.runs())!;
    await guarded.set({ guard_max_change_percent: 100 });
    guarded.answer('/list', scattered(20));
    await guarded.refresh(moduleId);
    await guarded.set({ guard_max_change_percent: null });
    const back = await plane.run((tx) => rollbackRevision(tx, plane.context, old));
    expect(back.resource).toMatchObject({ state: 'ready', rollback_of: old });
    await plane.succeeded({ id: back.resource.apply_job_id! });
    expect(await guarded.runs()).toBe(back.resource.id);
    // The source still says what was rolled back from: it does not come back by itself.
    expect(await guarded.refresh(moduleId)).toMatchObject({
      ...{ state: 'ready', content_hash: back.resource.content_hash },
      quarantined: [
        { module_id: moduleId, findings: [{ code: 'max_change_exceeded' }, { code: 'rolled_back' }] },
      ],
    });
    await guarded.set({ guard_max_prefixes: 100 });
    const held = await plane.run((tx) => rollbackRevision(tx, plane.context, old));
    expect(held.resource).toMatchObject({ state: 'held', apply_job_id: null });
    expect(held.resource.findings).toMatchObject([{ code: 'max_prefixes_exceeded', measured: 200 }]);
  });
});

describe('the freeze', () => {
  test('refuses every apply that is asked for, and fails those that are queued', async () => {
    const { moduleId } = await applied(guarded, ['45.0.0.0/24']);
    const before = await guarded.runs();
    await guarded.set({ deploy_freeze: true });
    guarded.answer('/list', ['45.0.1.0/24']);
    const revision = await guarded.refresh(moduleId);
    expect(revision.state).toBe('ready');
    const [job] = (await plane.run((tx) => listJobs(tx, { type: 'apply', limit: 500 }))).items;
    expect(job).toMatchObject({ state: 'failed', error: { code: 'deploy_frozen' } });
    expect((await guarded.refused({})).code).toBe('deploy_frozen');
    expect(await guarded.runs()).toBe(before);
    await guarded.set({ deploy_freeze: null });
    await plane.succeeded(await guarded.apply({}));
    expect(await guarded.runs()).toBe(revision.id);
  });
});
