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
      if (key === 'Enter') field.form?.requestSubmit();
      clearInterval(timer);
      focusListOf(field);
      let looks = 0;
      timer = setInterval(() => {
        looks += 1;
        const isBack = document.activeElement === field;
        if (isBack || looks === LOOKS || !focusListOf(field)) clearInterval(timer);
      }, LOOK_MS);
    };
    let timer: ReturnType<typeof setInterval> | undefined;
    addEventListener('keydown', onKey);
    return () => {
      clearInterval(timer);
      removeEventListener('keydown', onKey);
    };
  }, []);
}

/** A list that is read again goes away and comes back meanwhile: the focus follows it as long as nobody moves it. */
const LOOK_MS = 100;
const LOOKS = 20;

/** @returns whether the focus is still where this has put it, or around that */
function focusListOf(field: HTMLInputElement): boolean {
  const list = listOf(field);
  const focused = document.activeElement;
  const isFree = focused === null || focused === field || focused.matches('body, #content');
  if (list !== undefined && (isFree || focused.contains(list))) list.focus({ preventScroll: true });
  else if (list === undefined && focused === field) focusContent();
  else return isFree;
  return true;
}

/** Enter sends a form, where the field is in one, unless what it finds is the list below. */
function leaves(key: string, { value, form }: HTMLInputElement): boolean {
  return key === 'ArrowDown' || (key === 'Escape' && value === '') || (key === 'Enter' && isOfList(form));
}

function isOfList(form: HTMLFormElement | null): boolean {
  return form === null || form.dataset.finds === 'list';
}

/** The first behind the field; undefined: what it searches is no list. */
function listOf(field: HTMLInputElement): HTMLElement | undefined {
  const lists = document.querySelectorAll<HTMLElement>(LISTS);
  return [...lists].find(
    (list) => (field.compareDocumentPosition(list) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0,
  );
}
