/** What is pending: what needs no revision, what waits for one, and what cannot be collected. */
import { describe, expect, test } from 'vitest';
import { requestRevision } from '../../../src/control/collection/follow-edits.ts';
import { changeCommunity } from '../../../src/control/tenants/communities.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { deleteIpRangeEntry } from '../../../src/store/entries/ip-range-entries.ts';
import { deleteModule, getModule } from '../../../src/store/modules/modules.ts';
import { compactPending } from '../../../src/store/modules/pending-changes.ts';
import { waitFor } from '../../daemons/wait.ts';
import { serves } from '../../sources/lists/list-server.ts';
import { useFollowedEdits } from './followed-edits.ts';

const { lists, pending, newest, settled, during, changeRange } = useFollowedEdits();
const { addModule, addRanges, addSource, change } = lists;

describe('no revision follows', () => {
  test('what changes nothing that is announced is not pending', async () => {
    const module = await addModule({ name: 'quiet' });
    const [id] = await addRanges(module, '11.0.0.0/24');
    const off = await addModule({ name: 'off', enabled: false });
    const unused = await lists.plane.addCommunity('64500:9');
    await settled();
    const quiet = await during(async () => {
      await change(module, { name: 'still', description: 'words', refresh_interval_seconds: 3600 });
      await changeRange(module, id!, { note: 'words' });
      await changeRange(module, id!, { enabled: true });
      await addRanges(off, '12.0.0.0/24');
      await change(off, { purpose: 'exclude' });
      await lists.plane.run((tx) => deleteModule(tx, off, null));
      await lists.plane.run((tx) =>
        changeCommunity(tx, lists.plane.context, lists.red, { title: 'words' }, null),
      );
      await lists.plane.run((tx) =>
        changeCommunity(tx, lists.plane.context, unused, { community: '64500:99' }, null),
      );
      await lists.plane.run((tx) => changeSettings(tx, { deploy_wave_size: 3 }));
      expect(await pending()).toEqual({ count: 0, since: null });
    });
    expect(quiet).toMatchObject({ revisions: [], refreshes: 0 });
  });

  test('nor when an edit is taken back before', async () => {
    const module = await addModule({ name: 'back' });
    const [id] = await addRanges(module, '11.0.0.0/24');
    await settled();
    const back = await during(async () => {
      await changeRange(module, id!, { enabled: false });
      await changeRange(module, id!, { enabled: true });
      await change(module, { enabled: false });
      await change(module, { enabled: true });
      const [more] = await addRanges(module, '12.0.0.0/24');
      await lists.plane.run((tx) => deleteIpRangeEntry(tx, module, more!, null));
    });
    expect(back.revisions).toEqual([]);
  });

  test('while auto_revision is off: edits are counted until one is built on request', async () => {
    await lists.plane.run((tx) => changeSettings(tx, { auto_revision: false }));
    const module = await addModule({ name: 'by hand' });
    const before = await newest();
    await addRanges(module, '11.0.0.0/24', '12.0.0.0/24');
    await change(module, { community_id: lists.blue });
    await new Promise((resolve) => setTimeout(resolve, 1_500)); // for a revision that must not come
    expect((await newest())?.id).toBe(before?.id);
    const { count, since } = await pending();
    expect(count).toBe(3);
    expect(Date.parse(since!)).toBeLessThan(Date.now());
    const { pending_changes: shown } = (await lists.plane.run((tx) => getModule(tx, module))).resource;
    expect(shown).toEqual({ count, since });

    const job = await lists.plane.run((tx) => requestRevision(tx, lists.plane.context));
    const { result } = await lists.plane.ended(job);
    expect(result).toMatchObject({ revision_created: true, content_changed: true });
    const made = await lists.plane.revision(String(result!.revision_id));
    expect(made.trigger).toEqual({ kind: 'manual', module_id: null, job_id: job.id, actor: 'key:test' });
    expect(await lists.plane.routes(made.id)).toEqual({
      '11.0.0.0/24': ['64500:2'],
      '12.0.0.0/24': ['64500:2'],
    });
    expect(await pending()).toEqual({ count: 0, since: null });

    const again = await lists.plane.ended(
      await lists.plane.run((tx) => requestRevision(tx, lists.plane.context)),
    );
    expect(again.result).toMatchObject({
      ...{ revision_id: made.id, number: made.number },
      ...{ revision_created: false, content_changed: false, apply_job_id: null },
    });
  });
});

