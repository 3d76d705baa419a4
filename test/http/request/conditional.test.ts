import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

let serial = 0;
async function makeModule(): Promise<{ path: string; etag: string }> {
  const { headers, body } = await service.call('POST', '/v1/modules', {
    body: { name: `module ${++serial}`, type: 'IP_RANGES' },
  });
  return { path: `/v1/modules/${String(body.id)}`, etag: headers.get('etag')! };
}

describe('ETag', () => {
  test('is the same from creation, reading and changing', async () => {
    const { path, etag } = await makeModule();
    expect((await service.call('GET', path)).headers.get('etag')).toBe(etag);
    const changed = await service.call('PATCH', path, { body: { description: 'x' } });
    expect(changed.headers.get('etag')).not.toBe(etag);
    expect((await service.call('GET', path)).headers.get('etag')).toBe(changed.headers.get('etag'));
  });

  test('lists have none', async () => {
    expect((await service.call('GET', '/v1/modules')).headers.get('etag')).toBeNull();
  });
});

describe('If-None-Match', () => {
  test('304 while nothing changed, 200 after', async () => {
    const { path, etag } = await makeModule();
    const unchanged = await service.call('GET', path, { headers: { 'if-none-match': etag } });
    expect({ status: unchanged.status, text: unchanged.text }).toEqual({ status: 304, text: '' });
    expect(unchanged.headers.get('etag')).toBe(etag);
    await service.call('PATCH', path, { body: { enabled: false } });
    expect((await service.call('GET', path, { headers: { 'if-none-match': etag } })).status).toBe(200);
  });

  test('notices members that change by themselves', async () => {
    const { path, etag } = await makeModule();
    await service.make(`${path}/ip-range-entries`, { cidr: '9.9.9.0/24' });
    const { status, body } = await service.call('GET', path, { headers: { 'if-none-match': etag } });
    expect(status).toBe(200);
    expect(body.entry_count).toBe(1);
  });
});

describe('If-Match', () => {
  test('lets through who read last, and 412 whom somebody overtook', async () => {
    const { path, etag } = await makeModule();
    const first = await service.call('PATCH', path, {
      body: { description: 'a' },
      headers: { 'if-match': etag },
    });
    expect(first.status).toBe(200);
    const late = await service.call('PATCH', path, {
      body: { description: 'b' },
      headers: { 'if-match': etag },
    });
    expect({ status: late.status, code: late.body.code }).toEqual({
      status: 412,
      code: 'precondition_failed',
    });
    expect((await service.call('GET', path)).body.description).toBe('a');
  });

  test('guards DELETE', async () => {
    const { path, etag } = await makeModule();
    await service.call('PATCH', path, { body: { description: 'a' } });
    expect((await service.call('DELETE', path, { headers: { 'if-match': etag } })).status).toBe(412);
    const { headers } = await service.call('GET', path);
    const fresh = { 'if-match': headers.get('etag')! };
    expect((await service.call('DELETE', path, { headers: fresh })).status).toBe(204);
  });

  test('of many at once exactly one wins', async () => {
    const { path, etag } = await makeModule();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        service.call('PATCH', path, { body: { description: `${index}` }, headers: { 'if-match': etag } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      200,
      ...Array.from({ length: 9 }, () => 412),
    ]);
  });

  test('* takes any version, but something must be there', async () => {
    const { path } = await makeModule();
    const any = { 'if-match': '*' };
    expect((await service.call('PATCH', path, { body: { description: 'x' }, headers: any })).status).toBe(
      200,
    );
    const nobody = '/v1/modules/0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77';
    expect((await service.call('DELETE', nobody, { headers: any })).status).toBe(404);
  });

  test('of no ETag of ours is 412, of several 400', async () => {
    const { path, etag } = await makeModule();
    const patch = (ifMatch: string) =>
      service.call('PATCH', path, { body: { description: 'x' }, headers: { 'if-match': ifMatch } });
    expect((await patch('"something"')).status).toBe(412);
    expect((await patch(`W/${etag}`)).status).toBe(412);
    expect((await patch(`${etag}, ${etag}`)).status).toBe(400);
  });
});
