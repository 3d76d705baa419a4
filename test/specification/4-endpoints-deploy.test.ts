/** Part 4 of the specification, "Revisions", "Deploy", "Jobs" and "Node role", on a service whose jobs run: the titles quote the tables. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBundle } from '../../src/bundle/open-bundle.ts';
import type { SigningKeys } from '../../src/api/nodes/bundles.ts';
import type { Answered, Body } from '../http/service.ts';
import { startLivingService, type LivingService } from './living-service.ts';

let service: LivingService;
let first: string;
let second: string;
let speaker: string;

beforeAll(async () => {
  service = await startLivingService();
  await service.call('PATCH', '/v1/settings', { body: { auto_apply: false } });
  const module = await service.make('/v1/modules', { name: 'ranges', type: 'IP_RANGES' });
  const path = `/v1/modules/${module.id}/ip-range-entries`;
  const build = async (cidr: string): Promise<string> => {
    await service.make(path, { cidr });
    await service.idle();
    await service.ended((await service.call('POST', '/v1/revisions')).body.id);
    return (await service.read('/v1/revisions/latest')).id as string;
  };
  first = await build('8.8.8.0/24');
  second = await build('9.9.9.0/24');
  speaker = (await service.make('/v1/speakers', { name: 'edge', local_asn: 64512 })).id;
});
afterAll(() => service.close());

/** What the least role gets; 401 without a key, and 403 for lesser roles. */
async function asLeast(
  least: 'viewer' | 'operator',
  method: string,
  path: string,
  body?: unknown,
): Promise<Answered> {
  const { keys } = service.tenant;
  const sent = body === undefined ? {} : { body };
  expect((await service.call(method, path, { key: null, ...sent })).status).toBe(401);
  for (const lesser of least === 'viewer' ? (['node'] as const) : (['node', 'viewer'] as const))
    expect((await service.call(method, path, { key: keys[lesser], ...sent })).status, lesser).toBe(403);
  return service.call(method, path, { key: keys[least], ...sent });
}

const prefixesOf = ({ items }: Body): unknown[] => (items as Body[]).map(({ prefix }) => prefix);

describe('Revisions', () => {
  test('GET `/v1/revisions`', async () => {
    const { body } = await asLeast('viewer', 'GET', '/v1/revisions');
    expect((body.items as Body[]).map(({ id }) => id)).toEqual(expect.arrayContaining([first, second]));
  });

  test('GET `/v1/revisions/{revision_id}`', async () => {
    const { body } = await asLeast('viewer', 'GET', `/v1/revisions/${second}`);
    expect(body).toMatchObject({ id: second, state: 'ready', prefix_count: { ipv4: 2, ipv6: 0 } });
  });

  test('GET `/v1/revisions/{revision_id}/prefixes`', async () => {
    const { body } = await asLeast('viewer', 'GET', `/v1/revisions/${second}/prefixes`);
    expect(prefixesOf(body)).toEqual(['8.8.8.0/24', '9.9.9.0/24']);
  });

  test('GET `/v1/revisions/{revision_id}/preview`', async () => {
    const { status, text } = await asLeast('viewer', 'GET', `/v1/revisions/${second}/preview`);
    expect(status).toBe(200);
    expect(text).toContain('edge');
  });

  test('GET `/v1/revisions/{revision_a}/diff/{revision_b}`', async () => {
    const { body } = await asLeast('viewer', 'GET', `/v1/revisions/${first}/diff/${second}`);
    expect(body).toMatchObject({
      summary: { announced: 1, withdrawn: 0, changed: 0 },
      items: [{ prefix: '9.9.9.0/24', change: 'announced' }],
    });
  });

  test('POST `/v1/revisions/{revision_id}/rollback`', async () => {
    const { status, body } = await asLeast('operator', 'POST', `/v1/revisions/${first}/rollback`, {});
    expect({ status, of: body.rollback_of }).toEqual({ status: 201, of: first });
    const { body: routes } = await service.call('GET', `/v1/revisions/${String(body.id)}/prefixes`);
    expect(prefixesOf(routes)).toEqual(['8.8.8.0/24']);
  });

  test('"Revision pruning has an estimate operation and a cleanup operation, driven by `revision_retention_minutes`."', async () => {
    const estimate = async (): Promise<Body> =>
      (await asLeast('viewer', 'GET', '/v1/revisions/prune/estimate')).body;
    expect(await estimate()).toMatchObject({ revisions: 0 });
    await service.call('PATCH', '/v1/settings', { body: { revision_retention_minutes: 1 } });
    const aged = "UPDATE revision SET created_at = now() - interval '2 minutes' WHERE id = $1";
    await service.database.admin(aged, [first]);
    expect(await estimate()).toMatchObject({ revisions: 1 });
    const { status, body: job } = await asLeast('operator', 'POST', '/v1/revisions/prune');
    expect(status).toBe(202);
    expect(await service.ended(job.id)).toMatchObject({ type: 'revision_prune', state: 'succeeded' });
    expect((await service.call('GET', `/v1/revisions/${first}`)).status).toBe(404);
  });
});

