/** IP range entries as rows: the one kind of entry that needs no source. */
import type { Family } from '../core/address.ts';
import { parsePrefix } from '../core/prefix.ts';

/** A prefix that the entry `id` contributes; `words` as in core/address.ts. */
export interface IpRangeRow {
  readonly id: string;
  readonly family: Family;
  readonly words: readonly number[];
  readonly length: number;
}

/**
 * The rows of stored entries, in their order.
 *
 * @throws Error when a stored range can't be read, which writes prevent
 */
export function* ipRangeRows(
  ranges: Iterable<{ readonly id: string; readonly cidr: string }>,
): IterableIterator<IpRangeRow> {
  for (const { id, cidr } of ranges) {
    const parsed = parsePrefix(cidr);
    if (!parsed.ok) throw new Error(`The IP range entry ${id} is damaged. ${parsed.reason}`);
    yield { id, ...parsed.value };
  }
}