test('while auto_revision is off: a revision that another module is refreshed for holds both halves of a move', async () => {
  await lists.plane.run((tx) => changeSettings(tx, { auto_revision: false }));
  const [own, other, third] = [
    await addModule({ name: 'own' }),
    await addModule({ name: 'other' }),
    await addModule({ name: 'third' }),
  ];
  await addRanges(other, '11.0.0.0/24');
  await addRanges(third, '12.0.0.0/24');
  await lists.plane.ended(await lists.plane.run((tx) => requestRevision(tx, lists.plane.context)));
  await settled();
  await addRanges(own, '11.0.0.0/24');
  const [{ id } = { id: '' }] = await lists.plane.database.admin<{ id: string }>(
    'SELECT id FROM ip_range_entry WHERE module_id = $1',
    [other],
  );
  await lists.plane.run((tx) => deleteIpRangeEntry(tx, other, id, null));
  const { revision_id: made } = await lists.plane.succeeded(await lists.plane.refresh(third));
  const routes = ['11.0.0.0/24', '12.0.0.0/24'];
  expect(Object.keys(await lists.plane.routes(String(made))).sort()).toEqual(routes);
  expect(await pending()).toEqual({ count: 0, since: null });
  const { prefix_count: count } = (await lists.plane.run((tx) => getModule(tx, own))).resource;
  expect(count).toEqual({ ipv4: 1, ipv6: 0 });
});

describe('what cannot be collected', () => {
  test('is reported by its entries, and not tried again and again', async () => {
    const module = await addModule({ name: 'gone', type: 'CDN_SOURCES' });
    const { revisions: made, refreshes } = await during(async () => {
      await addSource(module, '/gone');
      await waitFor(async () => (await pending()).count === 0, { what: 'the attempt to end' });
      // For further attempts, which must not come.
      await new Promise((resolve) => setTimeout(resolve, 2_500));
    });
    expect({ made, refreshes }).toEqual({ made: [], refreshes: 1 });
    expect((await lists.plane.run((tx) => getModule(tx, module))).resource.last_refresh?.status).toBe(
      'failed',
    );
  });

  test('keeps nobody waiting: what hangs follows later', async () => {
    let answer = (): void => undefined;
    lists.plane.answers.set('/hangs', (request, response) => {
      answer = () => void serves('15.0.0.0/24')(request, response);
    });
    const slow = await addModule({ name: 'slow', type: 'CDN_SOURCES' });
    const module = await addModule({ name: 'quick' });
    await addSource(slow, '/hangs');
    await addRanges(module, '11.0.0.0/24');
    // However long this takes, the other refresh has just begun, and the build of the edit was asked for two seconds ago.
    const ages = `UPDATE job SET started_at = CASE WHEN type = 'module_refresh' THEN clock_timestamp() ELSE started_at END,
        queued_at = CASE WHEN type = 'revision_build' THEN clock_timestamp() - interval '2 s' ELSE queued_at END
       WHERE tenant_id = '${lists.plane.tenantId}' AND state = 'running'`;
    const isThere = async (): Promise<boolean> => {
      await lists.plane.database.admin(ages);
      return Object.keys(await lists.plane.routes((await newest())!.id)).includes('11.0.0.0/24');
    };
    await waitFor(isThere, { what: 'the revision with the range' });
    expect(await pending()).toMatchObject({ count: 1 });
    answer();
    expect(await settled()).toHaveProperty('15.0.0.0/24');
  });
});

test('edits that nobody builds are added up', async () => {
  await lists.plane.run((tx) => changeSettings(tx, { auto_revision: false }));
  const module = await addModule({ name: 'many' });
  await lists.plane.run((tx) => changeSettings(tx, { default_community_id: lists.red }));
  await lists.plane.database.admin(
    `INSERT INTO pending_change (tenant_id, module_id, needs_collect, needs_build, edits)
     SELECT '${lists.plane.tenantId}', '${module}', i % 2 = 0, true, 2 FROM generate_series(1, 1200) i`,
  );
  const { count, since } = await pending();
  await lists.plane.run(compactPending);
  expect(await pending()).toEqual({ count, since });
  const [{ rows } = { rows: 0 }] = await lists.plane.database.admin<{ rows: number }>(
    `SELECT count(*)::int AS rows FROM pending_change WHERE tenant_id = '${lists.plane.tenantId}'`,
  );
  expect(rows).toBe(3);
});

test('a policy that allows less takes away what was built, and one that allows it again brings it back', async () => {
  const id = await addModule({ name: 'of a policy' });
  await addRanges(id, '45.0.0.0/24');
  const before = await settled();
  const allow = async (prefixes: readonly string[] | null): Promise<void> => {
    const part = JSON.stringify({ allowed_prefixes: prefixes });
    await lists.plane.database.admin('UPDATE tenant SET policy = policy || $2::jsonb WHERE id = $1', [
      lists.plane.tenantId,
      part,
    ]);
    await settled();
  };
  await allow(['46.0.0.0/8']);
  expect(await newest()).toMatchObject({
    state: 'ready',
    prefix_count: { ipv4: 0 },
    quarantined: [{ module_id: id, findings: [{ code: 'tenant_policy', module_id: id }] }],
  });
  await allow(null);
  expect((await newest())?.state).toBe('ready');
  expect(await settled()).toEqual(before);
});
