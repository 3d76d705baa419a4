import type { Family } from '../core/address.ts';
import { FAMILIES } from '../core/address.ts';
import type { CollectedPrefixes } from '../core/prefix-text.ts';
import { PrefixTableBuilder, rowsWithLabel, type PrefixTable } from '../core/prefix-table.ts';
import { collectCdn, type CdnRequest } from '../sources/cdn.ts';
import { SourceError, type FetchOptions } from '../sources/fetch.ts';

/** Sources of one module that are fetched side by side. */
const CONCURRENT_SOURCES = 4;

/** A source to read, with what the last good answer said about itself. */
export interface SourceToCollect extends CdnRequest {
  readonly id: string;
  /** Of the source as an operator changed it last. */
  readonly version: number;
}

/** What became of one entry. `failed` means that it never contributed anything; `stale`, that its last good prefixes stay. */
export interface EntryOutcome {
  readonly id: string;
  readonly version: number;
  readonly status: 'ok' | 'stale' | 'failed';
  readonly error: string | null;
  /** False when the source said that nothing changed since the last good answer. */
  readonly modified: boolean;
  readonly prefixCount: Readonly<Record<Family, number>>;
  readonly rejected: number;
  readonly bogons: number;
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** A module as it was read: the table is labelled with entry ids. */
export interface Collection {
  readonly table: PrefixTable;
  readonly outcomes: readonly EntryOutcome[];
}

export type CollectOptions = FetchOptions & { readonly bogons: 'drop' | 'allow' };

/**
 * Reads every source. A source that fails in any way contributes what `previous`, the module's last snapshot, holds of it.
 * @throws the signal's reason when it aborts
 */
export async function collectSources(
  sources: readonly SourceToCollect[],
  previous: PrefixTable | null,
  options: CollectOptions,
  progress: (done: number, total: number) => void,
): Promise<Collection> {
  const builder = new PrefixTableBuilder();
  const outcomes = new Map<string, EntryOutcome>();
  const waiting = [...sources];
  const collectNext = async (): Promise<void> => {
    for (let source = waiting.shift(); source !== undefined; source = waiting.shift()) {
      outcomes.set(source.id, await collectSource(source, previous, options, builder));
      progress(outcomes.size, sources.length);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_SOURCES }, collectNext));
  return { table: builder.build(), outcomes: sources.map((source) => outcomes.get(source.id)!) };
}

async function collectSource(
  source: SourceToCollect,
  previous: PrefixTable | null,
  options: CollectOptions,
  builder: PrefixTableBuilder,
): Promise<EntryOutcome> {
  try {
    const answer = await collectCdn(conditional(source, previous), options);
    if (answer.notModified) {
      const prefixCount = keepPrevious(previous, source.id, builder);
      return { ...unchanged(source), status: 'ok', error: null, modified: false, prefixCount };
    }
    return {
      id: source.id,
      version: source.version,
      status: 'ok',
      error: null,
      modified: true,
      prefixCount: addCollected(answer.prefixes, source.id, builder),
      rejected: answer.prefixes.rejectedCount,
      bogons: answer.bogons.count,
      etag: answer.etag,
      lastModified: answer.lastModified,
    };
  } catch (error) {
    options.signal?.throwIfAborted();
    if (!(error instanceof SourceError)) throw error;
    const prefixCount = keepPrevious(previous, source.id, builder);
    const told = `${error.code}: ${error.message}`;
    return {
      ...unchanged(source),
      status: staleOrFailed(prefixCount),
      error: told,
      modified: false,
      prefixCount,
    };
  }
}

/** "Nothing changed" is no answer to who has nothing to keep, such as after the source was disabled for a while. */
function conditional(source: SourceToCollect, previous: PrefixTable | null): SourceToCollect {
  const isKept = previous?.labelSets.some((labels) => labels.includes(source.id)) === true;
  return isKept ? source : { ...source, etag: null, lastModified: null };
}

function unchanged({
  id,
  version,
  etag,
  lastModified,
}: SourceToCollect): Pick<EntryOutcome, 'id' | 'version' | 'rejected' | 'bogons' | 'etag' | 'lastModified'> {
  return { id, version, rejected: 0, bogons: 0, etag, lastModified };
}

function staleOrFailed(kept: Readonly<Record<Family, number>>): 'stale' | 'failed' {
  return FAMILIES.some((family) => kept[family] > 0) ? 'stale' : 'failed';
}

/**
 * The collection as if it had begun after `current` was collected by another refresh of the module: only what it has read anew takes
 * the place of what `current` holds.
 */
export function rebase({ table, outcomes }: Collection, current: PrefixTable): Collection {
  const builder = new PrefixTableBuilder();
  const readAnew = new Set(outcomes.filter(({ modified }) => modified).map(({ id }) => id));
  for (const id of readAnew) keepPrevious(table, id, builder);
  const counts = new Map<string, Record<Family, number>>();
  for (const id of new Set(current.labelSets.flat()))
    if (!readAnew.has(id)) counts.set(id, keepPrevious(current, id, builder));
  const rebased = outcomes.map((outcome): EntryOutcome => {
    if (outcome.modified) return outcome;
    const prefixCount = counts.get(outcome.id) ?? { ipv4: 0, ipv6: 0 };
    const status = outcome.status === 'ok' ? 'ok' : staleOrFailed(prefixCount);
    return { ...outcome, status, prefixCount };
  });
  return { table: builder.build(), outcomes: rebased };
}

function addCollected(
  prefixes: CollectedPrefixes,
  id: string,
  builder: PrefixTableBuilder,
): Record<Family, number> {
  for (const family of FAMILIES) builder.addSet(prefixes[family], id);
  return { ipv4: prefixes.ipv4.size, ipv6: prefixes.ipv6.size };
}

function keepPrevious(
  previous: PrefixTable | null,
  id: string,
  builder: PrefixTableBuilder,
): Record<Family, number> {
  const count = { ipv4: 0, ipv6: 0 };
  if (previous === null) return count;
  const kept = rowsWithLabel(previous, id);
  for (const family of FAMILIES) {
    builder.addSet(kept[family], id);
    count[family] = kept[family].size;
  }
  return count;
}
