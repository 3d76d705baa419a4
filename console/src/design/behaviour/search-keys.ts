import { useEffect } from 'react';
import { focusContent } from './focus.ts';

/** What a search is of: a grid, or a table that scrolls. */
const LISTS = '#content [role=grid], #content [role=region][tabindex="0"]';

/** Keys that leave a search for its list, where letters are keys again. The first Escape is the browser's, and empties the field. */
export function useSearchKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { target: field, key } = event;
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      if (!(field instanceof HTMLInputElement) || field.type !== 'search' || !leaves(key, field)) return;
      if (field.closest('#content') === null) return;
      event.preventDefault();
      const list = listOf(field);
      if (list === undefined) focusContent();
      else list.focus({ preventScroll: true });
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

/** Enter sends a form, where the field is in one. */
function leaves(key: string, { value, form }: HTMLInputElement): boolean {
  return key === 'ArrowDown' || (key === 'Escape' && value === '') || (key === 'Enter' && form === null);
}

/** The first behind the field; undefined: what it searches is no list. */
function listOf(field: HTMLInputElement): HTMLElement | undefined {
  const lists = document.querySelectorAll<HTMLElement>(LISTS);
  return [...lists].find(
    (list) => (field.compareDocumentPosition(list) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0,
  );
}
