/** By the type of the module: where its entries are, what names one, and what else a table shows. Made of what the API says of each kind. */
import { ENTRY_KINDS as KINDS, type EntryMember } from '../../api/entries/entry-kinds.ts';
import { column, wide, type Column, type Field, type Item } from './noun.ts';

export interface EntryKind {
  readonly path: string;
  /** The member that names an entry. */
  readonly key: string;
  readonly columns: readonly Column[];
  /** Options that only entries of some kinds have. */
  readonly options: readonly string[];
  /** Whether entries are read from somewhere. */
  readonly isCollected: boolean;
}

const STATUS = [
  column('STATUS', statusOf),
  column('IPV4', 'prefix_count.ipv4'),
  column('IPV6', 'prefix_count.ipv6'),
  wide('ERROR', 'last_error'),
];

/** What was read, and has nothing, is well as a source, and not what somebody meant. */
function statusOf({ status, last_error: error, prefix_count: count }: Item): unknown {
  if (status !== 'ok') return status;
  if (typeof error === 'string' && error.startsWith('NXDOMAIN')) return 'ok, NXDOMAIN';
  const { ipv4, ipv6 } = count as { readonly ipv4: number; readonly ipv6: number };
  return ipv4 + ipv6 === 0 ? 'ok, empty' : status;
}

export const ENTRY_KINDS: Readonly<Record<string, EntryKind>> = Object.fromEntries(
  Object.entries(KINDS).map(([type, { path, key, isCollected, members }]) => {
    const own: [string, EntryMember][] = Object.entries(members);
    const shown = own.filter(([, { isShown }]) => isShown === true).map(([member]) => titled(member));
    // A note has room where there is no status.
    const note = 'note' in members ? [isCollected ? wide('NOTE', 'note') : column('NOTE', 'note')] : [];
    const columns = [...shown, ...(isCollected ? STATUS : []), ...note];
    return [type, { path, key, columns, isCollected, options: own.map(([member]) => optionOf(member)) }];
  }),
);

/** What entries of some kinds have, by the options that set it. */
export const OWN_FIELDS: Readonly<Record<string, Field>> = Object.fromEntries(
  Object.values(KINDS).flatMap(({ members }) =>
    Object.entries<EntryMember>(members).map(([member, { isList, value, about, choices }]) => {
      const field = { member, kind: isList === true ? 'list' : 'text', value, about } as const;
      return [optionOf(member), choices === undefined ? field : { ...field, choices }];
    }),
  ),
);

/** Of kinds whose lists are behind a URL, which can be read before an entry is made: what says how to read one. */
export const TRIED_KINDS: readonly Pick<EntryKind, 'path' | 'options'>[] = Object.values(ENTRY_KINDS)
  .filter(({ options }) => options.includes('url'))
  .map(({ path, options }) => ({ path, options: options.filter((option) => option !== 'url') }));
export const TRIED_FIELDS: Readonly<Record<string, Field>> = Object.fromEntries(
  TRIED_KINDS.flatMap(({ options }) => options.map((option) => [option, OWN_FIELDS[option]!])),
);

/** Members of entries by the options that set them; each kind takes some of them. */
export const ENTRY_FIELDS: Readonly<Record<string, Field>> = {
  community: {
    member: 'community_ids',
    kind: 'references',
    noun: 'community',
    about: 'of these routes; none: that of the module',
  },
  enabled: { member: 'enabled', kind: 'flag', about: 'whether it counts' },
  expires: { member: 'expires_at', kind: 'text', about: 'when it leaves by itself' },
  ...OWN_FIELDS,
};

function titled(member: string): Column {
  return column(member.toUpperCase().replaceAll('_', ' '), member);
}

function optionOf(member: string): string {
  return member.replaceAll('_', '-');
}
