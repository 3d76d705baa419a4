import type { ReactNode } from 'react';
import { text } from '../../strings/english.ts';
import { chainText } from '../../strings/lookup.ts';

/** Of a short prefix, a list may have a hundred entries and a revision as many routes. */
export const SHOWN = 8;

/** How many are not shown; an answer itself may not have all of them. */
export function Rest({ count, isMore }: { readonly count: number; readonly isMore: boolean }) {
  return count <= 0 ? null : <p className="muted">{chainText.rest(count, isMore)}</p>;
}

/** A link of the chain. */
export function Step({ name, children }: { name: string; children: ReactNode }) {
  const isEmpty = Array.isArray(children) && children.flat().every((child) => child === false);
  return (
    <li className={isEmpty ? 'is-missing' : ''}>
      <h3>{name}</h3>
      {isEmpty ? <p className="muted">{text.none}</p> : children}
    </li>
  );
}

/** The last one of each key. */
export function unique<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}
