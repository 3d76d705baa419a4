/** A guardrail that is tightened under lists that are announced: each stays as routers have it, and keeps no other list waiting. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createIpRangeEntries } from '../../../src/control/entries/ip-range-entries.ts';
import { changeModule } from '../../../src/control/lists/modules.ts';
import { adoptAppliedRevision } from '../../../src/control/rollout/adopt-revision.ts';
import { deleteExpired } from '../../../src/store/entries/expiries.ts';
import { deleteIpRangeEntry } from '../../../src/store/entries/ip-range-entries.ts';
import { applied, scattered, useGuarded } from './guarded.ts';

const guarded = useGuarded();
const PROTECTED = '46.80.0.0/22';

async function addRange(name: string, cidr: string) {
  const moduleId = await guarded.addModule(name, { type: 'IP_RANGES' });
  const [made] = await guarded.plane.run((tx) => createIpRangeEntries(tx, moduleId, [{ cidr }], () => ''));
  return { moduleId, entryId: made!.resource.id };
}

async function quarantined(moduleId: string): Promise<readonly string[]> {
  const { held } = await guarded.module(moduleId);
  return (held?.findings ?? []).map(({ code }) => code);
}

test('lists that break it are held as they are, others go on, and what is over leaves', async () => {
  const { moduleId: ours } = await addRange('ours', PROTECTED);
  const { moduleId: attacked, entryId } = await addRange('attacked', '46.80.4.90/32');
  await applied(guarded, scattered(5));
  const before = await guarded.routes();
  expect(before).toEqual(expect.arrayContaining(['46.80.4.90/32', PROTECTED]));
  await guarded.set({ guard_protected_prefixes: [PROTECTED, '46.80.4.0/24'] });

  const { moduleId: urgent } = await addRange('urgent', '47.9.9.9/32');
  const revision = await guarded.refresh(urgent);
  expect(revision).toMatchObject({ state: 'ready', findings: [] });
  expect(revision.quarantined.map(({ module_id: id }) => id).sort()).toEqual([attacked, ours].sort());
  expect(await quarantined(ours)).toEqual(['protected_prefix']);
  expect(await guarded.routes()).toEqual([...before, '47.9.9.9/32'].sort());

  await guarded.plane.run(async (tx) => {
    const over = { expires_at: sql<string>`now() - interval '1 second'` };
    await tx.sql.updateTable('ip_range_entry').set(over).where('id', '=', entryId).execute();
    expect(await deleteExpired(tx, 'ip_range_entry', [entryId])).toEqual([entryId]);
  });
  await guarded.refresh(urgent);
  const left = [...before, '47.9.9.9/32'].filter((one) => one !== '46.80.4.90/32');
  expect(await guarded.routes()).toEqual(left.sort());

  // What is new in a held list waits, and the remedy brings all of it.
  await guarded.plane.run((tx) => createIpRangeEntries(tx, ours, [{ cidr: '46.90.0.0/24' }], () => ''));
  await guarded.refresh(ours);
  expect(await guarded.routes()).not.toContain('46.90.0.0/24');
  await guarded.set({ guard_protected_prefixes: null });
  await guarded.refresh(urgent);
  expect(await guarded.routes()).toContain('46.90.0.0/24');
  expect(await quarantined(ours)).toEqual([]);
});

test('an apply of such a revision asks for no override of what routers have', async () => {
  await addRange('ours', PROTECTED);
  await applied(guarded, scattered(5));
  await guarded.set({ guard_protected_prefixes: [PROTECTED], auto_apply: false });
  const { moduleId: urgent } = await addRange('urgent', '47.9.9.9/32');
  const { id } = await guarded.refresh(urgent);
  // It is looked at once more, by guardrails that are others.
  await guarded.set({ guard_max_coverage_percent: 40 });
  await guarded.plane.succeeded(await guarded.apply({ revision_id: id }));
  expect(await guarded.runs()).toBe(id);
});

test('what an exclusion cut out comes back to no router: the revision is held', async () => {
  await addRange('ours', PROTECTED);
  const exclusion = { type: 'IP_RANGES', purpose: 'exclude' } as const;
  const excluding = await guarded.addModule('router', exclusion);
  const [hole] = await guarded.plane.run((tx) =>
    createIpRangeEntries(tx, excluding, [{ cidr: '46.80.0.1/32' }], () => ''),
  );
  await applied(guarded, scattered(5));
  await guarded.set({ guard_protected_prefixes: ['46.80.0.1/32'] });
  const { moduleId: urgent } = await addRange('urgent', '47.9.9.9/32');
  expect(await guarded.refresh(urgent)).toMatchObject({ state: 'ready', quarantined: [] });
  const before = await guarded.routes();
  expect(before).not.toContain(PROTECTED);

  await guarded.plane.run((tx) => deleteIpRangeEntry(tx, excluding, hole!.resource.id, null));
  const held = await guarded.refresh(urgent);
  expect(held).toMatchObject({ state: 'held', findings: [{ code: 'protected_prefix' }] });
  expect(await guarded.routes()).toEqual(before);
});

test('what no router has yet holds the revision', async () => {
  await applied(guarded, scattered(5));
  await guarded.set({ auto_apply: false });
  const { moduleId: ours } = await addRange('ours', PROTECTED);
  expect(await guarded.refresh(ours)).toMatchObject({ state: 'ready' });
  await guarded.set({ guard_protected_prefixes: [PROTECTED] });
  const { moduleId: urgent } = await addRange('urgent', '47.9.9.9/32');
  expect(await guarded.refresh(urgent)).toMatchObject({
    state: 'held',
    findings: [{ code: 'protected_prefix' }],
  });
});

test('families that a held list did not announce before wait with it', async () => {
  const { moduleId: ours } = await addRange('ours', PROTECTED);
  await guarded.plane.run((tx) => changeModule(tx, ours, { families: ['ipv4'] }, null));
  await guarded.plane.run((tx) => createIpRangeEntries(tx, ours, [{ cidr: '2a00:1000::/32' }], () => ''));
  await applied(guarded, scattered(5));
  await guarded.set({ guard_protected_prefixes: [PROTECTED] });
  await guarded.plane.run((tx) => changeModule(tx, ours, { families: ['ipv4', 'ipv6'] }, null));
  await guarded.refresh(ours);
  expect(await guarded.routes()).not.toContain('2a00:1000::/32');
});

test('a default route that is allowed no longer holds the revision, as only super roles let it through', async () => {
  await guarded.set({ guard_allow_default_route: true });
  await addRange('default', '0.0.0.0/0');
  await applied(guarded, scattered(5));
  await guarded.set({ guard_allow_default_route: false });
  const { moduleId: urgent } = await addRange('urgent', '47.9.9.9/32');
  expect(await guarded.refresh(urgent)).toMatchObject({
    state: 'held',
    findings: [{ code: 'default_route_forbidden' }],
  });
});

test('neighbours that are announced as one prefix, and are too short by now, keep no other list waiting', async () => {
  const [one, other] = await Promise.all([
    addRange('one', '46.80.0.0/22'),
    addRange('other', '46.80.4.0/22'),
  ]);
  await applied(guarded, scattered(5));
  expect(await guarded.routes()).toContain('46.80.0.0/21');
  await guarded.set({ guard_min_prefix_length_ipv4: 23 });
  const { moduleId: urgent } = await addRange('urgent', '47.9.9.9/32');
  expect(await guarded.refresh(urgent)).toMatchObject({ state: 'ready', findings: [] });
  expect(await quarantined(one.moduleId)).toEqual(['prefix_too_short']);
  expect(await quarantined(other.moduleId)).toEqual(['prefix_too_short']);
  expect(await guarded.routes()).toEqual(expect.arrayContaining(['46.80.0.0/21', '47.9.9.9/32']));
});

test('a release for one guardrail takes nothing back of what was let through of the same content for another', async () => {
  await applied(guarded, scattered(5));
  await guarded.set({ guard_protected_prefixes: [PROTECTED] });
  const { moduleId: ours } = await addRange('ours', PROTECTED);
  await guarded.refresh(ours);
  const release = (code: 'protected_prefix' | 'prefix_too_short') =>
    guarded.release(ours, { override: [code], reason: 'the customer may announce this' });
  expect(await quarantined(ours)).toEqual(['protected_prefix']);
  await release('protected_prefix');
  expect(await guarded.routes()).toContain(PROTECTED);

  await guarded.set({ guard_min_prefix_length_ipv4: 24 });
  const { moduleId: urgent } = await addRange('urgent', '47.9.9.9/32');
  await guarded.refresh(urgent);
  expect(await quarantined(ours)).toEqual(['prefix_too_short']);
  await release('prefix_too_short');
  expect(await quarantined(ours)).toEqual([]);
});

test('an apply asks for no override of what was let through, where that has merged with a neighbour', async () => {
  await applied(guarded, scattered(5));
  await guarded.set({ guard_protected_prefixes: ['46.80.0.0/24'], auto_apply: false });
  const { moduleId: ours } = await addRange('ours', '46.80.0.0/24');
  await guarded.refresh(ours);
  await guarded.release(ours, { override: ['protected_prefix'], reason: 'the customer may announce this' });
  const { moduleId: neighbour } = await addRange('neighbour', '46.80.1.0/24');
  const { id } = await guarded.refresh(neighbour);
  // It is looked at once more, by guardrails that are others.
  await guarded.set({ guard_max_coverage_percent: 40 });
  await guarded.plane.succeeded(await guarded.apply({ revision_id: id }));
  expect(await guarded.routes()).toContain('46.80.0.0/23');
});

test('a speaker that comes gets what the others run, with the lists that stay as routers have them', async () => {
  await addRange('ours', PROTECTED);
  const { moduleId } = await applied(guarded, scattered(5));
  const before = await guarded.routes();
  await guarded.set({ guard_protected_prefixes: [PROTECTED] });
  // One on request, of the same content.
  expect(await guarded.refresh(moduleId)).toMatchObject({ state: 'ready', findings: [] });
  const { plane } = guarded;
  const late = await plane.addSpeaker('late');
  const job = await plane.run((tx) => adoptAppliedRevision(tx, plane.context, late));
  await plane.succeeded(job!);
  const { applied_revision_id: revision } = await plane.speaker(late.id);
  expect(Object.keys(await plane.routes(revision!)).sort()).toEqual(before);
});
