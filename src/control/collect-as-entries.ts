import { FAMILIES, type Family } from '../core/address.ts';
import { formatAsn } from '../core/asn.ts';
import { PrefixTableBuilder, type PrefixTable } from '../core/prefix-table.ts';
import { PrefixBuffer } from '../core/prefix-buffer.ts';
import type { PrefixList } from '../core/prefix.ts';
import type { AsnAnswer, AsnSource } from '../sources/asn-source.ts';
import type { AsEntryToCollect } from '../store/as-entries.ts';
import type { Collection, EntryOutcome } from './collect-module.ts';

export interface AsCollectOptions {
  readonly bogons: 'drop' | 'allow';
  readonly signal: AbortSignal;
}

/** What an entry contributes. */
type RowsOfEntry = Readonly<Record<Family, PrefixList>>;

/** The question behind the answers of a source: when it changes, what was answered before says nothing. */
export function questionOf(source: AsnSource, bogons: 'drop' | 'allow'): string {
  return `${source.name} bogons ${bogons}`;
}

/**
 * Asks the source for the prefixes of every AS. One that fails, or that announces nothing any more, contributes what
 * `previous`, the module's last snapshot, holds of it.
 * @throws the signal's reason when it aborts
 */
export async function collectAsEntries(
  entries: readonly AsEntryToCollect[],
  previous: PrefixTable | null,
  source: AsnSource,
  { bogons, signal }: AsCollectOptions,
  progress: (done: number, total: number) => void,
): Promise<Collection> {
  const kept = previous === null ? new Map<string, RowsOfEntry>() : rowsByEntry(previous);
  const asked = questionOf(source, bogons);
  const byAsn = new Map(entries.map((entry) => [entry.asn, entry]));
  const builder = new PrefixTableBuilder();
  const outcomes = new Map<string, EntryOutcome>();
  const questions = entries.map((entry) => ({ asn: entry.asn, ...validatorsOf(entry, kept, asked) }));
  const onAnswer = (asn: number, answer: AsnAnswer): void => {
    const entry = byAsn.get(asn)!;
    outcomes.set(entry.id, settle(entry, answer, kept.get(entry.id), builder));
    progress(outcomes.size, entries.length);
  };
  await source.ask(questions, { bogons, signal, onAnswer });
  return { table: builder.build(), outcomes: entries.map(({ id }) => outcomes.get(id)!) };
}

/** "Nothing changed" is an answer only to the same question, and only while what was answered then is still held. */
function validatorsOf(
  { id, status, asked, prefixCount, etag, lastModified }: AsEntryToCollect,
  kept: ReadonlyMap<string, RowsOfEntry>,
  question: string,
): { etag: string | null; lastModified: string | null } {
  const wasNothing = status === 'ok' && FAMILIES.every((family) => prefixCount[family] === 0);
  const isHeld = asked === question && (kept.has(id) || wasNothing);
  return isHeld ? { etag, lastModified } : { etag: null, lastModified: null };
}

/** Puts the entry's prefixes into the table, and says what became of the entry. */
function settle(
  { id, version, asn, etag, lastModified }: AsEntryToCollect,
  answer: AsnAnswer,
  held: RowsOfEntry | undefined,
  builder: PrefixTableBuilder,
): EntryOutcome {
  const unread = { id, version, modified: false, rejected: 0, bogons: 0, etag, lastModified };
  const keep = (): Record<Family, number> => add(held, id, builder);
  if (answer.kind === 'unchanged') return { ...unread, status: 'ok', error: null, prefixCount: keep() };
  if (answer.kind === 'failed') {
    const error = `${answer.error.code}: ${answer.error.message}`;
    return { ...unread, status: held === undefined ? 'failed' : 'stale', error, prefixCount: keep() };
  }
  const { prefixes, bogons } = answer;
  const counted = { rejected: prefixes.rejectedCount, bogons: bogons.count };
  if (held !== undefined && FAMILIES.every((family) => prefixes[family].size === 0)) {
    const error = `empty_result: ${formatAsn(asn)} has no prefix any more, so its last good ones stay. Disable or delete the entry to withdraw them.`;
    return { ...unread, ...counted, status: 'stale', error, prefixCount: keep() };
  }
  return {
    ...{ id, version, status: 'ok', error: null, modified: true, ...counted },
    prefixCount: add(prefixes, id, builder),
    etag: answer.etag,
    lastModified: answer.lastModified,
  };
}

function add(rows: RowsOfEntry | undefined, id: string, builder: PrefixTableBuilder): Record<Family, number> {
  const count = { ipv4: 0, ipv6: 0 };
  if (rows === undefined) return count;
  for (const family of FAMILIES) {
    builder.addSet(rows[family], id);
    count[family] = rows[family].size;
  }
  return count;
}

/** One pass over the rows: a module may have 10,000 entries. */
function rowsByEntry(table: PrefixTable): ReadonlyMap<string, RowsOfEntry> {
  const byEntry = new Map<string, Record<Family, PrefixBuffer>>();
  for (const id of new Set(table.labelSets.flat()))
    byEntry.set(id, { ipv4: new PrefixBuffer('ipv4'), ipv6: new PrefixBuffer('ipv6') });
  for (const family of FAMILIES) {
    const { size, words, lengths, labels } = table[family];
    const buffersOfSet = table.labelSets.map((set) => set.map((id) => byEntry.get(id)![family]));
    for (let row = 0; row < size; row++) {
      for (const buffer of buffersOfSet[labels[row]!]!) buffer.push(words, row * buffer.width, lengths[row]!);
    }
  }
  return byEntry;
}
