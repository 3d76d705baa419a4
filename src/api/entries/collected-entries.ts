/** What entries of all kinds have whose prefixes are read from somewhere. */
import { Type, type Static } from 'typebox';
import { EntryHeld, EntrySort } from './entry-members.ts';
import { Contains } from './many-entries.ts';
import { LastError, LastRefreshedAt, SearchText } from '../shapes/members.ts';
import { PrefixCount, listQuery, oneOrSeveral } from '../shapes/page.ts';

export const EntryStatus = Type.Enum(['pending', 'ok', 'stale', 'failed'], {
  description:
    '`pending`: not read yet; `ok`: read, also where there was nothing (`last_error` says of a domain why); `stale`: the last attempt failed and the last good prefixes stay; `failed`: it has never had any',
});
export type EntryStatus = Static<typeof EntryStatus>;

/** How reading it went; the service writes them. */
export const collectedMembers = {
  last_refreshed_at: LastRefreshedAt,
  status: EntryStatus,
  last_error: LastError,
  held: EntryHeld,
  prefix_count: PrefixCount,
};

/** A list of them. */
export const CollectedQuery = listQuery({
  enabled: Type.Optional(Type.Boolean()),
  status: Type.Optional(oneOrSeveral(EntryStatus)),
  q: Type.Optional(SearchText),
  contains: Type.Optional(Contains),
  sort: EntrySort,
});
