/** Reads single values in batches, so that neither their texts nor their number fill the memory. */
import { FAMILIES } from '../../core/address.ts';
import { PrefixBuffer } from '../../core/prefix-buffer.ts';
import { MAX_REJECTS } from '../../core/text/prefix-collector.ts';
import { type CollectedPrefixes, type Reject, prefixesFromValues } from '../../core/text/prefix-text.ts';

const BATCH = 10_000;

/** Most prefixes of a list; a larger list is rejected as a whole, since a part of it would be a different list. */
export const MAX_PREFIXES = 2 ** 24 - 1;

export class ListTooLongError extends Error {
  override readonly name = 'ListTooLongError';
}

/** @throws ListTooLongError */
export function checkCount({ ipv4, ipv6 }: Pick<CollectedPrefixes, 'ipv4' | 'ipv6'>): void {
  if (ipv4.size + ipv6.size > MAX_PREFIXES) {
    throw new ListTooLongError(
      `The list holds more than ${MAX_PREFIXES} prefixes: use a shorter one, or split it over several sources`,
    );
  }
}

export class ValueList {
  readonly #rows = { ipv4: new PrefixBuffer('ipv4'), ipv6: new PrefixBuffer('ipv6') };
  #accepted = 0;
  #rejectedCount = 0;
  #rejects: Reject[] = [];
  #waiting: { line: number; text: string }[] = [];

  /** Takes the value at `line`. @throws ListTooLongError */
  push(line: number, text: string): void {
    if (this.#waiting.push({ line, text }) === BATCH) this.#read();
  }

  /** Counts a value that was rejected before it was read; only the rejects that are kept are described. */
  refuse(describe: () => Reject): void {
    this.#read();
    this.#addRejects(this.#rejects.length < MAX_REJECTS ? [describe()] : [], 1);
  }

  /** Everything that was found. Nothing may be pushed afterwards. @throws ListTooLongError */
  finish(): CollectedPrefixes {
    this.#read();
    const rows = this.#rows;
    const accepted = this.#accepted;
    const rejectedCount = this.#rejectedCount;
    const rejects = this.#rejects;
    return { ipv4: rows.ipv4.toList(), ipv6: rows.ipv6.toList(), accepted, rejectedCount, rejects };
  }

  #read(): void {
    if (this.#waiting.length === 0) return;
    const found = prefixesFromValues(this.#waiting);
    this.#waiting = [];
    for (const family of FAMILIES) this.#rows[family].pushAll(found[family]);
    this.#accepted += found.accepted;
    this.#addRejects(found.rejects, found.rejectedCount);
    checkCount(this.#rows);
  }

  #addRejects(rejects: readonly Reject[], count: number): void {
    this.#rejectedCount += count;
    this.#rejects.push(...rejects.slice(0, MAX_REJECTS - this.#rejects.length));
  }
}
