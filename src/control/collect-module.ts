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
}

/** What became of one entry. `failed` means that it never contributed anything; `stale`, that its last good prefixes stay. */
export interface EntryOutcome {
  readonly id: string;
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
    const answer = await collectCdn(source, options);
    if (answer.notModified) {
      const prefixCount = keepPrevious(previous, source.id, builder);
      return { ...unchanged(source), status: 'ok', error: null, modified: false, prefixCount };
    }
    return {
      id: source.id,
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
    const kept = FAMILIES.some((family) => prefixCount[family] > 0);
    const told = `${error.code}: ${error.message}`;
    return {
      ...unchanged(source),
      status: kept ? 'stale' : 'failed',
      error: told,
      modified: false,
      prefixCount,
    };
  }
}

function unchanged(
  source: SourceToCollect,
): Pick<EntryOutcome, 'id' | 'rejected' | 'bogons' | 'etag' | 'lastModified'> {
  return { id: source.id, rejected: 0, bogons: 0, etag: source.etag, lastModified: source.lastModified };
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
