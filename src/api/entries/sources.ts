/** Sources: every entry that is read from somewhere, whatever module it is of, and how fresh it is. */
import { Type, type Static } from 'typebox';
import { EntryStatus } from './collected-entries.ts';
import { COLLECTED_TYPES } from './entry-kinds.ts';
import { LastError, LastRefreshedAt, SearchText } from '../shapes/members.ts';
import { Id, Nullable, PrefixCount, Strict, Timestamp, listQuery } from '../shapes/page.ts';

export const SourceType = Type.Enum(COLLECTED_TYPES, { description: 'The kind of entry' });

export const Source = Strict({
  id: Id,
  type: SourceType,
  module_id: Id,
  module_name: Type.String({ examples: ['clouds'] }),
  name: Type.String({ description: 'The name of a list, `AS64496`, or a domain', examples: ['AS64496'] }),
  enabled: Type.Boolean({ description: 'Whether the entry and its module are' }),
  status: EntryStatus,
  last_refreshed_at: LastRefreshedAt,
  age_seconds: Nullable(
    Type.Integer({ minimum: 0 }),
    'Since it was last read with success, by the clock of the database; null: it never was',
  ),
  is_too_old: Type.Boolean({ description: 'Its age is over `guard_stale_max_hours`' }),
  last_error: LastError,
  prefix_count: PrefixCount,
  retained: Nullable(
    PrefixCount,
    'Prefixes of the last good read, which stay although the last attempt failed; null: nothing is retained',
  ),
  next_refresh_at: Nullable(Timestamp, 'When its module is due; null: by hand only'),
});
export type Source = Static<typeof Source>;

export const SourceQuery = listQuery({
  status: Type.Optional(
    Type.Array(EntryStatus, { minItems: 1, description: 'One or several: `status=stale&status=failed`' }),
  ),
  type: Type.Optional(Type.Array(SourceType, { minItems: 1, description: 'One or several' })),
  module_id: Type.Optional(Id),
  enabled: Type.Optional(Type.Boolean()),
  has_prefixes: Type.Optional(
    Type.Boolean({
      description:
        'With `status=ok`, false finds what was read and has nothing, such as a domain that does not exist',
    }),
  ),
  q: Type.Optional(SearchText),
  sort: Type.Optional(
    Type.Enum(['last_refreshed_at', '-last_refreshed_at'], {
      default: 'last_refreshed_at',
      description: 'Order of the list: the longest not read first, or last',
    }),
  ),
});
export type SourceQuery = Static<typeof SourceQuery>;
