import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeRevision } from './fixtures.ts';
import { startService, type Body, type TestService } from './service.ts';

let service: TestService;
let community: string;
let speakers: string[];
let module: string;
let entry: string;
beforeAll(async () => {
  service = await startService();
  community = (await service.make('/v1/communities', { community: '65000:100', title: 'x' })).id;
  speakers = [];
  for (const name of ['one', 'two'])
    speakers.push((await service.make('/v1/speakers', { name, local_asn: 64512 })).id);
  speakers.sort();
  ({ module, entry } = await addRange('listed', '45.1.0.0/16'));
});
afterAll(() => service.close());
beforeEach(async () => {
  await run('DELETE FROM speaker_apply');
  await run('UPDATE speaker SET applied_revision_id = NULL');
  await run('DELETE FROM revision');
});

const run = (sql: string, ...values: unknown[]) => service.database.admin(sql, values);

async function addRange(name: string, cidr: string, more: object = {}) {
  const { id } = await service.make('/v1/modules', {
    name,
    type: 'IP_RANGES',
    community_id: community,
    ...more,
  });
  const { id: entryId } = await service.make(`/v1/modules/${id}/ip-range-entries`, { cidr });
  return { module: id, entry: entryId };
}

/** The same by the fast path and the ordinary one. */
async function lookup(q: string): Promise<Body & { not_announced: Body[] }> {
  const path = `/v1/lookup?q=${q}`;
  // What other processes committed is seen a moment later; what this one did, at once.
  await service.call('PATCH', '/v1/settings', { body: { auto_apply: true } });
  const first = await service.call('GET', path);
  expect(first.status, first.text).toBe(200);
  const headers = { origin: 'https://console.example.net' };
  for (let time = 0; time < 3; time++) {
    expect((await service.call('GET', path)).text).toBe(first.text);
    expect((await service.call('GET', path, { headers })).text).toBe(first.text);
  }
  return first.body as Body & { not_announced: Body[] };
}
const why = async (q: string): Promise<Body[]> => (await lookup(q)).not_announced;

const revise = (...prefixes: string[]) => makeRevision(service, service.tenant, community, prefixes);
const runs = (place: number, revision: string) =>
  run(
    'UPDATE speaker SET applied_revision_id = $2, applied_at = now() WHERE id = $1',
    speakers[place],
    revision,
  );

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
      { reason: 'not_built', speaker_ids: speakers, module: null, revision: null, address: '45.1.2.3' },
    ]);
  });

  test('not_applied, and to whom', async () => {
    const revision = await revise('45.1.0.0/16');
    await runs(0, revision);
    expect(await lookup('45.1.2.3')).toMatchObject({
      announced: [{ speaker_ids: [speakers[0]] }],
      not_announced: [{ reason: 'not_applied', revision_id: revision, speaker_ids: [speakers[1]] }],
    });
  });

  test('provisional, while it is being applied, and for whom', async () => {
    const revision = await revise('45.1.0.0/16');
    const { body: job } = await service.call('POST', '/v1/apply', { body: { revision_id: revision } });
    await run(
      `INSERT INTO speaker_apply (tenant_id, id, speaker_id, revision_id, job_id, state, sequence)
       SELECT tenant_id, gen_random_uuid(), $1, $2, id, 'running', sequence FROM job WHERE id = $3`,
      ...[speakers[0], revision, job.id],
    );
    expect(await why('45.1.2.3')).toMatchObject([
      { reason: 'provisional', revision_id: revision, speaker_ids: [speakers[0]] },
      { reason: 'not_applied', revision_id: revision, speaker_ids: [speakers[1]] },
    ]);
  });

  test('held, with the codes', async () => {
    await revise('46.0.0.0/16');
    const held = await revise('45.1.0.0/16');
    const findings = JSON.stringify([{ code: 'max_change_exceeded' }]);
    await run(`UPDATE revision SET state = 'held', findings = $2 WHERE id = $1`, held, findings);
    const [reason] = await why('45.1.2.3');
    expect(reason).toMatchObject({ reason: 'held', revision_id: held, speaker_ids: speakers });
    expect(reason!.detail).toContain('max_change_exceeded');
  });

  test('module_disabled', async () => {
    await run('UPDATE module SET enabled = false WHERE id = $1', module);
    expect(await why('45.1.2.3')).toMatchObject([
      { reason: 'module_disabled', module: { id: module, name: 'listed' }, entry: { id: entry } },
    ]);
    await run('UPDATE module SET enabled = true WHERE id = $1', module);
  });

  test('entry_disabled', async () => {
    await run('UPDATE ip_range_entry SET enabled = false WHERE id = $1', entry);
    expect(await why('45.1.2.3')).toMatchObject([
      { reason: 'entry_disabled', module: { id: module }, entry: { id: entry, value: '45.1.0.0/16' } },
    ]);
    await run('UPDATE ip_range_entry SET enabled = true WHERE id = $1', entry);
  });

  test('family_off', async () => {
    await run(`UPDATE module SET families = '{ipv6}' WHERE id = $1`, module);
    expect(await why('45.1.2.3')).toMatchObject([{ reason: 'family_off', module: { id: module } }]);
    await run(`UPDATE module SET families = '{ipv4,ipv6}' WHERE id = $1`, module);
  });

  test('excluded, by which module and entry', async () => {
    const excluding = await addRange('ours', '45.1.2.0/24', { purpose: 'exclude' });
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
    await service.call('PATCH', '/v1/settings', { body: { guard_bogons: 'allow' } });
    expect(await why('10.1.2.3')).toEqual([]);
    await service.call('PATCH', '/v1/settings', { body: { guard_bogons: null } });
  });

  test('that no speaker is enabled', async () => {
    const revision = await revise('45.1.0.0/16');
    await run('UPDATE speaker SET enabled = false');
    const [reason] = await why('45.1.3.3');
    expect(reason).toMatchObject({ reason: 'not_applied', revision_id: revision, speaker_ids: [] });
    expect(reason!.detail).toContain('no speaker is enabled');
    await run('UPDATE speaker SET enabled = true');
  });

  test('told of a name, too', async () => {
    const { id } = await service.make('/v1/modules', { name: 'names', type: 'DOMAINS', enabled: false });
    await service.make(`/v1/modules/${id}/domain-entries`, { domain: 'shop.example.net' });
    const { body } = await service.call('GET', '/v1/lookup?q=shop.example.net');
    expect(body.not_announced).toMatchObject([
      { reason: 'module_disabled', address: null, module: { id }, entry: { value: 'shop.example.net' } },
    ]);
  });
});

test('held, of a module that a guardrail holds', async () => {
  await run(
    `INSERT INTO held_snapshot (tenant_id, module_id, content_hash, findings)
     SELECT tenant_id, $1, content_hash, '[]' FROM revision WHERE id = $2`,
    ...[module, await revise('46.0.0.0/16')],
  );
  const [reason, ...others] = await why('45.1.3.3');
  expect(reason).toMatchObject({ reason: 'held', module: { id: module }, entry: { id: entry } });
  expect(others).toEqual([]);
  await run('DELETE FROM held_snapshot');
});
