/** The trial of a DoH profile, by status. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { a, type DohServer, replyTo, soa, startDohServer } from '../../sources/doh/server.ts';
import { startService, type Body, type TestService } from '../service.ts';

let service: TestService;
let server: DohServer;
let id: string;
beforeAll(async () => {
  service = await startService();
  server = await startDohServer();
});
beforeEach(async () => {
  server.asked.length = 0;
  const headers = { Authorization: 'Bearer 7' };
  id = (
    await service.make('/v1/doh-profiles', {
      name: `p${Math.random()}`,
      url: server.url,
      headers,
      timeout_ms: 30_000,
    })
  ).id;
});
afterAll(async () => {
  await server?.close();
  await service.close();
});

const trial = (body?: object, of = id) =>
  service.call('POST', `/v1/doh-profiles/${of}/test`, body === undefined ? {} : { body });

test('200: the answers of each family, and what they took', async () => {
  server.answer = (asked) =>
    replyTo(asked, asked.type === 'A' ? [a('www.example.net', '45.0.0.1', 7)] : [], {
      authorities: asked.type === 'A' ? [] : [soa('example.net')],
    });
  const { status, body } = await trial({ domain: 'WWW.example.NET.' });
  expect(status).toBe(200);
  const rest = { is_missing: false, error: null, milliseconds: expect.any(Number) as unknown };
  expect(body).toEqual({
    domain: 'www.example.net',
    answers: [
      { family: 'ipv4', addresses: [{ address: '45.0.0.1', ttl: 7 }], ...rest },
      { family: 'ipv6', addresses: [], ...rest },
    ],
  });
  expect(server.asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer 7', 'Bearer 7']);
});

test('200: that there is no such name is an answer', async () => {
  server.answer = (asked) => replyTo(asked, [], { rcode: 3 });
  const { body } = await trial({ domain: 'nope.example.net' });
  for (const answer of body.answers as Body[])
    expect(answer).toMatchObject({ addresses: [], is_missing: true, error: null });
});

test('200: failures are part of the answer; without a body a usual name is asked for, also of a disabled profile', async () => {
  await service.call('PATCH', `/v1/doh-profiles/${id}`, { body: { enabled: false } });
  server.answer = (asked) => replyTo(asked, [], { rcode: asked.type === 'A' ? 2 : 5 });
  const { status, body } = await trial();
  expect(status).toBe(200);
  expect(body.domain).toBe('example.com');
  const errors = (body.answers as Body[]).map(({ error }) => String(error));
  expect(errors[0]).toContain('source_dns_failure');
  expect(errors[0]).toContain('SERVFAIL');
  expect(errors[1]).toContain('REFUSED');
});

test('200: an inside address is not connected to', async () => {
  const inside = await service.make('/v1/doh-profiles', { url: 'https://169.254.169.254/dns-query' });
  const { body } = await trial({}, inside.id);
  for (const { error } of body.answers as Body[]) expect(error).toContain('source_refused_address');
});

test('422: what is no name, and no question is asked', async () => {
  const { status, body } = await trial({ domain: '*.example' });
  expect({ status, errors: body.errors }).toMatchObject({ status: 422, errors: [{ pointer: '/domain' }] });
  expect(server.asked).toEqual([]);
});

test('no connection of the database waits for a resolver', async () => {
  const silent: (() => void)[] = [];
  server.answer = (asked) => (stream) => {
    silent.push(() => {
      stream.respond({ ':status': 200, 'content-type': 'application/dns-message' });
      stream.end(replyTo(asked));
    });
  };
  const trials = Array.from({ length: 5 }, () => trial());
  await expect.poll(() => silent.length).toBe(10);
  // The places of a tenant are 8.
  const more = Array.from({ length: 10 }, () => trial());
  const refused = await Promise.race(more);
  expect(refused.body).toMatchObject({ code: 'rate_limited' });
  expect(refused.headers.get('retry-after')).toBe('2');
  await expect.poll(() => silent.length).toBe(16);
  expect((await service.call('GET', '/v1/doh-profiles')).status).toBe(200);
  for (const answer of silent) answer();
  for (const { status } of await Promise.all(trials)) expect(status).toBe(200);
  const statuses = (await Promise.all(more)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(3);
});
