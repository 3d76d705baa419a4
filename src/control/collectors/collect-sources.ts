import { REJECTS_SHOWN } from '../../api/entries/rejected-lines.ts';
import type { Family } from '../../core/address.ts';
import { FAMILIES } from '../../core/address.ts';
import type { RowsOfLabel } from '../../core/tables/rows-by-label.ts';
import type { Reject } from '../../core/text/prefix-text.ts';
import { collectCdn, type CdnRequest } from '../../sources/lists/cdn.ts';
import { SourceError, type FetchOptions } from '../../sources/fetch/fetch.ts';
import { refuseNonsense } from './rejected-lines.ts';

/** Sources of one module that are fetched side by side. */
const CONCURRENT_SOURCES = 4;

/** What an outcome says of lines where none were read. */
export const NOTHING_DROPPED = { rejected: 0, rejects: [], bogons: 0 } as const;

/** A source to read, with what the last good answer said about itself. */
export interface SourceToCollect extends CdnRequest {
  readonly id: string;
  /** Of the source as an operator changed it last. */
  readonly questionVersion: number;
  /** Why the headers of the request are not known; null: they are. */
  readonly headersFault: string | null;
}

/** What became of one entry. `failed` means that it never contributed anything; `stale`, that its last good prefixes stay. */
export interface EntryOutcome {
  readonly id: string;
  readonly questionVersion: number;
  readonly status: 'ok' | 'stale' | 'failed';
  readonly error: string | null;
  /** False when the source said that nothing changed since the last good answer. */
  readonly modified: boolean;
  readonly prefixCount: Readonly<Record<Family, number>>;
  readonly rejected: number;
  /** The first lines of the list that cannot be read. */
  readonly rejects: readonly Reject[];
  readonly bogons: number;
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** RFC 3339: the answer has nothing any more, and what it contributes of earlier ones leaves from then on. Absent: that is not so. */
  readonly leavesAt?: string;
}

/** What each entry of a module contributes, by its id. */
export type EntryLists = ReadonlyMap<string, RowsOfLabel>;

/** A module as it was read. */
export interface Collection {
  readonly lists: EntryLists;
  readonly outcomes: readonly EntryOutcome[];
}

export type CollectOptions = FetchOptions & {
  readonly bogons: 'drop' | 'allow';
  /** Takes a list without prefixes as it is, instead of keeping the last good ones. */
  readonly mayBeEmpty?: boolean;
  /** Share of the lines of a list that may be unreadable. */
  readonly maxRejectedPercent: number;
};

/**
 * Reads every source. A source that fails in any way contributes what `previous`, the module's last snapshot, holds of it.
 * @throws the signal's reason when it aborts
 */
export async function collectSources(
  sources: readonly SourceToCollect[],
  previous: EntryLists,
  options: CollectOptions,
  progress: (done: number, total: number) => void,
): Promise<Collection> {
  const lists = new Map<string, RowsOfLabel>();
  const outcomes = new Map<string, EntryOutcome>();
  const waiting = [...sources];
  const collectNext = async (): Promise<void> => {
    for (let source = waiting.shift(); source !== undefined; source = waiting.shift()) {
      outcomes.set(source.id, await collectSource(source, previous, options, lists));
      progress(outcomes.size, sources.length);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_SOURCES }, collectNext));
  return { lists, outcomes: sources.map((source) => outcomes.get(source.id)!) };
}

