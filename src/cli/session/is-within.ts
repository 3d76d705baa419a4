/** Routes that a wider one takes in, as where neighbours are merged: their addresses do not leave. */
import { covers } from '../../core/bits.ts';
import { parsePrefix } from '../../core/prefix.ts';

export function isWithin(inside: string, outside: string): boolean {
  const [one, other] = [parsePrefix(inside), parsePrefix(outside)];
  if (!one.ok || !other.ok || one.value.family !== other.value.family) return false;
  const [{ length }, { length: wider }] = [one.value, other.value];
  return wider < length && covers(other.value.words, 0, wider, one.value.words, 0);
}
