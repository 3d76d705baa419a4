/** Feeds, as whoever fetches them sees them: with a token, compressed, asked for again, and limited. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FEED_FORMATS } from '../../../src/api/feeds/feeds.ts';
import { waitFor } from '../../daemons/wait.ts';
import { newMetrics, type Body, type TestService } from '../service.ts';
import { FeedScene, type Fetched, type TestFeed } from './feed-scene.ts';

const run = promisify(execFile);

const metrics = newMetrics();
let scene: FeedScene;
let service: TestService;
let speaker: string;
let community: string;
let other: string;
beforeAll(async () => {
  scene = await FeedScene.start({ metrics });
  ({ service, speaker, community, other } = scene);
});
afterAll(() => service.close());

const apply = (prefixes: readonly string[]): Promise<string> => scene.apply(prefixes);
const newFeed = (body?: Body): Promise<TestFeed> => scene.newFeed(body);
const shown = (id: string): Promise<Body> => scene.shown(id);
const expectLines = (feed: TestFeed, wanted: string[]): Promise<void> => scene.expectLines(feed, wanted);
const fetchFeed = (...of: Parameters<FeedScene['fetchFeed']>): Promise<Fetched> => scene.fetchFeed(...of);

test('503 before anything is applied; then the content, which follows what is applied, and 304 where it is known', async () => {
  const feed = await newFeed();
  expect((await fetchFeed(feed.name, feed.token)).status).toBe(503);
  await apply(['9.1.0.0/24', '9.2.0.0/24', '2a00:1::/32']);
  await expectLines(feed, ['9.1.0.0/24', '9.2.0.0/24', '2a00:1::/32']);
  const first = await fetchFeed(feed.name, feed.token);
  expect(first.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const tag = first.headers.get('etag')!;
  for (let n = 0; n < 3; n++) {
    const again = await fetchFeed(feed.name, feed.token, { 'if-none-match': tag });
    expect(again).toMatchObject({ status: 304 });
    expect(again.headers.get('etag')).toBe(tag);
  }
  await apply(['9.1.0.0/24']);
  await expectLines(feed, ['9.1.0.0/24']);
  expect((await fetchFeed(feed.name, feed.token, { 'if-none-match': tag })).status).toBe(200);
  expect(await shown(feed.id)).toMatchObject({
    ...{ status: 'ok', last_error: null, token_prefix: feed.token.slice(0, 13) },
    served: { prefix_count: { ipv4: 1, ipv6: 0 }, bytes: 11, fitted: { ipv4: null, ipv6: null } },
  });
  expect(JSON.stringify(await shown(feed.id))).not.toContain(feed.token);
});

test('what is tried on a canary is served when the others have it too, and what is taken back never', async () => {
  const { database } = service;
  const settled = await apply(['44.0.0.0/24']);
  const rest = (await service.make('/v1/speakers', { name: 'rest', local_asn: 64512 })).id;
  await database.admin(
    'UPDATE speaker SET applied_revision_id = $2, applied_at = clock_timestamp() WHERE id = $1',
    [...[rest, settled]],
  );
  const { token } = await service.make('/v1/feeds', { name: 'canaries', format: 'text' });
  const served = async (): Promise<string> =>
    (await fetchFeed('canaries', String(token))).bytes.toString('latin1').trim();
  expect(await served()).toBe('44.0.0.0/24');
  const tried = await apply(['44.0.0.0/24', '45.0.0.0/24']);
  const job = randomUUID();
  await database.admin(
    "INSERT INTO job (tenant_id, id, type, input, state) VALUES ($1, $2, 'apply', '{}', 'running')",
    [...[service.tenant.id, job]],
  );
  for (const [id, state] of [
    [speaker, 'succeeded'],
    [rest, 'planned'],
  ])
    await database.admin(
      'INSERT INTO speaker_apply (tenant_id, id, speaker_id, revision_id, job_id, state) VALUES ($1, $2, $3, $4, $5, $6)',
      [service.tenant.id, randomUUID(), id, tried, job, state],
    );
  // Longer than an answer may be old.
  await sleep(1_000);
  expect(await served()).toBe('44.0.0.0/24');
  await database.admin("UPDATE speaker_apply SET state = 'undoing' WHERE speaker_id = $1 AND job_id = $2", [
    speaker,
    job,
  ]);
  await database.admin("UPDATE speaker_apply SET state = 'failed' WHERE speaker_id = $1 AND job_id = $2", [
    rest,
    job,
  ]);
  await sleep(1_000); // longer than an answer may be old
  expect(await served()).toBe('44.0.0.0/24');
  await database.admin("UPDATE speaker_apply SET state = 'succeeded' WHERE job_id = $1", [job]);
  await waitFor(async () => (await served()) === '44.0.0.0/24\n45.0.0.0/24', {
    what: 'what all speakers have',
  });
  await service.call('DELETE', `/v1/speakers/${rest}`);
});

test('401 without the token, with another one, under another name, and with one that was replaced; Basic works as well', async () => {
  await apply(['9.1.0.0/24']);
  const [feed, another] = [await newFeed(), await newFeed()];
  await expectLines(feed, ['9.1.0.0/24']);
  for (const [name, token] of [
    [feed.name, null],
    [feed.name, another.token],
    [another.name, feed.token],
    [feed.name, service.tenant.keys.super_admin],
  ] as const) {
    const refused = await fetchFeed(name, token);
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toContain('Basic');
  }
  const basic = `Basic ${Buffer.from(`anybody:${feed.token}`).toString('base64')}`;
  expect((await fetchFeed(feed.name, null, { authorization: basic })).status).toBe(200);
  const rotated = (await service.call('POST', `/v1/feeds/${feed.id}/rotate`)).body.token as string;
  await waitFor(async () => (await fetchFeed(feed.name, feed.token)).status === 401, {
    what: 'the old token',
  });
  expect((await fetchFeed(feed.name, rotated)).status).toBe(200);
  // No token is a key.
  expect((await service.call('GET', '/v1/feeds', { key: rotated })).status).toBe(401);
});

test.for([200, 304])(
  '%i from memory has the headers and the line of log of one that was looked up',
  async (status) => {
    const feed = await newFeed();
    await apply(['9.3.0.0/24']);
    await expectLines(feed, ['9.3.0.0/24']);
    const tag = (await fetchFeed(feed.name, feed.token)).headers.get('etag')!;
    const ask = async (id: string, more = ''): Promise<{ headers: object; line: Body }> => {
      const given = {
        'x-request-id': id,
        ...(status === 304 ? { 'if-none-match': `"other", W/${tag}` } : {}),
      };
      const answer = await fetch(`${service.url}/feeds/${feed.name}?token=${feed.token}${more}`, {
        headers: given,
      });
      expect(answer.status).toBe(status);
      await answer.arrayBuffer();
      const lineOf = (): string | undefined =>
        service.log.find((line) => line.includes(`"request_id":"${id}"`));
      const { time, milliseconds, request_id, ...line } = JSON.parse(
        await waitFor(lineOf, { what: 'its line' }),
      ) as Body;
      expect([typeof time, typeof milliseconds, request_id]).not.toContain('undefined');
      const { date, 'x-request-id': named, ...headers } = Object.fromEntries(answer.headers);
      expect([typeof date, named]).toEqual(['string', id]);
      return { headers, line };
    };
    // An empty `since` asks for the same, and is looked up.
    const lookedUp = await ask(`looked-up-${status}`, '&since=');
    expect(await ask(`from-memory-${status}`)).toEqual(lookedUp);
    expect(lookedUp.line).toMatchObject({ path: `/feeds/${feed.name}`, status, msg: 'request' });
  },
);

test('a feed says when it was fetched last, and by whom', async () => {
  await apply(['12.0.0.0/24']);
  const [feed, other] = [await newFeed(), await newFeed()];
  await expectLines(feed, ['12.0.0.0/24']);
  // One that is refused is none.
  expect((await fetchFeed(other.name, feed.token)).status).toBe(401);
  const began = new Date(Date.now() - 60_000).toISOString();
  const fetched = await waitFor(
    async () => {
      const found = await shown(feed.id);
      return found.last_fetched_at !== null && found;
    },
    { what: 'the note of the fetch' },
  );
  expect(fetched).toMatchObject({
    last_fetched_by: expect.stringMatching(/^(::ffff:)?127\.0\.0\.1$/) as string,
  });
  expect(String(fetched.last_fetched_at) > began).toBe(true);
  expect(await shown(other.id)).toMatchObject({ last_fetched_at: null, last_fetched_by: null });
});

test('a feed that cannot be made says why to whoever fetches it first', async () => {
  await apply(['12.0.0.0/24', '12.2.0.0/24']);
  const feed = await newFeed({ max_prefixes: 1 });
  const { status, bytes } = await fetchFeed(feed.name, feed.token);
  expect({ status, text: bytes.toString() }).toEqual({
    ...{ status: 503, text: expect.stringContaining('2 IPv4 prefixes, and max_prefixes is 1') as string },
  });
});

test('each fetch is counted by tenant and feed, where strangers do not read', async () => {
  await apply(['11.0.0.0/24']);
  const feed = await newFeed();
  await expectLines(feed, ['11.0.0.0/24']);
  expect(await metrics.named.metrics()).toMatch(
    new RegExp(`prefixcast_feed_fetches_total\\{tenant="[^"]+",feed="${feed.name}",result="sent"\\} [1-9]`),
  );
  const { text } = await service.call('GET', '/metrics');
  expect(text).toContain('http_requests_total');
  expect(text).not.toContain(feed.name);
});

test('networks are kept in their one form, each once', async () => {
  const feed = await newFeed({ allowed_networks: ['2001:DB8:0::/32', '192.0.2.0/24', ' 192.0.2.0/24 '] });
  const { body } = await service.call('GET', `/v1/feeds/${feed.id}`);
  expect(body).toMatchObject({ allowed_networks: ['2001:db8::/32', '192.0.2.0/24'] });
});

test('403 from another network; 503 when it is disabled', async () => {
  const feed = await newFeed({ allowed_networks: ['192.0.2.0/24'] });
  expect((await fetchFeed(feed.name, feed.token)).status).toBe(403);
  await service.call('PATCH', `/v1/feeds/${feed.id}`, { body: { allowed_networks: ['127.0.0.0/8'] } });
  await waitFor(async () => (await fetchFeed(feed.name, feed.token)).status === 200, {
    what: 'to be let in',
  });
  await service.call('PATCH', `/v1/feeds/${feed.id}`, { body: { enabled: false } });
  await waitFor(async () => (await fetchFeed(feed.name, feed.token)).status === 503, { what: 'to be off' });
});

test('gzip, brotli and zstd, each with a tag of its own, and again from memory', async () => {
  await apply(Array.from({ length: 500 }, (_, n) => `9.${n >> 6}.${(n & 63) * 4}.0/24`));
  const feed = await newFeed();
  const { bytes } = await fetchFeed(feed.name, feed.token);
  expect(bytes.length).toBeGreaterThan(1_024);
  const tags = new Set<string>();
  const unpack = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync };
  for (const [encoding, read] of Object.entries(unpack))
    for (let n = 0; n < 2; n++) {
      const { stdout: raw } = await run(
        'curl',
        [
          '-sS',
          '-H',
          `Accept-Encoding: ${encoding}`,
          `${service.url}/feeds/${feed.name}?token=${feed.token}`,
        ],
        { encoding: 'buffer' },
      );
      expect(read(raw).equals(bytes)).toBe(true);
      const known = await fetchFeed(feed.name, feed.token, { 'accept-encoding': encoding });
      tags.add(known.headers.get('etag')!);
    }
  expect(tags.size).toBe(3);
});

describe('what it has', () => {
  test('communities, modules and families; an update that cannot be made leaves the last content', async () => {
    await apply(['9.1.0.0/24', '2a00:1::/32']);
    const empty = await newFeed({ community_ids: [other] });
    await expectLines(empty, []);
    const feed = await newFeed({ community_ids: [community], families: ['ipv4'], max_prefixes: 2 });
    await expectLines(feed, ['9.1.0.0/24']);
    await apply(['9.1.0.0/24', '9.3.0.0/24', '9.5.0.0/24']);
    await waitFor(
      async () => {
        await fetchFeed(feed.name, feed.token);
        return (await shown(feed.id)).status === 'stale';
      },
      { what: 'the feed to be stale' },
    );
    await expectLines(feed, ['9.1.0.0/24']);
    expect((await shown(feed.id)).last_error).toContain('3 IPv4 prefixes, and max_prefixes is 2');
    expect((await service.call('GET', `/v1/feeds/${feed.id}/preview`)).body).toMatchObject({ content: null });
    expect(await service.call('DELETE', `/v1/communities/${other}`)).toMatchObject({
      ...{ status: 409, body: { code: 'in_use' } },
    });
    await service.call('PATCH', `/v1/feeds/${feed.id}`, { body: { max_prefixes: 3 } });
    await expectLines(feed, ['9.1.0.0/24', '9.3.0.0/24', '9.5.0.0/24']);
  });

  test('fitted into so many, it reports what was added, covers nothing protected, and stays below the setting', async () => {
    await apply(['9.1.0.0/24', '9.1.2.0/24', '9.5.0.0/24']);
    const feed = await newFeed({ max_prefixes: 2, when_too_many: 'fit' });
    const preview = async (): Promise<Body> =>
      (await service.call('GET', `/v1/feeds/${feed.id}/preview`)).body;
    expect((await preview()).error).toContain('fit_max_added_percent is 10');
    await service.call('PATCH', '/v1/settings', { body: { fit_max_added_percent: 100 } });
    await expectLines(feed, ['9.1.0.0/22', '9.5.0.0/24']);
    expect(await shown(feed.id)).toMatchObject({
      served: {
        fitted: {
          ipv4: {
            ...{ added_addresses: '512', added_percent: 66.6667, optimal: true },
            added_prefixes: ['9.1.1.0/24', '9.1.3.0/24'],
          },
        },
      },
    });
    await service.call('PATCH', '/v1/settings', { body: { guard_protected_prefixes: ['9.1.3.7/32'] } });
    expect((await preview()).error).toContain('protected, excluded or special-purpose');
    await service.call('PATCH', '/v1/settings', {
      body: { guard_protected_prefixes: null, fit_max_added_percent: null },
    });
  });

  test('fitting covers nothing that other lists of the revision have, whoever listed it', async () => {
    await service.call('PATCH', '/v1/settings', { body: { fit_max_added_percent: 100 } });
    const limits = { max_prefixes: 2, when_too_many: 'fit' };
    const feed = await newFeed({ community_ids: [community], ...limits });
    const whole = await newFeed({ ...limits, max_prefixes: 3 });
    await apply(['9.1.0.0/24', '9.1.2.0/24', '9.5.0.0/24', '9.1.1.7/32 65000:200']);
    // Whoever takes all of it has the other list as well.
    await expectLines(whole, ['9.1.0.0/23', '9.1.2.0/24', '9.5.0.0/24']);
    const { body: preview } = await service.call('GET', `/v1/feeds/${feed.id}/preview`);
    expect(preview.error).toContain('or those of other lists');
    await apply(['9.1.0.0/24', '9.1.2.0/24', '9.5.0.0/24', '9.1.4.0/24 65000:200']);
    await expectLines(feed, ['9.1.0.0/22', '9.5.0.0/24']);
    await service.call('PATCH', '/v1/settings', { body: { fit_max_added_percent: null } });
  });

  test('the revision that is served is not pruned', async () => {
    const served = await apply(['9.1.0.0/24']);
    const feed = await newFeed();
    await expectLines(feed, ['9.1.0.0/24']);
    await service.call('PATCH', `/v1/feeds/${feed.id}`, { body: { max_prefixes: 1 } });
    await apply(['9.1.0.0/24', '9.3.0.0/24']);
    await service.database.admin("UPDATE revision SET created_at = now() - interval '1 year'");
    const estimate = await service.call('GET', '/v1/revisions/prune/estimate');
    expect(estimate.body.revisions).toBeGreaterThan(0);
    const kept = await service.database.admin('SELECT served_revision_id FROM feed WHERE id = $1', [feed.id]);
    expect(kept).toEqual([{ served_revision_id: served }]);
  });
});

describe('formats', () => {
  const PREFIXES = ['9.1.0.0/24', '9.3.0.0/16', '2a00:1::/32'];
  const texts = new Map<string, string>();
  beforeAll(async () => {
    await apply(PREFIXES);
    for (const format of Object.keys(FEED_FORMATS)) {
      const feed = await newFeed({ format });
      await waitFor(async () => (await fetchFeed(feed.name, feed.token)).status === 200, { what: format });
      const { bytes, headers } = await fetchFeed(feed.name, feed.token);
      expect(headers.get('content-type')).toBe(FEED_FORMATS[format as keyof typeof FEED_FORMATS]);
      texts.set(format, bytes.toString());
    }
  });

  test('each holds every prefix once', () => {
    for (const [format, text] of texts)
      for (const prefix of ['9.1.0.0/24', '9.3.0.0/16', '2a00:1::/32'])
        expect(text.split(prefix), `${prefix} in ${format}`).toHaveLength(2);
    expect(JSON.parse(texts.get('json')!)).toMatchObject({ prefixes: PREFIXES });
  });
});
