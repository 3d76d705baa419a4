/**
 * The kinds of entries, by the type of the modules that hold them. What is called after a kind anywhere is called so here: in lookups,
 * the audit log, answers and the database. What the service does with each kind is in control/entries/kinds.ts.
 */
interface EntryKindNames {
  /** As lookups and the audit log call one entry. The table of the entries has this name. */
  readonly entry: string;
  /** As lookups call where a prefix comes from. */
  readonly source: string;
  /** As sentences call one, and many. */
  readonly noun: string;
  readonly plural: string;
  /** The field that is unique in a module. */
  readonly key: string;
  /** The list of the catalog that has them; null: none. */
  readonly catalog: string | null;
  /** Whether modules of this type ask resolvers. */
  readonly isResolved: boolean;
}

export const ENTRY_KINDS = {
  CDN_SOURCES: {
    entry: 'cdn_source',
    source: 'cdn',
    noun: 'CDN source',
    plural: 'CDN sources',
    key: 'name',
    catalog: null,
    isResolved: false,
  },
  AS_PREFIXES: {
    entry: 'as_entry',
    source: 'as',
    noun: 'AS entry',
    plural: 'AS numbers',
    key: 'asn',
    catalog: 'as_entries',
    isResolved: false,
  },
  DOMAINS: {
    entry: 'domain_entry',
    source: 'domain',
    noun: 'domain entry',
    plural: 'domains',
    key: 'domain',
    catalog: 'domain_entries',
    isResolved: true,
  },
  IP_RANGES: {
    entry: 'ip_range_entry',
    source: 'ip_range',
    noun: 'IP range entry',
    plural: 'ranges',
    key: 'cidr',
    catalog: 'ip_range_entries',
    isResolved: false,
  },
  GEOFEED: {
    entry: 'geofeed_entry',
    source: 'geofeed',
    noun: 'geofeed entry',
    plural: 'geofeeds',
    key: 'name',
    catalog: 'geofeed_entries',
    isResolved: false,
  },
} as const satisfies Readonly<Record<string, EntryKindNames>>;

export type ModuleType = keyof typeof ENTRY_KINDS;
type Names = (typeof ENTRY_KINDS)[ModuleType];
export type EntryType = Names['entry'];
export type EntrySource = Names['source'];

export const MODULE_TYPES = Object.keys(ENTRY_KINDS) as ModuleType[];
export const ENTRY_TYPES: EntryType[] = Object.values(ENTRY_KINDS).map(({ entry }) => entry);
export const ENTRY_SOURCES: EntrySource[] = Object.values(ENTRY_KINDS).map(({ source }) => source);

/** As sentences call one entry of the type. */
export const ENTRY_NOUNS = Object.fromEntries(
  Object.values(ENTRY_KINDS).map(({ entry, noun }) => [entry, noun]),
) as Readonly<Record<EntryType, string>>;
