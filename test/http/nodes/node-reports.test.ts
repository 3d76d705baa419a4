import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { pruneRevisions } from '../../../src/store/revisions/revision-prune.ts';
import { waitFor } from '../../daemons/wait.ts';
import { startNodeService, type NodeService } from './node-service.ts';

let service: NodeService;
beforeAll(async () => {
  service = await startNodeService();
});
afterAll(() => service.close());

describe('the word of the node', () => {
  const agent = { version: '1.0.0', hostname: 'edge-1', run_id: uuidv7() };
  const daemon = {
    ...{ reachable: true, version: '1', router_id: '192.0.2.1', uptime_seconds: 1 },
    ...{ last_reconfigured_at: null, error: null, sessions: [] },
  };
  const report = async (sequence: number | null, revision: string | null, more: object = {}) => {
    const counts = { announced: 3, withdrawn: 2, changed: 1 };
    const body = {
      sequence,
      revision_id: revision,
      status: 'applied',
      ...counts,
      error: null,
      daemon,
      agent,
      ...more,
    };
    const path = `/v1/speakers/${service.speakerId}/apply-status`;
    const answer = await service.call('POST', path, { key: service.tenant.keys.node, body });
    expect(answer.status, answer.text).toBe(200);
  };
  const stateOf = async (applyId: string) =>
    (
      await service.database.admin<Record<string, unknown>>(
        'SELECT state, announced, withdrawn, changed, error FROM speaker_apply WHERE id = $1',
        [applyId],
      )
    )[0]!;
  const runs = async () =>
    (await service.call('GET', `/v1/speakers/${service.speakerId}`)).body.applied_revision_id;
  let octet = 70;
  const next = () => service.revisionOf([`${octet++}.0.0.0/8`]);

  test('that it runs the bundle ends the apply and says what the speaker runs', async () => {
    const revision = await next();
    const id = await service.apply(revision);
    expect(await stateOf(id)).toMatchObject({ state: 'queued' });
    const { sequence } = await service.assigned();
    expect(await stateOf(id)).toMatchObject({ state: 'running' });
    await report(sequence, revision);
    expect(await stateOf(id)).toMatchObject({ state: 'succeeded', announced: 3, withdrawn: 2, changed: 1 });
    expect(await runs()).toBe(revision);
    await report(sequence, revision, { announced: 9 });
    expect(await stateOf(id)).toMatchObject({ announced: 3 });
  });

  test('that it failed ends the apply as failed, and counts no more once it has come about', async () => {
    const before = await runs();
    const revision = await next();
    const id = await service.apply(revision);
    const { sequence } = await service.assigned();
    await report(sequence, revision, { status: 'failed', error: 'The daemon would not.' });
    expect(await stateOf(id)).toMatchObject({ state: 'failed', error: 'The daemon would not.' });
    expect(await runs()).toBe(before);
    expect((await service.assigned()).sequence).toBe(sequence);
    await report(sequence, revision);
    expect(await stateOf(id)).toMatchObject({ state: 'succeeded', error: null });
    expect(await runs()).toBe(revision);
  });

  test('that it failed before the apply was tried again says nothing of the new one', async () => {
    const revision = await next();
    await service.apply(revision);
    const { sequence } = await service.assigned();
    const failure = { status: 'failed', error: 'The disk is full.' };
    await report(sequence, revision, failure);
    const again = await service.apply(revision);
    const after = await service.assigned();
    // Another number, so that the node tries at once, and its word is about this one.
    expect(after.sequence).toBeGreaterThan(sequence);
    await report(sequence, revision, failure);
    expect(await stateOf(again)).toMatchObject({ state: 'running' });
    await report(after.sequence, revision, failure);
    expect(await stateOf(again)).toMatchObject({ state: 'failed' });
    expect((await service.assigned()).sequence).toBe(after.sequence);
    await report(after.sequence, revision);
    expect(await stateOf(again)).toMatchObject({ state: 'succeeded' });
  });

  test('that it knows newer bundles than the database, which was restored, is answered by one that is not old', async () => {
    const admin = (text: string, values: unknown[] = []) => service.database.admin(text, values);
    const before = await next();
    await service.apply(before);
    await report((await service.assigned()).sequence, before);
    const { sequence: restored } = await service.assigned();
    for (const table of ['speaker_bundle', 'speaker_apply', 'speaker'])
      await admin(`CREATE TABLE saved_${table} AS SELECT * FROM ${table}`);
    const lost = await next();
    const id = await service.apply(lost);
    const { sequence } = await service.assigned();
    await report(sequence, lost);
    await admin('DELETE FROM speaker_apply WHERE id = $1', [id]);
    await admin(
      'UPDATE speaker SET applied_revision_id = s.applied_revision_id FROM saved_speaker s WHERE s.id = speaker.id',
    );
    await admin('DELETE FROM speaker_bundle');
    await admin('INSERT INTO speaker_bundle SELECT * FROM saved_speaker_bundle');
    expect(await service.assigned()).toMatchObject({ sequence: restored, revision_id: before });
    const faultOf = async () =>
      (await service.call('GET', `/v1/speakers/${service.speakerId}?live=true`)).body.live as {
        reachable: boolean;
        error: string | null;
      };
    const number = async (revision: string) =>
      (await service.call('GET', `/v1/revisions/${revision}`)).body.number as number;
    const own = `revision ${await number(before)} is its own. It takes that by itself, as after a restore of the database.`;
    // One that came after the backup.
    await report(sequence, uuidv7());
    expect(await faultOf()).toMatchObject({
      reachable: true,
      error: `The node announces what no revision here has, and ${own}`,
    });
    await report(sequence, lost);
    expect((await faultOf()).error).toBe(`The node announces revision ${await number(lost)}, and ${own}`);
    const assigned = await waitFor(
      async () => {
        await report(sequence, before, { status: 'failed', error: 'bundle_replayed: x' });
        const latest = await service.assigned();
        return latest.sequence > sequence && latest;
      },
      { what: 'a bundle that the node takes' },
    );
    expect(assigned.revision_id).toBe(before);
    // As long as the report differs, whatever was issued meanwhile.
    await report(sequence, lost);
    expect((await faultOf()).error).toBe(`The node announces revision ${await number(lost)}, and ${own}`);
    // An apply of what the node was said to run is not done before it runs it.
    const again = await service.apply(before);
    await service.assigned();
    expect(await stateOf(again)).toMatchObject({ state: 'running' });
    await report(assigned.sequence, before);
    expect(await stateOf(again)).toMatchObject({ state: 'succeeded' });
    expect(await faultOf()).toMatchObject({ reachable: true, error: null });
  });

  test('of another bundle than the latest changes nothing', async () => {
    const first = await next();
    const superseded = await service.apply(first);
    const { sequence } = await service.assigned();
    const second = await next();
    const id = await service.apply(second);
    const before = await runs();
    await service.assigned();
    for (const assigned of [sequence, sequence - 1, sequence + 1_000_000_000, null]) {
      await report(assigned, first);
      await report(assigned, first, { status: 'failed', error: 'x' });
    }
    expect(await stateOf(superseded)).toMatchObject({ state: 'superseded' });
    expect(await stateOf(id)).toMatchObject({ state: 'running' });
    expect(await runs()).toBe(before);
  });

  test('is not waited for where the node runs that content already', async () => {
    const { sequence, revision_id: revision } = await service.assigned();
    await report(sequence, revision);
    const again = await service.apply(revision);
    const same = await service.apply(null);
    await service.assigned();
    const nothing = { state: 'succeeded', announced: 0, withdrawn: 0, changed: 0 };
    expect([await stateOf(again), await stateOf(same)]).toMatchObject([nothing, nothing]);
  });

  test('ends an apply that keeps the revision, once the peers that it is for are there', async () => {
    const { sequence } = await service.assigned();
    await service.make('/v1/peers', { name: 'one more', address: '192.0.2.99', remote_asn: 64502 });
    const id = await service.apply(null);
    const after = await service.assigned();
    expect(after.sequence).toBeGreaterThan(sequence);
    await report(sequence, after.revision_id);
    expect(await stateOf(id)).toMatchObject({ state: 'running' });
    await report(after.sequence, after.revision_id);
    expect(await stateOf(id)).toMatchObject({ state: 'succeeded', announced: 0 });
  });

  test('takes an apply back that is to be undone', async () => {
    const [before, after] = [await next(), await next()];
    await service.apply(before);
    await report((await service.assigned()).sequence, before);
    const id = await service.apply(after);
    const { sequence } = await service.assigned();
    await report(sequence, after);
    expect(await runs()).toBe(after);
    await service.database.admin("UPDATE speaker_apply SET state = 'undoing' WHERE id = $1", [id]);
    const undone = await service.assigned();
    expect(undone.revision_id).toBe(before);
    expect(undone.sequence).toBeGreaterThan(sequence);
    await report(undone.sequence, before);
    expect(await stateOf(id)).toMatchObject({ state: 'undone' });
    expect(await runs()).toBe(before);
  });

  describe('while an apply is to be taken back, and a newer one has come', () => {
    let good: string;
    let undoing: string;
    beforeEach(async () => {
      good = await next();
      await service.apply(good);
      await report((await service.assigned()).sequence, good);
      const bad = await next();
      undoing = await service.apply(bad);
      await report((await service.assigned()).sequence, bad);
      await service.database.admin(
        "UPDATE speaker_apply SET state = 'undoing', wave = 0, finished_at = NULL WHERE id = $1",
        [undoing],
      );
    });

    test.each([0, 1])('that it failed takes the former back all the same (wave %i)', async (wave) => {
      const newest = await next();
      const id = await service.apply(newest);
      await service.database.admin('UPDATE speaker_apply SET wave = $2 WHERE id = $1', [id, wave]);
      const { sequence, revision_id: assigned } = await service.assigned();
      expect(assigned).toBe(newest);
      await report(sequence, newest, { status: 'failed', error: 'The daemon would not.' });
      const back = await service.assigned();
      expect(back.revision_id).toBe(good);
      expect(await stateOf(undoing)).toMatchObject({ state: 'undoing' });
      await report(back.sequence, good);
      expect(await stateOf(undoing)).toMatchObject({ state: 'undone' });
      expect(await runs()).toBe(good);
    });

    test('that it runs that ends both', async () => {
      const newest = await next();
      const id = await service.apply(newest);
      await report((await service.assigned()).sequence, newest);
      expect(await stateOf(id)).toMatchObject({ state: 'succeeded' });
      expect(await stateOf(undoing)).toMatchObject({ state: 'superseded' });
      expect((await service.assigned()).revision_id).toBe(newest);
    });

    test('where that is taken back too, both go back to what was good', async () => {
      const newest = await next();
      const id = await service.apply(newest);
      await service.assigned();
      await service.database.admin("UPDATE speaker_apply SET state = 'undoing', wave = 0 WHERE id = $1", [
        id,
      ]);
      const back = await service.assigned();
      expect(back.revision_id).toBe(good);
      await report(back.sequence, good);
      expect(await stateOf(id)).toMatchObject({ state: 'undone' });
      expect((await stateOf(undoing)).state).toMatch(/^(undone|superseded)$/);
      expect(await runs()).toBe(good);
    });
  });

  test('that a canary failed takes it back at once, and others try again', async () => {
    const [before, after] = [await next(), await next()];
    await service.apply(before);
    await report((await service.assigned()).sequence, before);
    const id = await service.apply(after);
    const { sequence } = await service.assigned();
    await report(sequence, after, { status: 'failed', error: 'The daemon would not.' });
    expect((await service.assigned()).revision_id).toBe(after);
    await service.database.admin('UPDATE speaker_apply SET wave = 0 WHERE id = $1', [id]);
    const back = await service.assigned();
    expect(back.revision_id).toBe(before);
    await report(back.sequence, before, { status: 'unchanged' });
    expect(await stateOf(id)).toMatchObject({ state: 'failed', error: 'The daemon would not.' });
    expect(await runs()).toBe(before);
  });

  test('is not asked for while applies are frozen', async () => {
    const { sequence } = await service.assigned();
    await service.call('PATCH', '/v1/settings', { body: { deploy_freeze: true } });
    const revision = await next();
    const id = await service.apply(revision);
    expect((await service.assigned()).sequence).toBe(sequence);
    expect(await stateOf(id)).toMatchObject({ state: 'queued' });
    await service.call('PATCH', '/v1/settings', { body: { deploy_freeze: false } });
    expect((await service.assigned()).revision_id).toBe(revision);
  });

  test('keeps what it runs, and what it was given last, from being pruned', async () => {
    const applied = await next();
    await service.apply(applied);
    await report((await service.assigned()).sequence, applied);
    const given = await next();
    await service.apply(given);
    await report((await service.assigned()).sequence, given, { status: 'failed', error: 'x' });
    const idle = await next();
    await next();
    await service.database.admin("UPDATE revision SET created_at = now() - interval '99 days'");
    await service.database.db.inTenant(service.tenant.id, (tx) => pruneRevisions(tx, 1));
    const exists = async (id: string) => (await service.call('GET', `/v1/revisions/${id}`)).status === 200;
    expect([await exists(applied), await exists(given), await exists(idle)]).toEqual([true, true, false]);
    expect((await service.pull((await service.assigned()).bundle.url)).status).toBe(200);
  });
});
