/** Feeds behind an address from which others send wrong tokens. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mintApiKey } from '../../../src/store/keys/api-key-secret.ts';
import { FeedScene } from './feed-scene.ts';

const FAILURES = 5;
let scene: FeedScene;
beforeAll(async () => {
  const rateLimits = { reads: 0, writes: 0, nodes: 0, failures: FAILURES };
  scene = await FeedScene.start({}, { rateLimits });
  await scene.apply(['9.1.0.0/24']);
});
afterAll(() => scene?.service.close());

const guess = async (name: string): Promise<number> =>
  (await scene.fetchFeed(name, mintApiKey('feed').secret)).status;

test('a right token is served after any number of wrong ones, and the wrong ones are refused as before', async () => {
  const first = await scene.newFeed();
  for (let n = 0; n < 3 * FAILURES; n++) expect(await guess(first.name)).toBe(401);
  const feed = await scene.newFeed();
  const guesses = Promise.all(Array.from({ length: 20 }, () => guess(feed.name)));
  // Neither token is remembered yet.
  for (const { name, token } of [first, feed])
    expect(await scene.fetchFeed(name, token)).toMatchObject({
      ...{ status: 200, bytes: Buffer.from('9.1.0.0/24\n') },
    });
  expect(new Set(await guesses)).toEqual(new Set([401]));
  const { id, name, token } = feed;
  const rotated = (await scene.service.call('POST', `/v1/feeds/${id}/rotate`)).body.token as string;
  expect((await scene.fetchFeed(name, token)).status).toBe(401);
  expect((await scene.fetchFeed(name, rotated)).status).toBe(200);
});