async function collectSource(
  source: SourceToCollect,
  previous: EntryLists,
  options: CollectOptions,
  lists: Map<string, RowsOfLabel>,
): Promise<EntryOutcome> {
  try {
    if (source.headersFault !== null) throw new SourceError('source_bad_headers', source.headersFault);
    const answer = await collectCdn(conditional(source, previous), options);
    if (answer.notModified) {
      const prefixCount = addList(previous.get(source.id), source.id, lists);
      return { ...unchanged(source), status: 'ok', error: null, modified: false, prefixCount };
    }
    refuseNonsense(source, answer.prefixes, options.maxRejectedPercent);
    return {
      id: source.id,
      questionVersion: source.questionVersion,
      status: 'ok',
      error: null,
      modified: true,
      prefixCount: addList(answer.prefixes, source.id, lists),
      rejected: answer.prefixes.rejectedCount,
      rejects: answer.prefixes.rejects.slice(0, REJECTS_SHOWN),
      bogons: answer.bogons.count,
      etag: answer.etag,
      lastModified: answer.lastModified,
    };
  } catch (error) {
    options.signal?.throwIfAborted();
    if (!(error instanceof SourceError)) throw error;
    const isEmpty = error.code === 'source_empty';
    if (isEmpty && options.mayBeEmpty === true) return emptied(source);
    const prefixCount = addList(previous.get(source.id), source.id, lists);
    const reason = `${error.code}: ${error.message}`;
    const isKept = isEmpty && staleOrFailed(prefixCount) === 'stale';
    const shown = isKept ? `empty_result: the last good prefixes stay. ${reason}` : reason;
    return {
      ...unchanged(source),
      status: staleOrFailed(prefixCount),
      error: shown,
      modified: false,
      prefixCount,
    };
  }
}

/** Its prefixes are removed. The validators are dropped, so that the next answer is read in full. */
function emptied({ id, questionVersion }: SourceToCollect): EntryOutcome {
  const prefixCount = { ipv4: 0, ipv6: 0 };
  const read = { status: 'ok', error: null, modified: true, prefixCount, ...NOTHING_DROPPED } as const;
  return { id, questionVersion, ...read, etag: null, lastModified: null };
}

/** "Nothing changed" is no answer to who has nothing to keep, such as after the source was disabled for a while. */
function conditional(source: SourceToCollect, previous: EntryLists): SourceToCollect {
  return previous.has(source.id) ? source : { ...source, etag: null, lastModified: null };
}

function unchanged({
  id,
  questionVersion,
  etag,
  lastModified,
}: SourceToCollect): Pick<
  EntryOutcome,
  'id' | 'questionVersion' | 'rejected' | 'rejects' | 'bogons' | 'etag' | 'lastModified'
> {
  return { id, questionVersion, ...NOTHING_DROPPED, etag, lastModified };
}

function staleOrFailed(kept: Readonly<Record<Family, number>>): 'stale' | 'failed' {
  return isSome(kept) ? 'stale' : 'failed';
}

function isSome(count: Readonly<Record<Family, number>>): boolean {
  return FAMILIES.some((family) => count[family] > 0);
}

/**
 * The collection as if it had begun after `current` was collected by another refresh of the module: only what it has read again takes
 * the place of what `current` holds.
 */
export function rebase({ lists, outcomes }: Collection, current: EntryLists): Collection {
  const rebased = new Map(current);
  for (const { id, modified } of outcomes) {
    if (!modified) continue;
    rebased.delete(id);
    addList(lists.get(id), id, rebased);
  }
  return {
    lists: rebased,
    outcomes: outcomes.map((outcome): EntryOutcome => {
      if (outcome.modified) return outcome;
      const prefixCount = countOf(current.get(outcome.id));
      if (outcome.status !== 'ok') return { ...outcome, status: staleOrFailed(prefixCount), prefixCount };
      // "Nothing changed" was said of prefixes that are not held any more: they must be requested again.
      if (isSome(outcome.prefixCount) && !isSome(prefixCount))
        return { ...outcome, modified: true, prefixCount, etag: null, lastModified: null };
      return { ...outcome, prefixCount };
    }),
  };
}

/** Puts what the entry contributes, if anything, among the lists. @returns how many prefixes that is */
export function addList(
  rows: RowsOfLabel | undefined,
  id: string,
  lists: Map<string, RowsOfLabel>,
): Record<Family, number> {
  if (rows !== undefined) lists.set(id, { ipv4: rows.ipv4, ipv6: rows.ipv6 });
  return countOf(rows);
}

function countOf(rows: RowsOfLabel | undefined): Record<Family, number> {
  return { ipv4: rows?.ipv4.size ?? 0, ipv6: rows?.ipv6.size ?? 0 };
}
