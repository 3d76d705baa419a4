import { Type, type Static } from 'typebox';
import { NamedFittedByFamily } from '../speakers/fitted.ts';
import { Enabled, SearchText } from '../shapes/members.ts';
import {
  Families,
  Id,
  Nullable,
  PrefixCount,
  Strict,
  Timestamp,
  listQuery,
  resourceMembers,
} from '../shapes/page.ts';

/** What a feed may be written as, with the media type that it is served as. */
export const FEED_FORMATS = {
  text: 'text/plain; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
  json: 'application/json; charset=utf-8',
  nft: 'text/plain; charset=utf-8',
  ipset: 'text/plain; charset=utf-8',
  routeros: 'text/plain; charset=utf-8',
  ios: 'text/plain; charset=utf-8',
  junos: 'text/plain; charset=utf-8',
  eos: 'text/plain; charset=utf-8',
  bird: 'text/plain; charset=utf-8',
  edl: 'text/plain; charset=utf-8',
} as const;
export type FeedFormat = keyof typeof FEED_FORMATS;

/** Formats that can say what changed since a revision. Numbered lists cannot, nor what is read as a whole. */
const DIFFERENCE_FORMATS = ['json', 'nft', 'ipset', 'routeros', 'junos'] as const satisfies FeedFormat[];
export type DifferenceFormat = (typeof DIFFERENCE_FORMATS)[number];

export function isDifferenceFormat(format: FeedFormat): format is DifferenceFormat {
  return (DIFFERENCE_FORMATS as readonly FeedFormat[]).includes(format);
}
const FORMATS = Object.keys(FEED_FORMATS) as FeedFormat[];

/** Short and plain, so that it can be part of a URL and of a name in every format. */
export const FEED_NAME_PATTERN = '^[a-z][a-z0-9-]{0,26}$';

const ids = (description: string) => Type.Array(Id, { maxItems: 100, uniqueItems: true, description });

const writable = {
  name: Type.String({
    pattern: FEED_NAME_PATTERN,
    description:
      'Lower-case letters, digits and hyphens, at most 27, beginning with a letter; unique in the tenant, and part of the URL',
    examples: ['drop'],
  }),
  description: Nullable(Type.String({ maxLength: 500 }), 'For people; means nothing to the service'),
  community_ids: ids(
    'Communities whose prefixes it has; with no `module_ids` and none here: all of the revision',
  ),
  module_ids: ids('Modules whose addresses it has, as far as the revision holds them'),
  families: Families,
  format: Type.Enum(FORMATS, {
    description:
      '`text` and `edl`: a prefix a line; `csv` with a header; `json`; `nft`: for `nft -f`; `ipset`: for `ipset restore`; `routeros`, `ios`, `junos`, `eos`, `bird`: ' +
      'an address or prefix list as configuration of these',
  }),
  max_prefixes: Nullable(
    Type.Integer({ minimum: 1, maximum: 10_000_000 }),
    'How many of each family it may have; null: no limit',
  ),
  when_too_many: Type.Enum(['fail', 'fit'], {
    description:
      'With more than `max_prefixes`: `fail` keeps the last content; `fit` takes the cover with no more prefixes that adds the fewest addresses, none of them ' +
      'protected, excluded or special-purpose, and at most `fit_max_added_percent` (a setting)',
  }),
  allowed_networks: Type.Array(Type.String({ minLength: 2, maxLength: 64 }), {
    maxItems: 100,
    uniqueItems: true,
    description: 'Networks that may fetch it, as the service sees their addresses; empty: all',
  }),
  enabled: Enabled,
};

export const FeedContent = Strict(
  {
    revision_id: Id,
    revision: Type.Integer({ minimum: 1, description: 'Its number' }),
    prefix_count: PrefixCount,
    bytes: Type.Integer({ minimum: 0 }),
    fitted: NamedFittedByFamily,
  },
  { description: 'What is served' },
);
export type FeedContent = Static<typeof FeedContent>;

export const Feed = Strict({
  ...resourceMembers,
  ...writable,
  token_prefix: Type.String({ description: 'How its token begins' }),
  path: Type.String({
    description:
      'Where it is fetched: `GET` with `?token=` or with the token as the password of Basic authentication',
    examples: ['/feeds/drop'],
  }),
  status: Type.Enum(['pending', 'ok', 'stale', 'failed'], {
    description:
      '`pending`: never made; `ok`: of the applied revision; `stale`: the last attempt failed and the last good content is served; `failed`: it has never had any. It is looked at when the feed is fetched or previewed',
  }),
  last_error: Nullable(Type.String(), 'Why the last attempt failed, and what to do'),
  served: Nullable(FeedContent),
  last_fetched_at: Nullable(Timestamp, 'Seconds behind'),
  last_fetched_by: Nullable(Type.String(), 'The address that fetched it last'),
});
export type Feed = Static<typeof Feed>;

/** With the token, which is shown once. */
export const FeedWithToken = Strict({ ...Feed.properties, token: Type.String() });
export type FeedWithToken = Static<typeof FeedWithToken>;

export const FeedCreate = Strict({
  name: writable.name,
  description: Type.Optional(writable.description),
  community_ids: Type.Optional(writable.community_ids),
  module_ids: Type.Optional(writable.module_ids),
  families: Type.Optional(writable.families),
  format: Type.Optional(writable.format),
  max_prefixes: Type.Optional(writable.max_prefixes),
  when_too_many: Type.Optional(writable.when_too_many),
  allowed_networks: Type.Optional(writable.allowed_networks),
  enabled: Type.Optional(writable.enabled),
});
export type FeedCreate = Static<typeof FeedCreate>;

export const FeedPatch = Type.Partial(Strict(writable), { additionalProperties: false, minProperties: 1 });
export type FeedPatch = Static<typeof FeedPatch>;

export const FeedQuery = listQuery({
  format: Type.Optional(Type.Enum(FORMATS)),
  enabled: Type.Optional(Type.Boolean()),
  q: Type.Optional(SearchText),
});
export type FeedQuery = Static<typeof FeedQuery>;

/** What a feed would be with the applied revision, as it is set now. */
export const FeedPreview = Strict({
  content: Nullable(FeedContent, 'null: it cannot be made'),
  error: Nullable(Type.String(), 'Why it cannot be made'),
  text: Type.String({ description: 'The first 4,096 characters' }),
});
export type FeedPreview = Static<typeof FeedPreview>;
