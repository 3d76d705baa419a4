import { randomBytes, randomInt } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';

/** Half of what the counter in an id can hold: the other half is for following ids. */
const SEQUENCES = 2 ** 31;

/**
 * New ids in ascending order (RFC 9562 section 6.2, method 1), with randomness for all of them at once: generated one by one, they would
 * take longer than everything else for an entry.
 * @param first start of their counter, for ids that follow others
 */
export function newEntryIds(count: number, first = randomInt(SEQUENCES)): string[] {
  const random = randomBytes(count * 16);
  const msecs = Date.now();
  return Array.from({ length: count }, (_, index) =>
    uuidv7({ random: random.subarray(index * 16, index * 16 + 16), msecs, seq: first + index }),
  );
}
