import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeFixtures, makeRevision, type Fixtures } from '../fixtures.ts';
import { startService, type Answered, type TestService } from '../service.ts';

let service: TestService;
let ids: Fixtures;

beforeAll(async () => {
  service = await startService();
  ids = await makeFixtures(service, service.tenant);
});
afterAll(() => service.close());

const REASON = 'the provider said so on the phone';
const revisionOf = (...prefixes: string[]) => makeRevision(service, service.tenant, ids.community!, prefixes);
const apply = (body: object, role: 'operator' | 'super_admin' = 'operator') =>
  service.call('POST', '/v1/apply', { body, key: service.tenant.keys[role] });
const reported = ({ status, body }: Answered) => ({ status, code: body.code });
const set = (body: object) => service.call('PATCH', '/v1/settings', { body });

describe('a revision that breaks a guardrail of today', () => {
  test('409 with the code of the guardrail, and the way past it', async () => {
    const revision_id = await revisionOf('44.0.0.0/7', '8.8.8.0/24');
    const answer = await apply({ revision_id });
    expect(reported(answer)).toEqual({ status: 409, code: 'prefix_too_short' });
    expect(answer.body.detail).toMatch(/44\.0\.0\.0\/7.*"override": \["prefix_too_short"\]/);
    const path = `/v1/speakers/${ids.speaker}/apply`;
    expect(reported(await service.call('POST', path, { body: { revision_id } }))).toEqual(reported(answer));
  });

  test('202 with override and reason, and a critical record in the audit log', async () => {
    const revision_id = await revisionOf('44.0.0.0/7');
    const answer = await apply({ revision_id, override: ['prefix_too_short'], reason: REASON });
    expect(answer.status).toBe(202);
    const { body } = await service.call('GET', '/v1/audit?severity=critical');
    expect(body.items).toMatchObject([
      {
        ...{ action: 'revision.override', actor: 'key:the operator', resource: { id: revision_id } },
        changes: { after: { override: ['prefix_too_short'], reason: REASON } },
      },
    ]);
  });

  test('202 for the default route to a super role, 403 to an operator', async () => {
    const revision_id = await revisionOf('0.0.0.0/0');
    const body = { revision_id, override: ['default_route_forbidden'], reason: REASON };
    expect(reported(await apply(body))).toEqual({ status: 403, code: 'forbidden' });
    expect((await apply(body, 'super_admin')).status).toBe(202);
  });

  test.each([
    [{ override: ['prefix_too_short'] }, '/reason', /required with override/],
    [{ override: ['prefix_too_short'], reason: 'too short' }, '/reason', /at least 10 characters/],
    [{ override: ['prefix_too_short'], reason: 'x'.repeat(501) }, '/reason', /at most 500 characters/],
    [{ override: ['prefix_to_short'], reason: REASON }, '/override/0', /did you mean "prefix_too_short"/],
    [
      { override: ['prefix_too_short', 'bogon_prefix'], reason: REASON },
      '/override/1',
      /It breaks prefix_too_short/,
    ],
    [{ override: [], reason: REASON }, '/override', /at least 1 item/],
  ])('422: %j', async (body, pointer, detail) => {
    const revision_id = await revisionOf('44.0.0.0/7');
    const answer = await apply({ revision_id, ...body });
    expect(answer.status).toBe(422);
    const errors = answer.body.errors as { pointer: string; detail: string }[];
    expect(errors.find((error) => error.pointer === pointer)?.detail).toMatch(detail);
  });

  test('422: an override that nothing needs', async () => {
    const revision_id = await revisionOf('8.8.8.0/24');
    const answer = await apply({ revision_id, override: ['prefix_too_short'], reason: REASON });
    expect(answer.body.errors).toMatchObject([{ pointer: '/override/0' }]);
    expect((await apply({ revision_id })).status).toBe(202);
  });
});

test('422 for a retry of what is no apply, 409 of one that has not ended', async () => {
  const { body: job } = await apply({ revision_id: await revisionOf('8.8.8.0/24') });
  expect(reported(await apply({ retry_of: job.id }))).toEqual({ status: 409, code: 'conflict' });
  for (const retry_of of [ids.speaker, ids.job]) {
    const answer = await apply({ retry_of });
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ pointer: '/retry_of' }] } });
  }
  expect((await apply({ retry_of: 'x' })).status).toBe(422);
});

test('409 deploy_frozen for every apply while the freeze is on', async () => {
  const revision_id = await revisionOf('8.8.8.0/24');
  await set({ deploy_freeze: true });
  expect(reported(await apply({ revision_id }))).toEqual({ status: 409, code: 'deploy_frozen' });
  const path = `/v1/speakers/${ids.speaker}/apply`;
  expect(reported(await service.call('POST', path, { body: {} }))).toEqual({
    status: 409,
    code: 'deploy_frozen',
  });
  const { status, body } = await service.call('GET', `/v1/revisions/${revision_id}/preview`);
  expect({ status, frozen: body.frozen }).toEqual({ status: 200, frozen: true });
  await set({ deploy_freeze: null });
  expect((await apply({ revision_id })).status).toBe(202);
});

test('201: a rollback to what a guardrail of today forbids is held', async () => {
  const old = await revisionOf('9.9.9.0/24');
  await revisionOf('8.8.8.0/24');
  await set({ guard_protected_prefixes: ['9.9.0.0/16'] });
  const { body } = await service.call('POST', `/v1/revisions/${old}/rollback`);
  expect(body).toMatchObject({
    ...{ state: 'held', apply_job_id: null },
    findings: [{ code: 'protected_prefix', examples: ['9.9.9.0/24'] }],
  });
  expect(reported(await apply({ revision_id: body.id }))).toEqual({ status: 409, code: 'protected_prefix' });
  const { body: held } = await service.call('GET', '/v1/revisions?state=held');
  expect(held.items).toMatchObject([{ id: body.id }]);
  await set({ guard_protected_prefixes: null });
});

test('200: the preview reports every speaker, or of one', async () => {
  const revision = await revisionOf('8.8.8.0/24', '2001:4860::/32');
  const all = await service.call('GET', `/v1/revisions/${revision}/preview`);
  const wanted = {
    speaker_id: ids.speaker,
    difference: { announced: 2, withdrawn: 0, changed: 0 },
    peers: [{ peer_id: ids.peer, prefix_count: { ipv4: 1, ipv6: 0 }, without_next_hop: { ipv6: 1 } }],
  };
  expect(all.body).toMatchObject({ revision_id: revision, findings: [] });
  const speakers = all.body.speakers as { speaker_id: string }[];
  expect(speakers.find(({ speaker_id: id }) => id === ids.speaker)).toMatchObject(wanted);
  const { body } = await service.call('GET', '/v1/speakers');
  expect(speakers).toHaveLength((body.items as unknown[]).length);
  const one = await service.call('GET', `/v1/revisions/${revision}/preview?speaker_id=${ids.speaker}`);
  expect(one.body).toMatchObject({ revision_id: revision, speakers: [wanted] });
  const path = `/v1/revisions/${revision}/preview?speaker_id=${ids.community}`;
  expect((await service.call('GET', path)).body.errors).toMatchObject([{ pointer: '?speaker_id' }]);
});
