import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fetchSource } from '../../../src/sources/fetch/fetch.ts';
import { type ListServer, reaching, redirects, serves, startListServer } from '../lists/list-server.ts';

let first: ListServer;
let other: ListServer;
beforeEach(async () => {
  first = await startListServer();
  other = await startListServer();
});
afterEach(async () => {
  await first.close();
  await other.close();
});

const reach = reaching('127.0.0.1/32');

function get(path = '/', headers: Record<string, string> = {}) {
  const request = { url: first.origin + path, headers, etag: '"7"', lastModified: null };
  return fetchSource(request, { reach });
}

/** Answers `/5` with a redirect to `/4`, and so on; `/0` is the list. */
function countDown(server: ListServer): void {
  server.answer = (request, response) => {
    const left = Number(request.url!.slice(1));
    (left === 0 ? serves('45.0.0.0/24\n') : redirects(`${left - 1}`))(request, response);
  };
}

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('by %i is followed', async (status) => {
    first.answer = redirects(`${other.origin}/list?x=1#part`, status);
    other.answer = serves('45.0.0.0/24\n');
    const answer = await get();
    expect(answer).toMatchObject({ httpStatus: 200, url: new URL(`${other.origin}/list?x=1`) });
    expect(other.requests[0]).toMatchObject({ method: 'GET', url: '/list?x=1' });
  });

  it('is followed five times and not a sixth time', async () => {
    countDown(first);
    expect(await get('/5')).toMatchObject({ url: new URL(`${first.origin}/0`) });
    await expect(get('/6')).rejects.toMatchObject({
      code: 'source_redirect',
      message: expect.stringContaining('more than 5 times') as string,
    });
  });

  it('in a loop ends', async () => {
    first.answer = redirects('/');
    await expect(get()).rejects.toMatchObject({ code: 'source_redirect' });
    expect(first.requests).toHaveLength(6);
  });

  it('may lead to "not modified"', async () => {
    first.answer = redirects(`${other.origin}/list`);
    other.answer = (_request, response) => response.writeHead(304).end();
    expect(await get()).toMatchObject({ notModified: true });
    expect(other.requests[0]!.headers).toMatchObject({ 'if-none-match': '"7"' });
  });

  it.each([
    'ftp://example.com/list',
    'file:///etc/passwd',
    'data:text/plain,45.0.0.0/24',
    'https://user:pass@example.com/',
    'http://[::1',
  ])('to %s is refused', async (location) => {
    first.answer = redirects(location);
    const failing = expect(get()).rejects;
    await failing.toMatchObject({ code: 'source_redirect' });
  });

  it.each([
    'http://127.0.0.2/',
    'http://127.1.1.1:1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[::ffff:169.254.169.254]/',
    'http://10.0.0.1/',
    '//192.168.0.1/list',
  ])('to %s never arrives', async (location) => {
    first.answer = redirects(location);
    await expect(get()).rejects.toMatchObject({ code: 'source_refused_address' });
    expect(first.requests).toHaveLength(1);
  });

  it('keeps the headers of the source on its way within the origin', async () => {
    countDown(first);
    await get('/2', { Authorization: 'Bearer t', 'X-Key': 'k' });
    expect(first.requests).toHaveLength(3);
    for (const { headers } of first.requests)
      expect(headers).toMatchObject({ authorization: 'Bearer t', 'x-key': 'k' });
  });

  it('to another origin leaves secrets behind, also on the way back', async () => {
    first.answer = (request, response) =>
      (request.url === '/' ? redirects(`${other.origin}/there`) : serves('45.0.0.0/24\n'))(request, response);
    other.answer = redirects(`${first.origin}/back`);
    await get('/', { Authorization: 'Bearer t', 'X-Key': 'k', Cookie: 'c=1', Accept: 'text/csv' });
    expect(first.requests[0]!.headers).toMatchObject({ 'x-key': 'k' });
    for (const { headers } of [other.requests[0]!, first.requests[1]!]) {
      expect(headers).toMatchObject({ accept: 'text/csv' });
      expect(Object.keys(headers)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/authorization|x-key|cookie/)]),
      );
    }
  });
});
