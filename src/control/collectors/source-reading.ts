import type { CdnRequest } from '../../sources/lists/cdn.ts';
import type { TenantTx } from '../../store/database/database.ts';
import type { FetchedTable } from '../../store/database/entry-tables.ts';
import { type EntryToFetch, recordFetchOutcome } from '../../store/entries/fetched-entries.ts';
import { forgetSettings, getSetting } from '../../store/tenants/settings.ts';
import { type Collection, type EntryLists, type EntryOutcome, collectSources } from './collect-sources.ts';
import { type CollectRules, type CollectTools, NOTHING_SINCE, type Reading, type Since } from './reading.ts';

/** An entry with a list behind a URL, and how that list is read. */
type Source = EntryToFetch & CdnRequest;

type ListSources = (tx: TenantTx) => Promise<readonly Source[]>;

/** Begins to read entries whose lists are behind URLs. @param list those of the module that are enabled */
export async function beginSources(
  tx: TenantTx,
  table: FetchedTable,
  list: ListSources,
  { fetch }: CollectTools,
): Promise<Reading> {
  return new SourceReading(table, list, await list(tx), fetch);
}

class SourceReading implements Reading {
  readonly #table: FetchedTable;
  readonly #list: ListSources;
  readonly #sources: readonly Source[];
  readonly #fetch: CollectTools['fetch'];
  #bogons: CollectRules['bogons'] | null = null;

  constructor(
    table: FetchedTable,
    list: ListSources,
    sources: readonly Source[],
    fetch: CollectTools['fetch'],
  ) {
    this.#table = table;
    this.#list = list;
    this.#sources = sources;
    this.#fetch = fetch;
  }

  get count(): number {
    return this.#sources.length;
  }

  collect(
    previous: EntryLists,
    rules: CollectRules,
    progress: (done: number, total: number) => void,
  ): Promise<Collection> {
    this.#bogons = rules.bogons;
    return collectSources(this.#sources, previous, { ...this.#fetch, ...rules }, progress);
  }

  async compare(tx: TenantTx): Promise<Since> {
    if (this.#sources.length === 0) return NOTHING_SINCE;
    const now = new Map((await this.#list(tx)).map((source) => [source.id, source]));
    const isEdited = (source: Source): boolean => {
      const other = now.get(source.id) ?? source;
      return other.version !== source.version && questionOf(other) !== questionOf(source);
    };
    return { newer: null, edited: new Set(this.#sources.filter(isEdited).map(({ id }) => id)) };
  }

  async record(tx: TenantTx, outcomes: readonly EntryOutcome[]): Promise<void> {
    const versions = new Map(this.#sources.map(({ id, version }) => [id, version]));
    const read = outcomes.map((outcome) => ({ ...outcome, version: versions.get(outcome.id)! }));
    for (const outcome of read) await recordFetchOutcome(tx, this.#table, outcome);
    // Who changes the rule has every source forget its validators: from here on they wait for us, and what they changed before is seen.
    forgetSettings(tx);
    if ((await getSetting(tx, 'guard_bogons')) === this.#bogons) return;
    for (const outcome of read)
      await recordFetchOutcome(tx, this.#table, { ...outcome, etag: null, lastModified: null });
  }
}

/** What decides what the source answers, and how that is read. */
function questionOf({
  id: _,
  version: _version,
  questionVersion: _questionVersion,
  etag: _etag,
  lastModified: _modified,
  ...source
}: Source) {
  return JSON.stringify({ ...source, headers: Object.entries(source.headers).sort() });
}
