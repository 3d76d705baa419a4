import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../../daemons/wait.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

test('200: a setting that nobody set has its default, and every setting is described', async () => {
  const { keys } = service.tenant;
  const { body } = await service.call('GET', '/v1/settings', { key: keys.viewer });
  expect(body.settings).toEqual({
    default_community_id: null,
    auto_apply: true,
    auto_revision: true,
    guard_allow_default_route: false,
    guard_max_coverage_percent: 50,
    guard_scope: 'module',
    guard_min_prefix_length_ipv4: 8,
    guard_min_prefix_length_ipv6: 19,
    guard_bogons: 'drop',
    guard_protected_prefixes: [],
    guard_max_change_percent: 30,
    guard_max_withdraw_percent: 50,
    guard_empty_result: 'keep',
    guard_max_rejected_percent: 20,
    guard_stale_max_hours: 168,
    guard_stale_action: 'alert',
    guard_max_prefixes: 1_000_000,
    guard_no_export: true,
    bgp_source_ipv4: null,
    bgp_source_ipv6: null,
    bgp_default_hold_time: 90,
    bgp_default_router_id: null,
    bgp_restart_time: 120,
    deploy_canary_speaker_ids: [],
    deploy_canary_soak_seconds: 60,
    deploy_wave_size: 0,
    fit_max_added_percent: 10,
    deploy_wave_max_failures: 0,
    deploy_max_failed_peers_percent: 50,
    deploy_calm_milliseconds: 3_500,
    deploy_confirm_timeout_seconds: 60,
    deploy_freeze: false,
    deploy_freeze_reason: null,
    bundle_valid_hours: 168,
    revision_retention_minutes: 43_200,
    removed_retention_days: 30,
    runtime_logs_auto_enabled: false,
    runtime_logs_auto_schedule: '0 3 * * *',
    runtime_logs_max_file_bytes: 104_857_600,
    runtime_logs_max_total_bytes: 1_073_741_824,
    runtime_logs_auto_mode: 'truncate',
  });
  const known = body.known as { key: string; type: string }[];
  expect(known.map(({ key }) => key)).toEqual(Object.keys(body.settings as object));
  const reported = new Map(known.map(({ key, ...rest }) => [key, rest]));
  expect(reported.get('guard_min_prefix_length_ipv6')).toMatchObject({
    type: 'integer',
    default: 19,
    minimum: 0,
    maximum: 128,
  });
  expect(known.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['boolean', 'id or null', 'drop, allow', 'list of strings', 'list of ids']),
  );
  expect(body.hints).toEqual([]);
});

test('200: null puts a setting back to its default, and other tenants see nothing of it', async () => {
  const { tenant: one, other } = service;
  const change = (body: object) => service.call('PATCH', '/v1/settings', { key: one.keys.operator, body });
  expect((await change({ guard_bogons: 'allow', auto_apply: false })).body.settings).toMatchObject({
    guard_bogons: 'allow',
    auto_apply: false,
  });
  expect((await change({ guard_bogons: null })).body.settings).toMatchObject({
    guard_bogons: 'drop',
    auto_apply: false,
  });
  const seen = await service.call('GET', '/v1/settings', { key: other.keys.operator });
  expect(seen.body.settings).toMatchObject({ auto_apply: true });
});

test.each([
  [{ guard_bogons: 'sometimes' }, '/guard_bogons'],
  [{ auto_apply: 'yes' }, '/auto_apply'],
  [{ revision_retention_minutes: 0 }, '/revision_retention_minutes'],
  [{ removed_retention_days: 0 }, '/removed_retention_days'],
  [{ 'guard bogons': 'drop' }, '/guard bogons'],
  [{ 'a:b': 1 }, '/a:b'],
  [{ ä: 1 }, '/ä'],
  [{ ['x'.repeat(129)]: 1 }, `/${'x'.repeat(129)}`],
  [{ runtime_logs_auto_schedule: '0 3 * * * *' }, '/runtime_logs_auto_schedule'],
  [{ runtime_logs_auto_schedule: '0 0 31 2 *' }, '/runtime_logs_auto_schedule'],
  [{ runtime_logs_auto_mode: 'burn' }, '/runtime_logs_auto_mode'],
  [{ runtime_logs_max_file_bytes: -1 }, '/runtime_logs_max_file_bytes'],
  [{ guard_max_change_percent: 1_000_001 }, '/guard_max_change_percent'],
  [{ guard_protected_prefixes: ['8.8.8.0/24', '8.8.8.1/24'] }, '/guard_protected_prefixes/1'],
  [{ guard_protected_prefixes: ['2001:DB8::/32', '2001:db8:0::/32'] }, '/guard_protected_prefixes/1'],
  [{ deploy_canary_speaker_ids: ['01900000-0000-7000-8000-000000000000'] }, '/deploy_canary_speaker_ids/0'],
  [{ own: 'x'.repeat(16 * 1024) }, '/own'],
  [{ default_community_id: '01900000-0000-7000-8000-000000000000' }, '/default_community_id'],
])('422: %j is refused and reported by %s', async (body, pointer) => {
  const { keys } = service.tenant;
  const answer = await service.call('PATCH', '/v1/settings', { key: keys.operator, body });
  expect(answer.status).toBe(422);
  expect(answer.body.errors).toMatchObject([{ pointer }]);
});

