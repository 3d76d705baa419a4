import type { RefObject } from 'react';
import { useShortcut } from '../../design/behaviour/shortcuts.tsx';
import { text } from '../../strings/english.ts';

interface RowKeysProps {
  readonly table: RefObject<HTMLTableElement | null>;
}

/**
 * `j` and `k` go from row to row, to what the row leads to (`data-opens`, or else its first link): by Tab, headers and every button lie between.
 * A button that does something else is nowhere that Enter after `j` leads to.
 */
export function RowKeys({ table }: RowKeysProps) {
  useShortcut('j', text.rows.next, () => goTo(table.current!, 'nextElementSibling'));
  useShortcut('k', text.rows.previous, () => goTo(table.current!, 'previousElementSibling'));
  return null;
}

function goTo(table: HTMLTableElement, side: 'nextElementSibling' | 'previousElementSibling'): void {
  const current = document.activeElement?.closest('tr') ?? null;
  const isThere = current !== null && table.tBodies[0]?.contains(current) === true;
  let row: Element | null = isThere ? current[side] : (table.tBodies[0]?.firstElementChild ?? null);
  // Room for rows that are not in the page.
  while (row?.getAttribute('aria-hidden') === 'true') row = row[isThere ? side : 'nextElementSibling'];
  if (!(row instanceof HTMLElement)) return;
  const place = row.querySelector<HTMLElement>('[data-opens]') ?? row.querySelector<HTMLElement>('a') ?? row;
  if (place === row) row.tabIndex = -1;
  place.focus();
}
