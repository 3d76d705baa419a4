/**
 * The kinds of entries, by the type of the modules that hold them. What is called after a kind anywhere is called so here: in lookups,
 * the audit log, answers, commands and the database. What the service does with each kind is in control/entries/kinds.ts.
 */
interface EntryKindFacts {
  /** As lookups and the audit log call one entry. The table of the entries has this name. */
  readonly entry: string;
  /** As lookups call where a prefix comes from. */
  readonly source: string;
  /** As sentences call one, and many. */
  readonly noun: string;
  readonly plural: string;
  /** Where the entries are, below their module. */
  readonly path: string;
  /** The group of operations in the API description, and what it is about. */
  readonly tag: string;
  readonly about: string;
  /** The field that is unique in a module. */
  readonly key: string;
  /** An entry keeps its key for life. */
  readonly isKeyFixed?: true;
  /** The list of the catalog that has them; null: none. */
  readonly catalog: string | null;
  /** Whether entries are read from somewhere. */
  readonly isCollected: boolean;
  /** Whether modules of this type ask resolvers. */
  readonly isResolved: boolean;
  /** What operators write of one, beside the key and what entries of every kind have. */
  readonly members: Readonly<Record<string, EntryMember>>;
}

/** A member of entries of some kinds. The command line and the console make options and fields of it. */
export interface EntryMember {
  /** How help calls its value, and what it says of it. */
  readonly value: string;
  readonly about: string;
  readonly choices?: readonly string[];
  readonly isList?: true;
  readonly isRequired?: true;
  /** What an entry has that says nothing of its own, as files of entries write it; absent: nothing. */
  readonly whenEmpty?: string;
  /** Whoever lists entries sees it. */
  readonly isShown?: true;
}

const note = { value: 'TEXT', about: 'for people' };
const url = { value: 'URL', about: 'of a source', isRequired: true } as const;

export const ENTRY_KINDS = {
  CDN_SOURCES: {
    entry: 'cdn_source',
    source: 'cdn',
    noun: 'CDN source',
    plural: 'CDN sources',
    path: 'cdn-sources',
    tag: 'CDN sources',
    about: 'Lists of prefixes behind URLs.',
    key: 'name',
    catalog: null,
    isCollected: true,
    isResolved: false,
    members: {
      url: { ...url, isShown: true },
      format: {
        value: 'FORMAT',
        about: 'of a source',
        choices: ['auto', 'text', 'json', 'csv'],
        whenEmpty: 'auto',
      },
      json_path: { value: 'PATH', about: 'to the prefixes in a source (RFC 9535)' },
      csv_column: { value: 'COLUMN', about: 'of the prefixes in a source' },
    },
  },
  AS_PREFIXES: {
    entry: 'as_entry',
    source: 'as',
    noun: 'AS entry',
    plural: 'AS numbers',
    path: 'as-entries',
    tag: 'AS entries',
    about: 'AS numbers, whose announced prefixes are collected.',
    key: 'asn',
    isKeyFixed: true,
    catalog: 'as_entries',
    isCollected: true,
    isResolved: false,
    members: { note },
  },
  DOMAINS: {
    entry: 'domain_entry',
    source: 'domain',
    noun: 'domain entry',
    plural: 'domains',
    path: 'domain-entries',
    tag: 'domain entries',
    about: 'Domain names, whose addresses are collected over HTTPS.',
    key: 'domain',
    isKeyFixed: true,
    catalog: 'domain_entries',
    isCollected: true,
    isResolved: true,
    members: { note },
  },
  IP_RANGES: {
    entry: 'ip_range_entry',
    source: 'ip_range',
    noun: 'IP range entry',
    plural: 'ranges',
    path: 'ip-range-entries',
    tag: 'IP range entries',
    about: 'Prefixes that are written down as they are.',
    key: 'cidr',
    catalog: 'ip_range_entries',
    isCollected: false,
    isResolved: false,
    members: { note },
  },
  GEOFEED: {
    entry: 'geofeed_entry',
    source: 'geofeed',
    noun: 'geofeed entry',
    plural: 'geofeeds',
    path: 'geofeed-entries',
    tag: 'geofeeds',
    about: 'Prefixes of countries and regions from feeds that operators publish (RFC 8805).',
    key: 'name',
    catalog: 'geofeed_entries',
    isCollected: true,
    isResolved: false,
    members: {
      url,
      countries: {
        value: 'CODES',
        about: 'of a geofeed, with commas',
        isList: true,
        isRequired: true,
        isShown: true,
      },
      regions: {
        value: 'CODES',
        about: 'of a geofeed, with commas: of these countries, only they',
        isList: true,
      },
    },
  },
} as const satisfies Readonly<Record<string, EntryKindFacts>>;

export type ModuleType = keyof typeof ENTRY_KINDS;
type Names = (typeof ENTRY_KINDS)[ModuleType];
export type EntryType = Names['entry'];
export type EntrySource = Names['source'];

export const MODULE_TYPES = Object.keys(ENTRY_KINDS) as ModuleType[];
export const ENTRY_TYPES: EntryType[] = Object.values(ENTRY_KINDS).map(({ entry }) => entry);
export const ENTRY_SOURCES: EntrySource[] = Object.values(ENTRY_KINDS).map(({ source }) => source);

/** Columns of files that entries of every kind have. */
const COMMON_COLUMNS: Readonly<Record<string, string>> = { enabled: 'true', community: '', expires_at: '' };

/** Columns that a file of entries may lack, by the column of keys that it has, and what they then are, as an export writes it. */
export function optionalColumns(key: string): Readonly<Record<string, string>> {
  const kinds: readonly EntryKindFacts[] = Object.values(ENTRY_KINDS).filter((kind) => kind.key === key);
  const members = kinds.flatMap((kind) => Object.entries(kind.members));
  const optional = members.filter(([, { isRequired }]) => isRequired !== true);
  return {
    ...Object.fromEntries(optional.map(([name, { whenEmpty = '' }]) => [name, whenEmpty])),
    ...COMMON_COLUMNS,
  };
}

/** Columns of keys, of which each file has one. */
export const ENTRY_KEYS = [...new Set(Object.values(ENTRY_KINDS).map(({ key }) => key))];
export type EntryKey = Names['key'];

/** As sentences call one entry of the type. */
export const ENTRY_NOUNS = Object.fromEntries(
  Object.values(ENTRY_KINDS).map(({ entry, noun }) => [entry, noun]),
) as Readonly<Record<EntryType, string>>;

type Collected = Extract<Names, { readonly isCollected: true }>;
/** Of entries that are read from somewhere. */
export type CollectedType = Collected['entry'];
export const COLLECTED_TYPES: CollectedType[] = Object.values(ENTRY_KINDS)
  .filter((kind): kind is Collected => kind.isCollected)
  .map(({ entry }) => entry);

export function isCollected(type: EntryType): type is CollectedType {
  return (COLLECTED_TYPES as readonly EntryType[]).includes(type);
}
