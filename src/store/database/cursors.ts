import { createHash } from 'node:crypto';
import { Problem } from '../../api/problems/problem.ts';

const PURPOSE_BYTES = 8;

/** What a refusal calls the list, and what its reader is to keep from page to page. */
export interface CursorWords {
  readonly list: string;
  readonly kept: string;
}

const FILTERED: CursorWords = { list: 'this list with these filters', kept: 'the filters' };

/**
 * The cursors of one list: each carries where a page ended and what it was made for, and is refused everywhere else. Whoever gets one
 * reads nothing in it, so that what a place is may change.
 */
export class Cursors {
  readonly #purpose: Buffer;
  readonly #words: CursorWords;

  /** @param names tenant, list and filters: another list has others */
  constructor(names: readonly unknown[], words: CursorWords = FILTERED) {
    this.#purpose = createHash('sha256').update(JSON.stringify(names)).digest().subarray(0, PURPOSE_BYTES);
    this.#words = words;
  }

  write(place: Uint8Array): string {
    return Buffer.concat([this.#purpose, place]).toString('base64url');
  }

  /**
   * @param length bytes of a place; undefined: any but none
   * @throws {Problem} `invalid_cursor`
   */
  read(cursor: string, length?: number): Buffer {
    const bytes = Buffer.from(cursor, 'base64url');
    const place = bytes.subarray(PURPOSE_BYTES);
    const isOurs =
      bytes.subarray(0, PURPOSE_BYTES).equals(this.#purpose) &&
      (length === undefined ? place.length > 0 : place.length === length) &&
      // Other texts decode to the same bytes.
      bytes.toString('base64url') === cursor;
    if (!isOurs) throw this.refusal();
    return place;
  }

  /** For a place that no page ended at: only a forged cursor has one. */
  refusal(): Problem {
    const { list, kept } = this.#words;
    return new Problem(
      'invalid_cursor',
      `The cursor does not belong to ${list}. Take next_cursor of the page before, and keep ${kept}.`,
    );
  }
}
