/** Where the keys are. Whoever uses nothing else must never have to begin at the top of the page because a button is gone. */
import { useEffect } from 'react';

/** After whatever took the element away has put the focus somewhere itself, as a window does that closes. */
const SETTLED_MILLISECONDS = 50;

/** Where a page begins, behind the navigation: from here Tab leads to its first control, and its keys work. */
export function focusContent(): void {
  document.getElementById('content')?.focus({ preventScroll: true });
}

/** Gives the focus to the nearest that is still there around what had it, when that goes away or is disabled. */
export function useKeptFocus(): void {
  useEffect(() => {
    let last: Element | null = null;
    /** What had the focus last in the page itself, and what is around it, from the inside out. */
    let trail: readonly Element[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const notice = (target: Element): void => {
      last = target;
      if (target.closest('#content') !== null) trail = around(target);
    };
    const onFocus = ({ target }: FocusEvent): void => {
      if (target instanceof Element) notice(target);
    };
    // Who uses a mouse clicks beside everything to be nowhere.
    const onPointer = (): void => {
      last = null;
    };
    const restore = (): void => {
      timer = undefined;
      if (!isLost(last)) return;
      const place = trail.find((one) => one.isConnected && !one.matches(':disabled'));
      if (place === undefined) focusContent();
      else focusOn(place as HTMLElement);
    };
    const changes = new MutationObserver(() => {
      if (timer === undefined && isLost(last)) timer = setTimeout(restore, SETTLED_MILLISECONDS);
    });
    // A field that takes the focus as it comes has it before anybody listens.
    if (document.activeElement !== null && document.activeElement !== document.body)
      notice(document.activeElement);
    addEventListener('focusin', onFocus);
    addEventListener('pointerdown', onPointer, true);
    changes.observe(document.body, {
      ...{ childList: true, subtree: true },
      attributeFilter: ['disabled', 'hidden'],
    });
    return () => {
      clearTimeout(timer);
      changes.disconnect();
      removeEventListener('focusin', onFocus);
      removeEventListener('pointerdown', onPointer, true);
    };
  }, []);
}

function around(target: Element): Element[] {
  const all: Element[] = [];
  for (let one: Element | null = target; one !== null; one = one.parentElement) {
    all.push(one);
    if (one.id === 'content') break;
  }
  return all;
}

function isLost(last: Element | null): boolean {
  return (
    last !== null &&
    document.activeElement === document.body &&
    (!last.isConnected || last.matches(':disabled') || last.closest('[hidden]') !== null)
  );
}

/** Something around a control has no focus of its own. */
function focusOn(place: HTMLElement): void {
  place.focus({ preventScroll: true });
  if (document.activeElement === place) return;
  place.tabIndex = -1;
  place.addEventListener('blur', () => place.removeAttribute('tabindex'), { once: true });
  place.focus({ preventScroll: true });
}