describe('Deploy', () => {
  const appliedTo = async (job: Body): Promise<unknown[]> => {
    const { state, result } = await service.ended(job.id);
    expect(state).toBe('succeeded');
    return (result as { speakers: Body[] }).speakers.map(({ speaker_id: id }) => id);
  };

  test('POST `/v1/apply`: "apply to speakers", all of them', async () => {
    const other = (await service.make('/v1/speakers', { name: 'other', local_asn: 64512 })).id;
    await service.idle();
    const { status, body } = await asLeast('operator', 'POST', '/v1/apply', { revision_id: second });
    expect({ status, type: body.type }).toEqual({ status: 202, type: 'apply' });
    expect((await appliedTo(body)).sort()).toEqual([speaker, other].sort());
    expect(await service.read(`/v1/speakers/${speaker}`)).toMatchObject({ applied_revision_id: second });
  });

  test('POST `/v1/speakers/{id}/apply`: "apply to one speaker"', async () => {
    const { status, body } = await asLeast('operator', 'POST', `/v1/speakers/${speaker}/apply`, {});
    expect(status).toBe(202);
    expect(await appliedTo(body)).toEqual([speaker]);
  });

  test('POST `/v1/router/reload`: "reload the routing daemon"', async () => {
    const { node, viewer, super_admin: key } = service.tenant.keys;
    for (const [lesser, status] of [
      [null, 401],
      [node, 403],
      [viewer, 403],
    ] as const)
      expect((await service.call('POST', '/v1/router/reload', { key: lesser })).status).toBe(status);
    const { status, body } = await service.call('POST', '/v1/router/reload', { key });
    expect({ status, type: body.type }).toEqual({ status: 202, type: 'router_reload' });
    expect(await service.ended(body.id)).toMatchObject({ state: 'succeeded' });
  });
});

describe('Jobs', () => {
  test('GET `/v1/jobs`', async () => {
    const { body } = await asLeast('viewer', 'GET', '/v1/jobs');
    expect(body.items).not.toEqual([]);
  });

  test('GET `/v1/jobs/{job_id}`', async () => {
    const [job] = await service.itemsOf('/v1/jobs');
    expect((await asLeast('viewer', 'GET', `/v1/jobs/${String(job!.id)}`)).body).toEqual(job);
  });

  test('POST `/v1/jobs/{job_id}/cancel`', async () => {
    service.texts.set('/never', null);
    const module = await service.make('/v1/modules', { name: 'slow', type: 'CDN_SOURCES' });
    const url = `${service.origin}/never`;
    await service.make(`/v1/modules/${module.id}/cdn-sources`, { name: 'never', url });
    const { body: job } = await service.call('POST', `/v1/modules/${module.id}/refresh`);
    const path = `/v1/jobs/${String(job.id)}/cancel`;
    expect((await asLeast('operator', 'POST', path)).status).toBe(202);
    expect(await service.ended(job.id)).toMatchObject({ state: 'cancelled' });
  });
});

describe('Node role', () => {
  let node: string;
  let key: string;
  let bundle: string;

  test('POST `/v1/nodes/enroll`: a node gets a key of its own for a token', async () => {
    node = (await service.make('/v1/speakers', { name: 'node', mode: 'agent', local_asn: 64512 })).id;
    const { token } = await service.make(`/v1/speakers/${node}/enrollment-tokens`, {});
    const body = { hostname: 'edge-1', version: '1', daemon: 'builtin' };
    const enroll = (bearer: string | null) => service.call('POST', '/v1/nodes/enroll', { key: bearer, body });
    expect((await enroll(null)).status).toBe(401);
    const { status, body: enrolled } = await enroll(token as string);
    expect(status).toBe(201);
    key = (enrolled.api_key as { secret: string }).secret;
    expect((await service.call('GET', '/v1/auth/session', { key })).body.role).toBe('node');
    expect((await enroll(token as string)).status).toBe(401);
  });

  test('GET `/v1/speakers/{speaker_id}/revisions/latest`', async () => {
    await service.call('POST', `/v1/speakers/${node}/apply`, { body: { revision_id: second } });
    const path = `/v1/speakers/${node}/revisions/latest`;
    for (const [bearer, status] of [
      [null, 401],
      [service.tenant.keys.operator, 403],
      [service.tenant.keys.viewer, 403],
      [service.tenant.keys.node, 404],
    ] as const)
      expect((await service.call('GET', path, { key: bearer })).status).toBe(status);
    const latest = async () => (await service.call('GET', path, { key })).body;
    await expect.poll(latest, { interval: 50 }).toMatchObject({ revision_id: second });
    bundle = ((await latest()).bundle as { url: string }).url;
  });

  test('GET `/v1/speakers/{speaker_id}/bundle/{revision_id}`: opens with the published signing key', async () => {
    expect(bundle.startsWith(`/v1/speakers/${node}/bundle/${second}`)).toBe(true);
    expect((await service.call('GET', bundle, { key: service.tenant.keys.operator })).status).toBe(403);
    const headers = { authorization: `Bearer ${key}` };
    const bytes = Buffer.from(await (await fetch(service.url + bundle, { headers })).arrayBuffer());
    const { items: trusted } = (await service.read('/v1/bundles/signing-key')) as unknown as SigningKeys;
    const reader = { trusted, tenantId: service.tenant.id, speakerId: node };
    const opened = openBundle(bytes, { ...reader, highestSequence: null, now: new Date() });
    expect(opened.routes.table.ipv4.size).toBe(2);
  });
});
