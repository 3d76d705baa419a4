/**
 * Answers of lookups as JSON text. What a match says beside its prefix is the same for every address, so it is written once and
 * kept as long as the state that it was written from.
 */
import { ENTRY_KINDS } from '../../api/entries/entry-kinds.ts';
import type {
  Coverage,
  Lookup,
  LookupAnnounced,
  LookupMatch,
  NotAnnounced,
} from '../../api/lookup/lookup.ts';
import type { LookupEntry, LookupModule, LookupRange } from '../../store/lookup/lookup.ts';
import type { Frame, LiveRoutes, LookupState } from './lookup-state.ts';

const PREFIX = '"prefix":"';

/** Quotation marks inside of strings are escaped, so the first key of this name is the key. */
function frameOf(value: LookupMatch | LookupAnnounced): Frame {
  const text = JSON.stringify({ ...value, prefix: '' });
  const at = text.indexOf(`${PREFIX}"`) + PREFIX.length;
  return { head: text.slice(0, at), tail: text.slice(at) };
}

/** Nothing in the text of a prefix needs escaping. */
export function fill({ head, tail }: Frame, prefix: string): string {
  return head + prefix + tail;
}

/** What is said of a prefix alone. */
interface OfPrefix {
  readonly coverage: Coverage;
  readonly hasMore: boolean;
}

/** The whole answer; `matches` and `announced` are JSON already. */
export function answerText(
  { query, kind, normalized }: Pick<Lookup, 'query' | 'kind' | 'normalized'>,
  matches: readonly string[],
  announced: readonly string[],
  notAnnounced: readonly NotAnnounced[],
  ofPrefix: OfPrefix | null = null,
): string {
  const reasons = notAnnounced.length === 0 ? '[]' : JSON.stringify(notAnnounced);
  return `{"query":${JSON.stringify(query)},"kind":"${kind}","normalized":"${normalized}","matches":[${matches.join(',')}],"announced":[${announced.join(',')}],"not_announced":${reasons}${ofPrefix === null ? '' : `,"coverage":${JSON.stringify(ofPrefix.coverage)},"has_more":${ofPrefix.hasMore}`}}`;
}

/** As a match names its communities. */
export function carried(
  communities: LookupMatch['communities'],
): Pick<LookupMatch, 'community' | 'communities'> {
  return { community: communities[0] ?? null, communities };
}

/** A range that is an entry and around the address, as a match. */
export function rangeText({ communitiesOf }: LookupState, module: LookupModule, range: LookupRange): string {
  return JSON.stringify({
    layer: 'entry',
    module: moduleReference(module),
    entry: { id: range.id, type: 'ip_range_entry', value: range.cidr, expires_at: range.expires_at },
    prefix: range.cidr,
    source: 'ip_range',
    collected_at: null,
    ...carried(communitiesOf(module, range)),
  } satisfies LookupMatch);
}

/** What was collected from the entry, as a match. */
export function collectedFrame(
  { communitiesOf }: LookupState,
  module: LookupModule,
  entry: LookupEntry,
): Frame {
  const { entry: type, source } = ENTRY_KINDS[module.type];
  return frameOf({
    layer: 'snapshot',
    module: moduleReference(module),
    entry: { id: entry.id, type, value: entry.value, expires_at: entry.expires_at },
    prefix: '',
    source,
    collected_at: entry.last_refreshed_at ?? module.collected_at,
    ...carried(communitiesOf(module, entry)),
  });
}

/** A route with these labels, as it is announced. */
export function announcedFrame({ revision }: LiveRoutes, labels: readonly string[]): Frame {
  return frameOf({
    revision_id: revision.id,
    prefix: '',
    communities: revision.communities
      .filter(({ community }) => labels.includes(community))
      .map(({ prefix_count: _, ...community }) => community),
    speaker_ids: [...revision.speaker_ids],
  });
}

export function moduleReference({ id, name, type }: LookupModule): LookupMatch['module'] {
  return { id, name, type };
}
