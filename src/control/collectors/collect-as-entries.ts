import { REJECTS_SHOWN } from '../../api/entries/rejected-lines.ts';
import { FAMILIES, type Family } from '../../core/address.ts';
import { formatAsn } from '../../core/asn.ts';
import type { RowsOfLabel } from '../../core/tables/rows-by-label.ts';
import type { AsnAnswer, AsnSource } from '../../sources/asn/source.ts';
import {
  type AsEntryToCollect,
  listAsEntriesToCollect,
  recordAsOutcomes,
} from '../../store/entries/as-entries.ts';
import type { TenantTx } from '../../store/database/database.ts';
import {
  addList,
  type Collection,
  type EntryLists,
  type EntryOutcome,
  NOTHING_DROPPED,
} from './collect-sources.ts';
import { type CollectRules, type CollectTools, NOTHING_SINCE, type Reading, type Since } from './reading.ts';

/** Begins to read the prefixes of the AS numbers of a module. */
export async function beginAsEntries(
  tx: TenantTx,
  moduleId: string,
  { asnSource }: CollectTools,
): Promise<Reading> {
  return new AsReading(await listAsEntriesToCollect(tx, moduleId), asnSource);
}

class AsReading implements Reading {
  readonly #entries: readonly AsEntryToCollect[];
  readonly #source: AsnSource;
  #asked = '';

  constructor(entries: readonly AsEntryToCollect[], source: AsnSource) {
    this.#entries = entries;
    this.#source = source;
  }

  get count(): number {
    return this.#entries.length;
  }

  collect(
    previous: EntryLists,
    rules: CollectRules,
    progress: (done: number, total: number) => void,
  ): Promise<Collection> {
    this.#asked = questionOf(this.#source, rules.bogons);
    return collectAsEntries(this.#entries, previous, this.#source, rules, progress);
  }

  /** The AS number of an entry never changes. */
  compare(): Promise<Since> {
    return Promise.resolve(NOTHING_SINCE);
  }

  async record(tx: TenantTx, outcomes: readonly EntryOutcome[]): Promise<void> {
    await recordAsOutcomes(tx, outcomes, this.#asked);
  }
}

/** The question behind the answers of a source: when it changes, what was answered before says nothing. */
function questionOf(source: AsnSource, bogons: 'drop' | 'allow'): string {
  return `${source.name} bogons ${bogons}`;
}

/**
 * Asks the source for the prefixes of every AS. One that fails, or that announces nothing any more, contributes what
 * `previous`, the module's last snapshot, holds of it.
 * @throws the signal's reason when it aborts
 */
async function collectAsEntries(
  entries: readonly AsEntryToCollect[],
  previous: EntryLists,
  source: AsnSource,
  { bogons, mayBeEmpty, signal }: CollectRules,
  progress: (done: number, total: number) => void,
): Promise<Collection> {
  const asked = questionOf(source, bogons);
  const byAsn = new Map(entries.map((entry) => [entry.asn, entry]));
  const lists = new Map<string, RowsOfLabel>();
  const outcomes = new Map<string, EntryOutcome>();
  const questions = entries.map((entry) => ({ asn: entry.asn, ...validatorsOf(entry, previous, asked) }));
  const onAnswer = (asn: number, answer: AsnAnswer): void => {
    const entry = byAsn.get(asn)!;
    outcomes.set(entry.id, settle(entry, answer, { held: previous.get(entry.id), mayBeEmpty }, lists));
    progress(outcomes.size, entries.length);
  };
  await source.ask(questions, { bogons, signal, onAnswer });
  return { lists, outcomes: entries.map(({ id }) => outcomes.get(id)!) };
}

/** "Nothing changed" is an answer only to the same question, and only while what was answered then is still held. */
function validatorsOf(
  { id, status, asked, prefixCount, etag, lastModified }: AsEntryToCollect,
  kept: EntryLists,
  question: string,
): { etag: string | null; lastModified: string | null } {
  const wasNothing = status === 'ok' && FAMILIES.every((family) => prefixCount[family] === 0);
  const isHeld = asked === question && (kept.has(id) || wasNothing);
  return isHeld ? { etag, lastModified } : { etag: null, lastModified: null };
}

/** Puts the entry's prefixes among the lists, and says what became of the entry. */
function settle(
  { id, questionVersion, asn, etag, lastModified }: AsEntryToCollect,
  answer: AsnAnswer,
  { held, mayBeEmpty }: { readonly held: RowsOfLabel | undefined; readonly mayBeEmpty: boolean },
  lists: Map<string, RowsOfLabel>,
): EntryOutcome {
  const unread = { id, questionVersion, modified: false, ...NOTHING_DROPPED, etag, lastModified };
  const keep = (): Record<Family, number> => addList(held, id, lists);
  if (answer.kind === 'unchanged') return { ...unread, status: 'ok', error: null, prefixCount: keep() };
  if (answer.kind === 'failed') {
    const error = `${answer.error.code}: ${answer.error.message}`;
    return { ...unread, status: held === undefined ? 'failed' : 'stale', error, prefixCount: keep() };
  }
  const { prefixes, bogons } = answer;
  const rejects = prefixes.rejects.slice(0, REJECTS_SHOWN);
  const counted = { rejected: prefixes.rejectedCount, rejects, bogons: bogons.count };
  if (!mayBeEmpty && held !== undefined && FAMILIES.every((family) => prefixes[family].size === 0)) {
    const error = `empty_result: ${formatAsn(asn)} has no prefix any more, so its last good ones stay. Disable or delete the entry to withdraw them, or set can_be_empty of the module.`;
    return { ...unread, ...counted, status: 'stale', error, prefixCount: keep() };
  }
  return {
    ...{ id, questionVersion, status: 'ok', error: null, modified: true, ...counted },
    prefixCount: addList(prefixes, id, lists),
    etag: answer.etag,
    lastModified: answer.lastModified,
  };
}
