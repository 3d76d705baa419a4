import { Type, type Static } from 'typebox';
import { Id, Nullable, PrefixCount, Strict, Timestamp, listQuery, resourceMembers } from './page.ts';

const writable = {
  name: Type.String({ minLength: 1, maxLength: 100 }),
  url: Type.String({
    minLength: 1,
    maxLength: 2048,
    description: 'http or https, without user and password',
  }),
  format: Type.Enum(['auto', 'text', 'json', 'csv']),
  json_path: Nullable(
    Type.String({ minLength: 1, maxLength: 500, description: 'RFC 9535, such as `$.prefixes[*].ip_prefix`' }),
  ),
  csv_column: Nullable(
    Type.String({ minLength: 1, maxLength: 100, description: 'Name of the header, or number from 1' }),
  ),
  enabled: Type.Boolean(),
  community_id: Nullable(Id),
};

/** Values are write-only: an answer shows each name with `null`. */
const headers = Type.Record(
  Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$' }),
  Type.String({ maxLength: 4096, writeOnly: true }),
  // A record's pattern alone refuses no other name.
  { maxProperties: 20, additionalProperties: false },
);

export const EntryStatus = Type.Enum(['pending', 'ok', 'stale', 'failed']);
export type EntryStatus = Static<typeof EntryStatus>;

export const CdnSource = Strict({
  ...resourceMembers,
  module_id: Id,
  ...writable,
  headers: Type.Record(Type.String(), Type.Null()),
  last_refreshed_at: Nullable(Timestamp),
  status: EntryStatus,
  last_error: Nullable(Type.String()),
  prefix_count: PrefixCount,
  etag: Nullable(Type.String()),
});
export type CdnSource = Static<typeof CdnSource>;

export const CdnSourceCreate = Strict({
  name: writable.name,
  url: writable.url,
  format: Type.Optional(writable.format),
  json_path: Type.Optional(writable.json_path),
  csv_column: Type.Optional(writable.csv_column),
  headers: Type.Optional(headers),
  enabled: Type.Optional(writable.enabled),
  community_id: Type.Optional(writable.community_id),
});
export type CdnSourceCreate = Static<typeof CdnSourceCreate>;

export const CdnSourcePatch = Type.Partial(Strict({ ...writable, headers }), {
  additionalProperties: false,
  minProperties: 1,
});
export type CdnSourcePatch = Static<typeof CdnSourcePatch>;

export const CdnSourceQuery = listQuery({
  enabled: Type.Optional(Type.Boolean()),
  status: Type.Optional(EntryStatus),
  q: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
});
export type CdnSourceQuery = Static<typeof CdnSourceQuery>;
