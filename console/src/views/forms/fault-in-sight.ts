import { useEffect, type RefObject } from 'react';

const TAKEN_BACK_MS = 150;

/**
 * Brings what was refused into sight, with the focus on it: the first field at fault, or else what is said about all. In a long form both may
 * be far from where somebody pressed Enter.
 * @param error the answer to the last attempt; null: none, or it is shown elsewhere
 */
export function useFaultInSight(form: RefObject<HTMLElement | null>, error: Error | null): void {
  useEffect(() => {
    if (error === null) return;
    const field = form.current?.querySelector('.field:has(.field-error)');
    const control = field?.querySelector<HTMLElement>('input, select, textarea');
    const place = control ?? form.current?.querySelector<HTMLElement>('.problem');
    if (place === null || place === undefined) return;
    return keepFocusAt(place, field ?? place);
  }, [form, error]);
}

/** As {@link showWithFocus}, also where the button that had the focus has gone: a window takes it to itself a moment later. @returns what ends it */
export function keepFocusAt(place: HTMLElement, whole?: Element): () => void {
  showWithFocus(place, whole);
  const again = setTimeout(() => {
    const focused = document.activeElement;
    if (focused !== place && focused?.contains(place) === true) showWithFocus(place, whole);
  }, TAKEN_BACK_MS);
  return () => clearTimeout(again);
}

/** @param whole what should be seen of it */
export function showWithFocus(place: HTMLElement, whole: Element = place): void {
  // What is only said has no place in the order of the keys.
  if (!place.matches('input, select, textarea, button, a')) place.tabIndex = -1;
  place.focus({ preventScroll: true });
  whole.scrollIntoView({ block: 'start' });
}
