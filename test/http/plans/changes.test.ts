/** `POST /v1/changes`: several writes, all or nothing. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ChangesAnswer, Plan, PlannedChange } from '../../../src/api/revisions/plan.ts';
import { plantKey, startService, type Answered, type Body, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const [COMMUNITY, MODULE, SPEAKER, PEER] = Array.from({ length: 4 }, () => randomUUID()) as [
  string,
  string,
  string,
  string,
];
/** Each refers to what those before it create: in a path, a body, and the name of a member. */
const SERIES: PlannedChange[] = [
  { method: 'POST', path: '/v1/communities', id: COMMUNITY, body: { community: '65000:7', title: 'Seven' } },
  {
    ...{ method: 'POST', path: '/v1/modules', id: MODULE },
    body: { name: 'ranges', type: 'IP_RANGES', community_id: COMMUNITY },
  },
  { method: 'POST', path: `/v1/modules/${MODULE}/entries.csv?mode=replace`, body: 'cidr\n8.8.8.0/24\n' },
  {
    ...{ method: 'POST', path: '/v1/speakers', id: SPEAKER },
    body: { name: 'far', daemon: 'bird', mode: 'agent', local_asn: 64500 },
  },
  {
    ...{ method: 'POST', path: '/v1/peers', id: PEER },
    body: { name: 'edge', address: '192.0.2.1', remote_asn: 64496, speaker_ids: [SPEAKER] },
  },
  {
    ...{ method: 'PATCH', path: `/v1/speakers/${SPEAKER}` },
    body: { policies_json: { peers: { [PEER]: { local_asn: 64501 } } } },
  },
];

const send = (changes: readonly PlannedChange[], key?: string): Promise<Answered> =>
  service.call('POST', '/v1/changes', { body: { changes }, ...(key === undefined ? {} : { key }) });
const listOf = async (path: string): Promise<Body[]> =>
  (await service.call('GET', path)).body.items as Body[];
const actions = async (): Promise<unknown[]> =>
  (await service.call('GET', '/v1/audit?limit=100')).body.items as unknown[];

test('a plan and the changes refer to what they create, and one revision follows', async () => {
  const planned = await service.call('POST', '/v1/revisions/plan', { body: { changes: SERIES } });
  expect(planned.status, planned.text).toBe(200);
  expect((planned.body as unknown as Plan).effect.summary).toEqual({
    announced: 1,
    withdrawn: 0,
    changed: 0,
  });
  expect(await listOf('/v1/modules')).toEqual([]);
  const before = await actions();

  const done = await send(SERIES);
  expect(done.status, done.text).toBe(200);
  const { answers } = done.body as unknown as ChangesAnswer;
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 200, 201, 201, 200]);
  const [module] = await listOf('/v1/modules');
  const [community] = await listOf('/v1/communities');
  expect(module).toMatchObject({ name: 'ranges', community_id: community!.id, entry_count: 1 });
  const [peer] = await listOf('/v1/peers');
  const speaker = (await listOf('/v1/speakers')).find(({ name }) => name === 'far')!;
  expect(speaker).toMatchObject({ policies_json: { peers: { [String(peer!.id)]: { local_asn: 64501 } } } });
  expect(await actions()).toHaveLength(before.length + SERIES.length);
});

test('what one of them is refused for, none is done for: by its own problem and place', async () => {
  const [module] = await listOf('/v1/modules');
  const before = await actions();
  const another: PlannedChange = {
    ...{ method: 'POST', path: '/v1/communities' },
    body: { community: '65000:8', title: 'Eight' },
  };
  const path = `/v1/modules/${String(module!.id)}`;
  const wrong: [PlannedChange, object][] = [
    [
      { ...another, body: { community: 'x', title: 'y' } },
      { status: 422, code: 'validation_failed' },
    ],
    [
      { method: 'POST', path: `${path}/entries.csv`, body: 'cidr\nnonsense\n' },
      { status: 422, errors: [{ pointer: '/changes/1 line 2' }] },
    ],
    [{ method: 'POST', path: '/v1/modules', body: { name: 'Ranges', type: 'IP_RANGES' } }, { status: 409 }],
    [
      { method: 'PATCH', path, body: { enabled: false }, if_match: '"99-AAAAAAAAAAAAAAAA"' },
      { status: 412, code: 'precondition_failed', errors: [{ pointer: '/changes/1' }] },
    ],
    [{ method: 'DELETE', path: `/v1/peers/${randomUUID()}` }, { status: 404 }],
    [{ method: 'POST', path: '/v1/changes', body: { changes: [another] } }, { status: 404 }],
    [{ method: 'DELETE', path: '/v1/runtime-logs/x.log' }, { status: 404 }],
  ];
  for (const [change, problem] of wrong) {
    const { body } = await send([another, change]);
    expect(body).toMatchObject(problem);
    expect(body.detail).toMatch(/^\/changes\/1: /);
  }
  const { secret } = await plantKey(service.database, service.tenant.id, 'viewer');
  expect((await send([another], secret)).status).toBe(403);
  expect(await listOf('/v1/communities')).toHaveLength(1);
  expect(await actions()).toEqual(before);
});

test('422: a path that is none of a URL is named by its place, in a plan and in changes', async () => {
  const { secret } = await plantKey(service.database, service.tenant.id, 'viewer');
  const good = { method: 'POST', path: '/v1/communities', body: {} };
  for (const path of ['//[', 'http://[', 'http://a:b/v1/modules']) {
    const body = { changes: [good, { ...good, path }] };
    const wrong = { status: 422, code: 'validation_failed', errors: [{ pointer: '/changes/1/path' }] };
    const planned = await service.call('POST', '/v1/revisions/plan', { body, key: secret });
    expect(planned.body, planned.text).toMatchObject(wrong);
    const changed = await service.call('POST', '/v1/changes', { body });
    expect(changed.body, changed.text).toMatchObject(wrong);
  }
});

test('a dry run of them is their plan, and an If-Match that holds lets them through', async () => {
  const [module] = await listOf('/v1/modules');
  const path = `/v1/modules/${String(module!.id)}`;
  const { headers } = await service.call('GET', path);
  const change = { method: 'DELETE' as const, path, if_match: headers.get('etag')! };
  const dry = await service.call('POST', '/v1/changes?dry_run=true', { body: { changes: [change] } });
  expect(dry.body, dry.text).toMatchObject({ dry_run: true, body: { answers: [{ status: 204 }] } });
  expect(await listOf('/v1/modules')).toHaveLength(1);
  expect((await send([change])).status).toBe(200);
  expect(await listOf('/v1/modules')).toEqual([]);
});
