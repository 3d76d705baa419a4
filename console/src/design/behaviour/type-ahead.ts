/** What is typed while a page is on its way that begins with a field for it. */

/**
 * Keeps keys until a field has the focus, which is given them then, and sent where Enter was among them.
 * @returns what ends it: no field has come
 */
export function holdTyping(): () => void {
  let typed = '';
  let isSent = false;
  const onKey = (event: KeyboardEvent): void => {
    const { key, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey || metaKey || altKey) return;
    if (key === 'Enter') isSent = typed !== '';
    else if (key === 'Backspace') typed = typed.slice(0, -1);
    else if (key.length === 1) typed += key;
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const onFocus = ({ target }: FocusEvent): void => {
    if (!(target instanceof HTMLInputElement)) return;
    end();
    // Not while the page is still being put there.
    if (typed !== '') setTimeout(() => give(target, typed, isSent));
  };
  const end = (): void => {
    removeEventListener('keydown', onKey, true);
    removeEventListener('focusin', onFocus);
  };
  addEventListener('keydown', onKey, true);
  addEventListener('focusin', onFocus);
  return end;
}

function give(field: HTMLInputElement, typed: string, isSent: boolean): void {
  // In front of what was typed into it since.
  field.setRangeText(typed, 0, 0, field.value === '' ? 'end' : 'preserve');
  field.dispatchEvent(new Event('input', { bubbles: true }));
  if (isSent) setTimeout(() => field.form?.requestSubmit());
}
