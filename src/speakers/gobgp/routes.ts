/** The speaker's routes in GoBGP's one table, beside those of others. */
import { FAMILIES, type Family } from '../../core/address.ts';
import { diffTables } from '../../core/tables/diff.ts';
import { emptyTable, type PrefixTable } from '../../core/tables/prefix-table.ts';
import { SpeakerError } from '../speaker.ts';
import { LONG_DEADLINE, type GobgpApi } from './api.ts';
import type { Narrowing } from './narrowing.ts';
import { encodeRoutes, encodeWithdrawals, familyMessage } from './path-encoder.ts';
import { readRoutes } from './path-reader.ts';

/** How long sending may be without progress. */
const STALL_MILLISECONDS = 30_000;

export class RoutesInGobgp {
  readonly #api: GobgpApi;
  readonly #mark: string;

  constructor(api: GobgpApi, mark: string) {
    this.#api = api;
    this.#mark = mark;
  }

  /** Every route of ours in GoBGP, with the communities on the wire as labels. */
  async read(): Promise<PrefixTable> {
    return (await this.count()) === 0 ? emptyTable() : readRoutes(this.#api, this.#mark);
  }

  /**
   * Sends the difference, and has GoBGP count its routes. Others may change routes meanwhile: where the count is not as expected, all are
   * read and what is missing is sent again.
   */
  async bring(before: PrefixTable, after: PrefixTable, signal: AbortSignal): Promise<void> {
    const { announced, withdrawn, changed } = diffTables(before, after);
    if (announced + withdrawn + changed === 0) return;
    const count = await this.count();
    await this.#sendDifference(before, after, signal);
    if ((await this.count()) === count + announced - withdrawn) return;
    await this.#sendDifference(await this.read(), after, signal);
    const rest = diffTables(await this.read(), after);
    if (rest.announced + rest.withdrawn + rest.changed > 0)
      throw new SpeakerError(
        'verification_failed',
        `GoBGP took all routes, and now lacks ${rest.announced} of them, has ${rest.withdrawn} too many and ${rest.changed} with other communities: see its log, and whether something else changes them`,
      );
  }

  /** Marks the routes that peers lose. */
  mark(table: PrefixTable, narrowings: readonly Narrowing[], signal: AbortSignal): Promise<void> {
    return this.#sendAgain(table, narrowings, signal, (family, set) =>
      narrowings.flatMap(({ mark, lost }) => (lost[family][set] === true ? [mark] : [])),
    );
  }

  unmark(table: PrefixTable, narrowings: readonly Narrowing[], signal: AbortSignal): Promise<void> {
    return this.#sendAgain(table, narrowings, signal, () => []);
  }

  /** Sends the routes that some peer loses, with more marks. */
  async #sendAgain(
    table: PrefixTable,
    narrowings: readonly Narrowing[],
    signal: AbortSignal,
    marksOf: (family: Family, set: number) => readonly string[],
  ): Promise<void> {
    for (const family of FAMILIES) {
      const isLost = table.labelSets.map((_, set) => narrowings.some(({ lost }) => lost[family][set]));
      const { labels } = table[family];
      const which = Uint32Array.from(labels.keys()).filter((row) => isLost[labels[row]!]);
      await this.#sendRoutes({ table, family, which }, signal, (set) => marksOf(family, set));
    }
  }

  async #sendDifference(before: PrefixTable, after: PrefixTable, signal: AbortSignal): Promise<void> {
    const diff = diffTables(before, after);
    for (const family of FAMILIES) {
      const { announced, withdrawn, changed } = diff[family];
      // Of each pair, the second is the row after the change.
      const replaced = changed.filter((_, index) => index % 2 === 1);
      for (const which of [announced, replaced])
        await this.#sendRoutes({ table: after, family, which }, signal);
      if (withdrawn.length > 0)
        await this.#send(encodeWithdrawals({ table: before, family, which: withdrawn }), signal);
    }
  }

  async #sendRoutes(
    batch: Parameters<typeof encodeRoutes>[0],
    signal: AbortSignal,
    furtherMarks: (set: number) => readonly string[] = () => [],
  ): Promise<void> {
    if (batch.which.length === 0) return;
    await this.#send(
      encodeRoutes(batch, (set) => [this.#mark, ...furtherMarks(set)]),
      signal,
    );
  }

  #send(requests: Iterable<Buffer>, signal: AbortSignal): Promise<void> {
    return this.#api.send('AddPathStream', requests, STALL_MILLISECONDS, signal);
  }

  /** All routes in GoBGP, ours and others. */
  async count(): Promise<number> {
    let count = 0;
    for (const family of FAMILIES) {
      const request = { family: familyMessage(family) };
      const { numPath } = await this.#api.call<{ numPath: number }>('GetTable', request, LONG_DEADLINE);
      count += numPath;
    }
    return count;
  }
}
