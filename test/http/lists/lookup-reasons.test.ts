import { describe, expect, test } from 'vitest';
import { type LookupScene, useLookups } from './lookup-scene.ts';

const scene = useLookups();
const run: LookupScene['run'] = (...asked) => scene.run(...asked);
const lookup: LookupScene['lookup'] = (q) => scene.lookup(q);
const why: LookupScene['why'] = (q) => scene.why(q);
const revise: LookupScene['revise'] = (...prefixes) => scene.revise(...prefixes);
const runs: LookupScene['runs'] = (place, revision) => scene.runs(place, revision);

describe('what is announced by every enabled speaker', () => {
  test('needs no reason, and neither does what nobody lists', async () => {
    const revision = await revise('45.1.0.0/16');
    await runs(0, revision);
    await runs(1, revision);
    expect(await why('45.1.2.3')).toEqual([]);
    expect(await why('46.1.2.3')).toEqual([]);
    expect(await why('2600::1')).toEqual([]);
  });
});

describe('the reason why it is not is', () => {
  test('not_built: no revision holds it yet', async () => {
    expect(await why('45.1.2.3')).toMatchObject([
      { reason: 'not_built', speaker_ids: scene.speakers, module: null, revision: null, address: '45.1.2.3' },
    ]);
  });

  test('not_applied, and to whom', async () => {
    const revision = await revise('45.1.0.0/16');
    await runs(0, revision);
    expect(await lookup('45.1.2.3')).toMatchObject({
      announced: [{ speaker_ids: [scene.speakers[0]] }],
      not_announced: [{ reason: 'not_applied', revision_id: revision, speaker_ids: [scene.speakers[1]] }],
    });
  });

  test('not_applied, of a blackhole inside of a route that scene.speakers announce', async () => {
    const [before, after] = [
      await revise('45.1.0.0/16', '45.2.0.0/17'),
      await revise('45.1.0.0/16', '45.1.2.3/32 65000:666', '45.2.0.0/16'),
    ];
    await runs(0, before);
    await runs(1, after);
    expect(await why('45.1.2.3')).toMatchObject([
      {
        ...{ reason: 'not_applied', revision_id: after, speaker_ids: [scene.speakers[0]] },
        detail: expect.stringContaining('has 45.1.2.3/32, and it is not applied') as string,
      },
    ]);
    // What was merged since is no other route.
    expect(await why('45.1.2.4')).toEqual([]);
    expect(await why('45.2.0.1')).toEqual([]);
    await runs(0, after);
    expect(await why('45.1.2.3')).toEqual([]);
  });

  describe('not_applied, with what is known of its apply:', () => {
    const explanation = async (): Promise<string> => {
      const [reason, ...others] = await why('45.1.2.3');
      expect(reason).toMatchObject({ reason: 'not_applied', speaker_ids: scene.speakers });
      expect(others).toEqual([]);
      return String(reason!.detail);
    };
    const applyOf = async (revision: string): Promise<string> => {
      const { body } = await scene.service.call('POST', '/v1/apply', { body: { revision_id: revision } });
      return String(body.id);
    };

    test('none was asked for', async () => {
      await revise('45.1.0.0/16');
      expect(await explanation()).toMatch(/POST \/v1\/apply applies it\.$/);
    });

    test('a job waits, waits for an older one, or runs', async () => {
      const job = await applyOf(await revise('45.1.0.0/16'));
      expect(await explanation()).toContain(`The job ${job} is to apply it, and waits for its turn.`);
      await run(`UPDATE job SET state = 'running' WHERE id = $1`, job);
      expect(await explanation()).toContain(`The job ${job} is applying it`);
      const progress = '{"phase": "waiting for an older apply", "done": 0, "total": null}';
      await run(`UPDATE job SET progress = $2 WHERE id = $1`, job, progress);
      expect(await explanation()).toContain(
        `The job ${job} is to apply it, and waits until an older apply has ended.`,
      );
    });

    test('the last one failed, by what', async () => {
      const job = await applyOf(await revise('45.1.0.0/16'));
      const error = JSON.stringify({ code: 'canary_failed', detail: 'one: the session went down.' });
      await run(`UPDATE job SET state = 'failed', error = $2 WHERE id = $1`, job, error);
      expect(await explanation()).toContain(
        `Its last apply, the job ${job}, failed (canary_failed): one: the session went down. Fix that`,
      );
    });

    test('a freeze holds it', async () => {
      const revision = await revise('45.1.0.0/16');
      const job = await applyOf(revision);
      await scene.service.call('PATCH', '/v1/settings', { body: { deploy_freeze: true } });
      const asked = 'set it to false, then POST /v1/apply applies it.';
      expect(await explanation()).toContain(`deploy_freeze is on, so nothing is applied: ${asked}`);
      // What it has stopped comes by itself when it ends, where applies do so.
      const error = JSON.stringify({ code: 'deploy_frozen', detail: 'Nothing is applied.' });
      await run(`UPDATE job SET state = 'failed', error = $2 WHERE id = $1`, job, error);
      expect(await explanation()).toContain('Set it to false, and what waits is applied.');
      await scene.service.call('PATCH', '/v1/settings', { body: { auto_apply: false } });
      expect(await explanation()).toContain(asked);
      await scene.service.call('PATCH', '/v1/settings', { body: { auto_apply: null } });
      await scene.service.call('PATCH', '/v1/settings', { body: { deploy_freeze: null } });
    });
  });

  test('left_out: a rollback came after the revision that has it', async () => {
    const had = await revise('45.1.0.0/16');
    const back = await revise('46.0.0.0/16');
    await run(`UPDATE revision SET trigger = jsonb_set(trigger, '{kind}', '"rollback"') WHERE id = $1`, back);
    await runs(0, back);
    const [reason, ...others] = await why('45.1.2.3');
    expect(reason).toMatchObject({ reason: 'left_out', revision_id: had, speaker_ids: scene.speakers });
    expect(reason!.detail).toMatch(/^Revision \d+ has it, and revision \d+, a rollback/);
    expect(others).toEqual([]);
  });

  test('left_out: a speaker runs a newer one that was applied with override; nothing is advised', async () => {
    const had = await revise('45.1.0.0/16');
    const over = await revise('46.0.0.0/16');
    await run(`UPDATE revision SET state = 'held' WHERE id = $1`, over);
    await runs(0, over);
    const [newer, applied, ...others] = await why('45.1.2.3');
    expect(newer).toMatchObject({ reason: 'left_out', revision_id: had, speaker_ids: [scene.speakers[0]] });
    expect(newer!.detail).not.toContain('POST');
    expect(applied).toMatchObject({ reason: 'not_applied', speaker_ids: [scene.speakers[1]] });
    expect(others).toEqual([]);
  });

  test('how much of a prefix routes have, and what is missing first', async () => {
    const coverage = async (prefix: string): Promise<unknown> => (await lookup(prefix)).coverage;
    const now = await revise('45.1.0.0/16', '45.3.0.0/24', '45.3.2.0/24');
    await runs(0, now);
    const whole = { state: 'all', missing: null, address: null };
    expect(await coverage('45.1.0.0/16')).toEqual(whole);
    expect(await coverage('45.1.240.0/20')).toEqual(whole);
    expect(await coverage('45.3.0.0/22')).toEqual({
      ...{ state: 'part', missing: '45.3.1.0/24', address: '45.3.1.0' },
    });
    expect(await coverage('45.2.0.0/16')).toEqual({
      ...{ state: 'none', missing: '45.2.0.0/16', address: '45.2.0.0' },
    });
    expect(await lookup('45.1.2.3')).not.toHaveProperty('coverage');
    // Of more routes than an answer has, only those that it has count.
    const many = Array.from({ length: 128 }, (_, at) => `47.0.${at * 2}.0/24`);
    await runs(0, await revise(...many));
    expect(await coverage('47.0.0.0/16')).toEqual({
      state: 'part',
      missing: '47.0.1.0',
      address: '47.0.1.0',
    });
    const halves = Array.from({ length: 256 }, (_, at) => `47.0.${at}.0/24`);
    await runs(0, await revise(...halves));
    expect(await coverage('47.0.0.0/16')).toEqual({ state: 'unknown', missing: null, address: null });
  });

  test('provisional, while it is being applied, and for whom', async () => {
    const revision = await revise('45.1.0.0/16');
    const { body: job } = await scene.service.call('POST', '/v1/apply', { body: { revision_id: revision } });
    await run(
      `INSERT INTO speaker_apply (tenant_id, id, speaker_id, revision_id, job_id, state, sequence)
       SELECT tenant_id, gen_random_uuid(), $1, $2, id, 'running', sequence FROM job WHERE id = $3`,
      ...[scene.speakers[0], revision, job.id],
    );
    expect(await why('45.1.2.3')).toMatchObject([
      { reason: 'provisional', revision_id: revision, speaker_ids: [scene.speakers[0]] },
      { reason: 'not_applied', revision_id: revision, speaker_ids: [scene.speakers[1]] },
    ]);
  });

  test('held, with the codes', async () => {
    await revise('46.0.0.0/16');
    const held = await revise('45.1.0.0/16');
    const findings = JSON.stringify([{ code: 'max_change_exceeded' }]);
    await run(`UPDATE revision SET state = 'held', findings = $2 WHERE id = $1`, held, findings);
    const [reason] = await why('45.1.2.3');
    expect(reason).toMatchObject({ reason: 'held', revision_id: held, speaker_ids: scene.speakers });
    expect(reason!.detail).toContain('max_change_exceeded');
  });

  test('module_disabled', async () => {
    await run('UPDATE module SET enabled = false WHERE id = $1', scene.module);
    expect(await why('45.1.2.3')).toMatchObject([
      { reason: 'module_disabled', module: { id: scene.module, name: 'listed' }, entry: { id: scene.entry } },
    ]);
    await run('UPDATE module SET enabled = true WHERE id = $1', scene.module);
  });

  test('entry_disabled', async () => {
    await run('UPDATE ip_range_entry SET enabled = false WHERE id = $1', scene.entry);
    expect(await why('45.1.2.3')).toMatchObject([
      {
        reason: 'entry_disabled',
        module: { id: scene.module },
        entry: { id: scene.entry, value: '45.1.0.0/16' },
      },
    ]);
    await run('UPDATE ip_range_entry SET enabled = true WHERE id = $1', scene.entry);
  });

  test('family_off', async () => {
    await run(`UPDATE module SET families = '{ipv6}' WHERE id = $1`, scene.module);
    expect(await why('45.1.2.3')).toMatchObject([{ reason: 'family_off', module: { id: scene.module } }]);
    await run(`UPDATE module SET families = '{ipv4,ipv6}' WHERE id = $1`, scene.module);
  });

  test('excluded, by which module and entry', async () => {
    const excluding = await scene.addRange('ours', '45.1.2.0/24', { purpose: 'exclude' });
    expect(await why('45.1.2.3')).toMatchObject([
      { reason: 'excluded', module: { id: excluding.module, name: 'ours' }, entry: { value: '45.1.2.0/24' } },
    ]);
    expect(await why('45.1.3.3')).toMatchObject([{ reason: 'not_built' }]);
  });

  test('bogon, with the block and the setting', async () => {
    const [reason, ...others] = await why('10.1.2.3');
    expect(reason).toMatchObject({ reason: 'bogon', address: '10.1.2.3' });
    expect(reason!.detail).toContain('10.0.0.0/8, Private use (RFC 1918), which guard_bogons');
    expect(others).toEqual([]);
    await scene.service.call('PATCH', '/v1/settings', { body: { guard_bogons: 'allow' } });
    expect(await why('10.1.2.3')).toEqual([]);
    await scene.service.call('PATCH', '/v1/settings', { body: { guard_bogons: null } });
  });

  test('that no speaker is enabled', async () => {
    const revision = await revise('45.1.0.0/16');
    await run('UPDATE speaker SET enabled = false');
    const [reason] = await why('45.1.3.3');
    expect(reason).toMatchObject({ reason: 'not_applied', revision_id: revision, speaker_ids: [] });
    expect(reason!.detail).toContain('no speaker is enabled');
    await run('UPDATE speaker SET enabled = true');
  });

  test('given for a name, too', async () => {
    const { id } = await scene.service.make('/v1/modules', {
      name: 'names',
      type: 'DOMAINS',
      enabled: false,
    });
    await scene.service.make(`/v1/modules/${id}/domain-entries`, { domain: 'shop.example.net' });
    const { body } = await scene.service.call('GET', '/v1/lookup?q=shop.example.net');
    expect(body.not_announced).toMatchObject([
      { reason: 'module_disabled', address: null, module: { id }, entry: { value: 'shop.example.net' } },
    ]);
  });
});

test('held, of a module that a guardrail holds', async () => {
  await run(
    `INSERT INTO held_snapshot (tenant_id, module_id, content_hash, findings)
     SELECT tenant_id, $1, content_hash, '[]' FROM revision WHERE id = $2`,
    ...[scene.module, await revise('46.0.0.0/16')],
  );
  const [reason, ...others] = await why('45.1.3.3');
  expect(reason).toMatchObject({ reason: 'held', module: { id: scene.module }, entry: { id: scene.entry } });
  expect(others).toEqual([]);
  await run('DELETE FROM held_snapshot');
});