describe('keys of the tenant', () => {
  const change = (body: object, key = service.tenant.keys.operator) =>
    service.call('PATCH', '/v1/settings', { key, body });

  test('200: any JSON is kept as it is, up to 16 KiB, and null removes it', async () => {
    const values = {
      runtime_logs_schedule: '0 3 * * *',
      edge_router_sources: { address: '192.0.2.1', of: [1, 2.5, null, 'ü'] },
      constructor: false,
      largest: 'x'.repeat(16 * 1024 - 2),
    };
    expect((await change(values)).body.settings).toMatchObject(values);
    const { body } = await change({ largest: null, constructor: null });
    expect(Object.keys(body.settings as object)).toEqual(
      expect.arrayContaining(['runtime_logs_schedule', 'edge_router_sources', 'auto_apply']),
    );
    expect(Object.keys(body.settings as object)).not.toContain('largest');
    expect(Object.keys(body.settings as object)).not.toContain('constructor');
  });

  test('200: 1 to 128 letters, digits, `_`, `.` and `-`, also names that mean something to JavaScript', async () => {
    const key = service.other.keys.operator;
    const names = [
      'A',
      'Site-1.Rack_2',
      '.',
      '-',
      '0',
      'x'.repeat(128),
      'constructor',
      '__proto__',
      'toString',
    ];
    const body = `{${names.map((name) => `${JSON.stringify(name)}:"${name.length}"`).join()}}`;
    const { status, text } = await service.call('PATCH', '/v1/settings', { key, body });
    expect(status, text).toBe(200);
    const read = await service.call('GET', '/v1/settings', { key });
    for (const name of names) expect(read.text).toContain(`${JSON.stringify(name)}:"${name.length}"`);
    const removal = `{${names.map((name) => `${JSON.stringify(name)}:null`).join()}}`;
    await service.call('PATCH', '/v1/settings', { key, body: removal });
    const { settings } = (await service.call('GET', '/v1/settings', { key })).body;
    for (const name of names) expect(Object.keys(settings as object)).not.toContain(name);
  });

  test('200: one that looks like a slip for a known one is kept, and reported', async () => {
    const { body } = await change({ guard_max_prefix: 5, colour: 'red' });
    expect(body.settings).toMatchObject({ guard_max_prefix: 5, guard_max_prefixes: 1_000_000 });
    expect(body.hints).toEqual([
      { key: 'guard_max_prefix', did_you_mean: 'guard_max_prefixes' },
      // Kept by an earlier test.
      { key: 'runtime_logs_schedule', did_you_mean: 'runtime_logs_auto_schedule' },
    ]);
  });

  test('409: the thousand and first, also when two changes bring it together', async () => {
    const key = service.other.keys.operator;
    const many = (from: number, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${from + i}`, i]));
    expect((await change(many(0, 999), key)).status).toBe(200);
    // On a machine that has much else to do, the one that waits for the other may be told to try again.
    const untilHeard = (body: object): ReturnType<typeof change> =>
      waitFor(
        async () => {
          const answer = await change(body, key);
          return answer.status !== 503 && answer;
        },
        { what: 'the change to be heard' },
      );
    const both = await Promise.all([untilHeard(many(2000, 1)), untilHeard(many(3000, 1))]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await change(many(0, 999), key)).status).toBe(200);
  });
});

test('200: protected prefixes are kept in canonical text', async () => {
  const body = { guard_protected_prefixes: ['2001:DB8:0::/32', ' 192.0.2.1'] };
  const answer = await service.call('PATCH', '/v1/settings', { body });
  expect(answer.body.settings).toMatchObject({
    guard_protected_prefixes: ['2001:db8::/32', '192.0.2.1/32'],
  });
});

describe('If-Match', () => {
  const read = () => service.call('GET', '/v1/settings');
  const change = (etag: string, body: object) =>
    service.call('PATCH', '/v1/settings', { body, headers: { 'if-match': etag } });

  test('refuses a change of settings that were changed since, and takes the next', async () => {
    const first = (await read()).headers.get('etag')!;
    const changed = await change(first, { deploy_wave_size: 3 });
    expect(changed.status).toBe(200);
    const second = changed.headers.get('etag')!;
    expect(second).toBe((await read()).headers.get('etag'));
    const late = await change(first, { deploy_wave_size: 4 });
    expect({ status: late.status, code: late.body.code }).toEqual({
      status: 412,
      code: 'precondition_failed',
    });
    expect(((await read()).body.settings as Record<string, unknown>).deploy_wave_size).toBe(3);
    expect((await change(second, { deploy_wave_size: null })).status).toBe(200);
  });

  test('of many at once exactly one wins', async () => {
    const etag = (await read()).headers.get('etag')!;
    const sizes = Array.from({ length: 8 }, (_, index) => index + 1);
    const answers = await Promise.all(sizes.map((size) => change(etag, { deploy_wave_size: size })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...sizes.slice(1).map(() => 412)]);
  });

  test('304 while nothing was changed', async () => {
    const { headers } = await read();
    const same = { headers: { 'if-none-match': headers.get('etag')! } };
    expect((await service.call('GET', '/v1/settings', same)).status).toBe(304);
  });
});
