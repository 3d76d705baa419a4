import type { ModuleType } from '../../api/entries/entry-kinds.ts';
import { AS_ENTRIES } from './as-entries.ts';
import { CDN_SOURCES } from './cdn-sources.ts';
import { DOMAIN_ENTRIES } from './domain-entries.ts';
import { GEOFEED } from './geofeed-entries.ts';
import { IP_RANGE_ENTRIES } from './ip-range-entries.ts';
import type { EntryKind } from './kind.ts';

/** The one table of kinds of entries. Whoever does something for all of them asks it, and no type by its name. */
export const KINDS: Readonly<Record<ModuleType, EntryKind>> = {
  CDN_SOURCES,
  AS_PREFIXES: AS_ENTRIES,
  DOMAINS: DOMAIN_ENTRIES,
  IP_RANGES: IP_RANGE_ENTRIES,
  GEOFEED,
};
