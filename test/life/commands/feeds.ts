/** Feeds that are made, changed and deleted. */
import fc from 'fast-check';
import { chosen, deed, pick } from '../deed.ts';
import type { CommunityModel } from '../model.ts';
import type { Life } from '../life.ts';
import { doneTo, feeds } from './things.ts';

/** Feeds of a walk at a time. */
const MOST_FEEDS = 2;

/** None, or one. */
function some({ communities }: Life, number: number): CommunityModel[] {
  return number % 3 === 0 ? [] : [chosen(communities, number)];
}

const named = (communities: readonly CommunityModel[]): string =>
  communities.map(({ value }) => value).join(', ') || 'every community';

export const feedDeeds = [
  doneTo({
    ...{ weight: 1, of: feeds },
    async does(walk, { model, told, path }) {
      const name = `feed${++walk.life.made}`;
      walk.tell(`${told}: name ${name}`);
      const feed = await walk.patch<{ path: string }>(path, { name });
      // The name is part of its address.
      Object.assign(model, { name, path: feed.path + new URL(model.path, 'http://feed').search });
      return undefined;
    },
  }),
  doneTo({
    ...{ weight: 1, of: feeds, drawn: fc.option(fc.integer({ min: 1, max: 3 })) },
    async does(walk, { model, told, path }, most) {
      walk.tell(`${told}: ${most === null ? 'any number of prefixes' : `fitted to ${most} prefixes`}`);
      await walk.patch(path, { max_prefixes: most, when_too_many: 'fit' });
      model.most = most;
      return undefined;
    },
  }),
  deed({
    weight: 1,
    drawn: fc.record({ pick, most: fc.option(fc.integer({ min: 1, max: 3 })) }),
    can: ({ feeds }) => feeds.length < MOST_FEEDS,
    async run(walk, { pick: number, most }) {
      const { life } = walk;
      const communities = some(life, number);
      const name = `feed${++life.made}`;
      const limit = most === null ? {} : { max_prefixes: most, when_too_many: 'fit' };
      walk.tell(
        `${name}: make it, of ${named(communities)}${most === null ? '' : `, fitted to ${most} prefixes`}`,
      );
      const body = { name, format: 'text', community_ids: communities.map(({ id }) => id), ...limit };
      const { id, path, token } = await walk.post<{ id: string; path: string; token: string }>(
        '/v1/feeds',
        body,
      );
      life.feeds.push({ id, name, path: `${path}?token=${token}`, communities, most });
    },
  }),
  deed({
    weight: 1,
    drawn: pick,
    can: ({ feeds }) => feeds.length > 0,
    async run(walk, number) {
      const feed = chosen(walk.life.feeds, number);
      const communities = some(walk.life, number >> 1);
      walk.tell(`${feed.name}: of ${named(communities)}`);
      await walk.patch(`/v1/feeds/${feed.id}`, { community_ids: communities.map(({ id }) => id) });
      feed.communities = communities;
    },
  }),
  deed({
    weight: 1,
    drawn: pick,
    can: ({ feeds }) => feeds.length === MOST_FEEDS,
    async run(walk, number) {
      const { feeds } = walk.life;
      const feed = chosen(feeds, number);
      walk.tell(`${feed.name}: delete`);
      await walk.delete(`/v1/feeds/${feed.id}`);
      feeds.splice(feeds.indexOf(feed), 1);
    },
  }),
];
