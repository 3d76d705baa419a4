/** The part of the oracle that is about what was collected: whether two contents are the same, and what they contribute. */
import type { BigPrefix } from '../oracle/big-prefix.ts';
import type { Input, Share, Snapshot } from './model.ts';
import type { Life } from './life.ts';
import { parsed } from './prefixes.ts';

/** What an enabled entry contributes, with the communities that it carries. */
export interface Contribution {
  readonly communities: readonly string[];
  readonly prefixes: readonly BigPrefix[];
}

/** Whether two snapshots bring the same, without entries that do not count. */
export function isDrawnAlike(one: Share, other: Share): boolean {
  const rowsOf = ({ snapshot, counted }: Share, id: string): string =>
    counted.has(id) ? [...(snapshot.get(id) ?? [])].sort().join() : '';
  const ids = new Set([...one.snapshot.keys(), ...other.snapshot.keys()]);
  return [...ids].every((id) => rowsOf(one, id) === rowsOf(other, id));
}

/** Whether it has no prefix at all. */
export function isEmpty(snapshot: Snapshot): boolean {
  return Array.from(snapshot.values()).every((rows) => rows.length === 0);
}

/** Whether they are the same content. */
export function isSame(one: Snapshot | null, other: Snapshot | null): boolean {
  if (one === null || other === null) return false;
  const text = (snapshot: Snapshot): string =>
    JSON.stringify(Array.from(snapshot, ([id, rows]) => [id, [...rows].sort()]).sort());
  return text(one) === text(other);
}

/** The entries that have prefixes in it and count. */
export function rowsThatCount({ snapshot, counted }: Pick<Input, 'snapshot' | 'counted'>): string[] {
  return [...snapshot].flatMap(([id, rows]) => (rows.length > 0 && counted.has(id) ? [id] : []));
}

/** What a module contributes that is as this says, but for what has left by itself since. */
export function contributionsIn(
  { left }: Pick<Life, 'left'>,
  { snapshot, communities, families }: Pick<Input, 'snapshot' | 'communities' | 'families'>,
): Contribution[] {
  return Array.from(communities, ([id, carried]) => ({
    communities: carried.map(({ value }) => value),
    prefixes: (left.has(id) ? [] : (snapshot.get(id) ?? []))
      .map(parsed)
      .filter(({ family }) => families.includes(family)),
  }));
}
