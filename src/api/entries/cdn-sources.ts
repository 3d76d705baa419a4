import { Type, type Static } from 'typebox';
import { CollectedQuery, collectedMembers } from './collected-entries.ts';
import { entryMembers, optionalEntryMembers } from './entry-members.ts';
import { changeOfMany, choiceOf } from './many-entries.ts';
import { Name } from '../shapes/names.ts';
import { Id, Nullable, Strict, resourceMembers } from '../shapes/page.ts';
import { RequestHeaders, RequestHeadersPatch } from '../shapes/request-headers.ts';
import { rejectedMembers } from './rejected-lines.ts';

const writable = {
  name: Name('Unique in the module, without case'),
  url: Type.String({
    minLength: 1,
    maxLength: 2048,
    description: 'http or https, without user and password',
  }),
  format: Type.Enum(['auto', 'text', 'json', 'csv'], {
    description: '`auto`, the default, detects it by Content-Type, file name and content',
  }),
  json_path: Nullable(
    Type.String({ minLength: 1, maxLength: 500 }),
    'JSONPath (RFC 9535) to the prefixes, such as `$.prefixes[*].ip_prefix`, or to a list of them, such as `$.data.list`; the leading `$.` may be ' +
      'left out; null: the places where publishers usually have them',
  ),
  csv_column: Nullable(
    Type.String({ minLength: 1, maxLength: 100 }),
    'Column with the prefixes: name of its header, or number from 1; null: the first',
  ),
  ...entryMembers,
};

const HEADERS =
  'Sent with the request, but to no other origin after a redirect; kept encrypted and never shown again';
const headers = RequestHeaders(HEADERS);

export const CdnSource = Strict({
  ...resourceMembers,
  module_id: Id,
  ...writable,
  headers: Type.Record(Type.String(), Type.Null(), { description: 'Names only; values are never shown' }),
  ...collectedMembers,
  etag: Nullable(Type.String(), 'Of the last good answer, for conditional requests'),
  ...rejectedMembers,
});
export type CdnSource = Static<typeof CdnSource>;

export const CdnSourceCreate = Strict({
  name: writable.name,
  url: writable.url,
  format: Type.Optional(writable.format),
  json_path: Type.Optional(writable.json_path),
  csv_column: Type.Optional(writable.csv_column),
  headers: Type.Optional(headers),
  ...optionalEntryMembers,
});
export type CdnSourceCreate = Static<typeof CdnSourceCreate>;

export const CdnSourcePatch = Type.Partial(Strict({ ...writable, headers: RequestHeadersPatch(HEADERS) }), {
  additionalProperties: false,
  minProperties: 1,
});
export type CdnSourcePatch = Static<typeof CdnSourcePatch>;

export const CdnSourceQuery = CollectedQuery;
export type CdnSourceQuery = Static<typeof CdnSourceQuery>;

export const CdnSourcesChoice = choiceOf(CdnSourceQuery);
export const CdnSourcesChange = changeOfMany(CdnSourceQuery, CdnSourcePatch);
