/** The quota of sessions: speakers times peers, counted when all of a change is written. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { updateQuotas } from '../../../src/store/tenants/quotas.ts';
import { getTenant } from '../../../src/store/tenants/tenants.ts';
import {
  makeTenant,
  startService,
  type Answered,
  type Body,
  type TestService,
  type TestTenant,
} from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

let tenant: TestTenant;
let made = 0;
beforeEach(async () => {
  tenant = await makeTenant(service.database);
  await limit(4);
});

const limit = (sessions: number): Promise<void> =>
  service.database.db.inSystem((tx) => updateQuotas(tx, tenant.id, { sessions }));
const used = async (): Promise<number> =>
  (await service.database.db.inSystem((tx) => getTenant(tx, tenant.id))).resource.usage.sessions;
const call = (method: string, path: string, body?: Body): Promise<Answered> =>
  service.call(method, path, { key: tenant.keys.operator, ...(body === undefined ? {} : { body }) });
const speaker = (body: Body = {}): Promise<Answered> =>
  call('POST', '/v1/speakers', { name: `s${made++}`, local_asn: 64512, ...body });
const peer = (body: Body = {}): Promise<Answered> =>
  call('POST', '/v1/peers', { name: `p${made++}`, address: `192.0.2.${made}`, remote_asn: 64500, ...body });

async function idOf(answer: Promise<Answered>): Promise<string> {
  const { status, body, text } = await answer;
  expect(status, text).toBe(201);
  return body.id as string;
}

async function expectRefusal(answer: Promise<Answered>): Promise<string> {
  const { status, body, text } = await answer;
  expect({ status, code: body.code }, text).toEqual({ status: 409, code: 'quota_exceeded' });
  return body.detail as string;
}

test('each peer counts once on each speaker that it belongs to; what would be too many is refused, whichever comes last', async () => {
  const first = await idOf(speaker());
  const peers = [await idOf(peer()), await idOf(peer()), await idOf(peer())];
  expect(await used()).toBe(3);
  expect(await expectRefusal(speaker())).toBe(
    'Sessions of peers with speakers on this machine: the tenant may have 4 and has 3; 3 more would be too many. Delete some, or ask the operator of the service for more.',
  );
  for (const id of peers) await call('PATCH', `/v1/peers/${id}`, { speaker_ids: [first] });
  await idOf(speaker());
  expect(await used()).toBe(3);
  await expectRefusal(
    call('PATCH', `/v1/peers/${peers[0]!}`, { speaker_ids: [] }).then(async (answer) => {
      expect(answer.status, answer.text).toBe(200);
      return call('PATCH', `/v1/peers/${peers[1]!}`, { speaker_ids: [] });
    }),
  );
  expect(await used()).toBe(4);
});

test('what is disabled does not count until it is enabled', async () => {
  const off = await idOf(speaker({ enabled: false }));
  for (let i = 0; i < 4; i++) await idOf(peer());
  expect(await used()).toBe(0);
  const on = await idOf(speaker());
  await expectRefusal(call('PATCH', `/v1/speakers/${off}`, { enabled: true }));
  await idOf(peer({ enabled: false }));
  await call('PATCH', `/v1/speakers/${on}`, { enabled: false });
  expect((await call('PATCH', `/v1/speakers/${off}`, { enabled: true })).status).toBe(200);
  expect(await used()).toBe(4);
});

test('nodes carry their own sessions', async () => {
  for (let i = 0; i < 3; i++) await idOf(speaker({ mode: 'agent' }));
  for (let i = 0; i < 3; i++) await idOf(peer());
  expect(await used()).toBe(0);
});

test('who has more than the quota keeps it, may change and take away, and may add nothing', async () => {
  const id = await idOf(speaker());
  const peers = [await idOf(peer()), await idOf(peer()), await idOf(peer())];
  await limit(1);
  expect((await call('PATCH', `/v1/speakers/${id}`, { name: 'renamed' })).status).toBe(200);
  expect((await call('PATCH', `/v1/peers/${peers[0]!}`, { enabled: false })).status).toBe(200);
  await expectRefusal(call('PATCH', `/v1/peers/${peers[0]!}`, { enabled: true }));
  await expectRefusal(peer());
  expect((await call('DELETE', `/v1/peers/${peers[1]!}`)).status).toBe(204);
  expect(await used()).toBe(1);
});

/**
 * Sends it again as long as somebody else is at it: who adds waits for the one before to commit, and a request waits for a lock only briefly, so as to
 * keep no connection from its tenant. On a busy machine eight in a row may take longer.
 */
async function untilDecided(send: () => Promise<Answered>): Promise<Answered> {
  for (;;) {
    const answer = await send();
    if (answer.status !== 503) return answer;
    expect(answer.body.code, answer.text).toBe('busy');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  }
}

test('however many come at once, no two take the last place', async () => {
  await idOf(speaker());
  const answers = await Promise.all(Array.from({ length: 8 }, () => untilDecided(() => peer())));
  const told = answers.map(({ status, body }) =>
    `${status} ${status === 409 ? String(body.code) : ''}`.trim(),
  );
  const four = (text: string): string[] => Array.from({ length: 4 }, () => text);
  expect(told.sort()).toEqual([...four('201'), ...four('409 quota_exceeded')]);
  expect(await used()).toBe(4);
});

test('503 busy with Retry-After while somebody keeps the quota, and nothing is changed', async () => {
  await idOf(speaker());
  const locked = Promise.withResolvers<undefined>();
  const free = Promise.withResolvers<undefined>();
  const keeping = service.database.db.inSystem(async (tx) => {
    await updateQuotas(tx, tenant.id, { sessions: 5 });
    locked.resolve(undefined);
    await free.promise;
  });
  await locked.promise;
  const { status, body, headers, text } = await peer();
  free.resolve(undefined);
  await keeping;
  expect({ status, code: body.code }, text).toEqual({ status: 503, code: 'busy' });
  expect(headers.get('retry-after')).toBe('2');
  expect(await used()).toBe(0);
  await idOf(untilDecided(() => peer()));
  expect(await used()).toBe(1);
});

test('a dry run says that it would be too many', async () => {
  await idOf(speaker());
  for (let i = 0; i < 4; i++) await idOf(peer());
  await expectRefusal(
    call('POST', '/v1/peers?dry_run=true', { name: 'more', address: '192.0.2.200', remote_asn: 64500 }),
  );
});
