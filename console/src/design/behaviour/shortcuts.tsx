/** Keys of pages, which the help lists. */
import {
  createContext,
  useContext,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from 'react';

export interface Shortcut {
  /** One key, or two after each other: `j`, `g r`; one with `Ctrl-` or ⌘ is of the page while something is typed as well: `Ctrl-S`. Empty: the palette alone has it. */
  readonly keys: string;
  readonly does: string;
  /** Not of one page. */
  readonly isEverywhere?: boolean;
  readonly run: () => void;
}

/** The keys of what is shown. A key works from the moment that its page is seen, and no component is drawn again because another one has keys. */
class Registry {
  #shortcuts: readonly Shortcut[] = [];
  readonly #listeners = new Set<() => void>();

  readonly list = (): readonly Shortcut[] => this.#shortcuts;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  add(shortcut: Shortcut): () => void {
    this.#change([...this.#shortcuts, shortcut]);
    return () => this.#change(this.#shortcuts.filter((one) => one !== shortcut));
  }

  #change(shortcuts: readonly Shortcut[]): void {
    this.#shortcuts = shortcuts;
    for (const listener of this.#listeners) listener();
  }
}

const ShortcutContext = createContext(new Registry());
/** The second key of two comes within this. */
const SEQUENCE_MILLISECONDS = 1_000;

export function Shortcuts({ children }: { children: ReactNode }) {
  const [registry] = useState(() => new Registry());
  useEffect(() => {
    let first = { key: '', at: 0 };
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.altKey || isTaken(event)) return;
      const isSecond = event.timeStamp - first.at < SEQUENCE_MILLISECONDS;
      const key = nameOf(event);
      // What was added last is of what was opened last.
      const find = (wanted: string) => registry.list().findLast(({ keys }) => keys === wanted);
      // Who types `g j` does not mean the `j` of a table.
      const found = (isSecond ? find(`${first.key} ${key}`) : undefined) ?? find(key);
      first = { key, at: event.timeStamp };
      if (found === undefined) return;
      event.preventDefault();
      found.run();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [registry]);
  return <ShortcutContext value={registry}>{children}</ShortcutContext>;
}

function nameOf({ key, ctrlKey, metaKey }: KeyboardEvent): string {
  if (!ctrlKey && !metaKey) return key;
  return `Ctrl-${key.length === 1 ? key.toUpperCase() : key}`;
}

/** Fields that take no letters. */
const NO_LETTERS = '[type=checkbox], [type=radio], [type=file]';

/** What is typed belongs to the field, but for keys with Ctrl; and keys of a page do nothing behind a dialog. */
function isTaken(event: KeyboardEvent): boolean {
  // What is in a shadow tree, such as the editor, shows itself in the path alone.
  const [target] = event.composedPath();
  if (!(target instanceof HTMLElement)) return false;
  if (event.composedPath().some((one) => one instanceof Element && one.getAttribute('role') === 'dialog'))
    return true;
  if (event.ctrlKey || event.metaKey) return false;
  return target.closest(`input:not(${NO_LETTERS}), textarea, select, [contenteditable]`) !== null;
}

/** Offers a key while the component is shown. @param run null: it does nothing now, and is listed nowhere */
export function useShortcut(
  keys: string,
  does: string,
  run: (() => void) | null,
  isEverywhere = false,
): void {
  const registry = useContext(ShortcutContext);
  const running = useRef(run);
  const isOffered = run !== null;
  // Before the browser draws the page: whoever sees it may press the key.
  useLayoutEffect(() => {
    running.current = run;
  });
  useLayoutEffect(
    () =>
      isOffered ? registry.add({ keys, does, isEverywhere, run: () => running.current?.() }) : undefined,
    [registry, keys, does, isEverywhere, isOffered],
  );
}

export function useShortcutList(): readonly Shortcut[] {
  const registry = useContext(ShortcutContext);
  return useSyncExternalStore(registry.subscribe, registry.list);
}
