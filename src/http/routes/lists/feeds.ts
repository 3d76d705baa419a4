import {
  Feed,
  FeedCreate,
  FeedPatch,
  FeedPreview,
  FeedQuery,
  FeedWithToken,
} from '../../../api/feeds/feeds.ts';
import { PageOf } from '../../../api/shapes/page.ts';
import { previewFeed } from '../../../control/feeds/feed-contents.ts';
import { changeFeed, createFeed, rotateFeed } from '../../../control/feeds/feeds.ts';
import { deleteFeed, getFeed, listFeeds } from '../../../store/feeds/feeds.ts';
import { created, readResource } from '../../answer.ts';
import { CREATED, tenantRoute, type ReadRequest } from '../../route.ts';

const tag = 'feeds';
const path = '/v1/feeds';
const item = `${path}/{id}` as const;
const params = { id: 'feed' } as const;
const read = ({ tx, params: { id } }: ReadRequest<'id'>) => getFeed(tx, id);

export const feedRoutes = [
  tenantRoute({
    method: 'GET',
    path,
    operation: 'listFeeds',
    permission: 'bgp:feeds:read',
    tag,
    summary: 'List feeds',
    status: 200,
    query: FeedQuery,
    response: PageOf(Feed),
    handler: async ({ tx, query }) => ({ body: await listFeeds(tx, query) }),
  }),
  tenantRoute({
    method: 'POST',
    path,
    operation: 'createFeed',
    permission: 'bgp:feeds:write',
    audit: 'feed.create',
    read: CREATED,
    tag,
    summary: 'Create a feed',
    description:
      'The answer holds the token, which is shown only once. The content is fetched with `GET /feeds/{name}?token=…`, or with the token as the password of Basic ' +
      'authentication: it follows the applied revision, has an ETag, and comes compressed where the client accepts that.',
    status: 201,
    problems: ['conflict'],
    body: FeedCreate,
    example: { name: 'drop', format: 'nft', max_prefixes: 100_000, allowed_networks: ['192.0.2.0/24'] },
    response: FeedWithToken,
    handler: async ({ tx, body }) => created(path, await createFeed(tx, body)),
  }),
  tenantRoute({
    method: 'GET',
    path: item,
    operation: 'getFeed',
    permission: 'bgp:feeds:read',
    tag,
    summary: 'Read a feed',
    status: 200,
    params,
    response: Feed,
    handler: async (request) => readResource(await read(request)),
  }),
  tenantRoute({
    method: 'PATCH',
    path: item,
    operation: 'changeFeed',
    permission: 'bgp:feeds:write',
    audit: 'feed.change',
    read,
    tag,
    summary: 'Change a feed',
    description: 'If its content cannot be made as it is set now, it serves the last one.',
    status: 200,
    problems: ['conflict'],
    params,
    body: FeedPatch,
    example: { max_prefixes: 50_000, when_too_many: 'fit' },
    response: Feed,
    handler: async ({ tx, params: { id }, body, ifMatch }) =>
      readResource(await changeFeed(tx, id, body, ifMatch)),
  }),
  tenantRoute({
    method: 'DELETE',
    path: item,
    operation: 'deleteFeed',
    permission: 'bgp:feeds:write',
    audit: 'feed.delete',
    read,
    tag,
    summary: 'Delete a feed',
    status: 204,
    params,
    handler: async ({ tx, params: { id }, ifMatch }) => {
      await deleteFeed(tx, id, ifMatch);
      return {};
    },
  }),
  tenantRoute({
    method: 'POST',
    path: `${item}/rotate`,
    operation: 'rotateFeed',
    permission: 'bgp:feeds:write',
    audit: 'feed.rotate',
    read,
    tag,
    summary: 'Give a feed another token',
    description:
      'The answer holds the new token, which is shown only once. The old one stops working within a second.',
    status: 200,
    params,
    response: FeedWithToken,
    handler: async ({ tx, params: { id }, ifMatch }) => readResource(await rotateFeed(tx, id, ifMatch)),
  }),
  tenantRoute({
    method: 'GET',
    path: `${item}/preview`,
    operation: 'previewFeed',
    permission: 'bgp:feeds:read',
    tag,
    summary: 'What a feed would serve now',
    description:
      'As it is set, with the applied revision: how many prefixes, what fitting would add, or why it cannot be made.',
    status: 200,
    params,
    response: FeedPreview,
    handler: async ({ tx, params: { id } }) => ({
      body: await previewFeed(tx, (await getFeed(tx, id)).resource),
    }),
  }),
];
