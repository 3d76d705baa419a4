import type { Module } from '../../api/lists/modules.ts';
import type { AsnSource } from '../../sources/asn/source.ts';
import type { FetchOptions } from '../../sources/fetch/fetch.ts';
import type { TenantTx } from '../../store/database/database.ts';
import type { SecretBox } from '../../store/secrets.ts';
import type { Collection, EntryLists, EntryOutcome } from './collect-sources.ts';

/** What collecting needs, for every kind of entry. */
export interface CollectTools {
  readonly secrets: SecretBox;
  readonly fetch: Omit<FetchOptions, 'signal'>;
  /** Where AS numbers are resolved. */
  readonly asnSource: AsnSource;
}

export interface CollectRules {
  readonly bogons: 'drop' | 'allow';
  /** Takes an entry without prefixes as it is, instead of keeping the last good ones. */
  readonly mayBeEmpty: boolean;
  /** Share of the lines of a list behind a URL that may be unreadable. */
  readonly maxRejectedPercent: number;
  readonly signal: AbortSignal;
}

/** The enabled entries of a module while one refresh reads them. The steps are called once each, in this order. */
export interface Reading {
  /** Entries to read. */
  readonly count: number;
  /**
   * Reads every entry. One that fails contributes what `previous`, the module's last snapshot, holds of it.
   * @throws the signal's reason when it aborts
   */
  collect(
    previous: EntryLists,
    rules: CollectRules,
    progress: (done: number, total: number) => void,
  ): Promise<Collection>;
  /** What others have done since. Called in the transaction that stores what was collected. @param now the module as it is there */
  compare(tx: TenantTx, now: Module): Promise<Since>;
  /** Writes down what became of these entries. */
  record(tx: TenantTx, outcomes: readonly EntryOutcome[]): Promise<void>;
}

export interface Since {
  /** Takes the place of what was collected, where that would undo what another refresh has seen; null: nothing does. */
  readonly newer: Collection | null;
  /** Ids of entries that ask for another list now. What was read of them is not what they are to hold. */
  readonly edited: ReadonlySet<string>;
}

export const NOTHING_SINCE: Since = { newer: null, edited: new Set() };
