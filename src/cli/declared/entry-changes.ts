/** What a plan does to the entries of a module, and by which imports. */
import type { Schemas } from '#client';
import type { ImportMode } from '../../api/entries/entry-csv.ts';
import { NOUNS } from '../nouns/nouns.ts';
import type { Session } from '../session/run-remote.ts';
import {
  changesNothing,
  changingImports,
  compareEntries,
  endingRows,
  lastingRows,
  withAllColumns,
  type CellChange,
  type ComparedEntries,
  type EntryDifference,
} from './entry-rows.ts';
import { digestOf, type OwnRecord } from './ownership.ts';
import type { EntriesFile } from './read-set.ts';

/** A file that the service imports. */
export interface EntriesImport {
  readonly mode: ImportMode;
  readonly text: string;
}

export interface EntriesChange extends EntryDifference {
  readonly file: string;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly deleted: number;
  /** Somebody has changed entries since the set was applied last. */
  readonly byHand: boolean;
}

/** A module's entries beside its file. */
export interface EntriesState {
  /** As the service exports them. */
  readonly live: string;
  readonly compared: ComparedEntries;
  /** None: nothing changes for certain. */
  readonly imports: readonly EntriesImport[];
  readonly byHand: boolean;
}

export async function readEntries({ client }: Session, moduleId: string): Promise<string> {
  const headers = { accept: 'text/csv' };
  return (await client.request('GET', `${NOUNS.module.path}/${moduleId}/entries.csv`, { headers })).text();
}

/** @param own what the set has applied; undefined: nothing of this module */
export function stateOfEntries(
  live: string,
  { text: file }: EntriesFile,
  own: OwnRecord | undefined,
): EntriesState {
  const text = withAllColumns(file, live);
  const compared = compareEntries(live, text);
  const imports = changesNothing(compared) ? [] : importsOf(text, compared);
  return { live, compared, imports, byHand: isByHand(live, own) };
}

/** What the set keeps of the entries of a module, of a record the last members. */
export type EntriesRecord = readonly [entries: string, ending: string] | readonly [entries: string];

/** Rows that end by themselves of which each is kept. */
const ENDING = 100;
const SEPARATOR = ' ';

/** Those that end by themselves are kept one by one: they are gone by then, and nobody's hand has done it. */
export function recordOfEntries(live: string): EntriesRecord {
  const lasting = digestOf(lastingRows(live));
  const ending = endingRows(live);
  if (ending.length > ENDING) return [lasting];
  return [lasting, ending.map(writeEnding).sort().join(SEPARATOR)];
}

function writeEnding({ row, end }: { readonly row: string; readonly end: number }): string {
  return `${end.toString(36)}.${digestOf(row)}`;
}

/** Whether somebody has changed entries since. What was added for a while is shown as that. */
function isByHand(live: string, own: OwnRecord | undefined, now = Date.now()): boolean {
  const [, , , , lasting = '', ending = ''] = own ?? [];
  if (lasting !== '' && lasting !== digestOf(lastingRows(live))) return true;
  const present = new Set(endingRows(live).map(writeEnding));
  return ending
    .split(SEPARATOR)
    .some((one) => one !== '' && Number.parseInt(one, 36) > now && !present.has(one));
}

/** Only what differs is sent where that is certain: a long list is neither read nor written again for a few entries. */
function importsOf(text: string, compared: ComparedEntries): EntriesImport[] {
  if (!compared.isCertain) return [{ mode: 'replace', text }];
  const { remove, append } = changingImports(text, compared);
  return [
    ...(remove === null ? [] : [{ mode: 'remove', text: remove } as const]),
    ...(append === null ? [] : [{ mode: 'append', text: append } as const]),
  ];
}

/**
 * @param counts of what the service has tried, one for each import; empty: it has tried nothing
 * @returns null: nothing changes
 */
export function entriesChangeOf(
  { shown }: EntriesFile,
  state: EntriesState | undefined,
  counts: readonly Schemas['EntryImport'][],
): EntriesChange | null {
  const none = {
    ...{ added: [], removed: [], changed: [], ending: new Map<string, string>() },
    differences: new Map<string, readonly CellChange[]>(),
    ...{ unchanged: 0, isCertain: false },
  };
  const { added, removed, changed, differences, ending, unchanged, isCertain } = state?.compared ?? none;
  const isTried = counts.length > 0;
  if (!isTried && !isCertain) return null;
  const sum = (of: (one: Schemas['EntryImport']) => number): number =>
    counts.reduce((total, one) => total + of(one), 0);
  const change = {
    created: isTried ? sum((one) => one.created) : added.length,
    updated: isTried ? sum((one) => one.updated) : changed.length,
    unchanged: isCertain ? unchanged : sum((one) => one.unchanged),
    deleted: isTried ? sum((one) => one.deleted) : removed.length,
  };
  if (change.created + change.updated + change.deleted === 0) return null;
  const difference = { added, removed, changed, differences, ending };
  return { file: shown, ...change, ...difference, byHand: state?.byHand ?? false };
}
