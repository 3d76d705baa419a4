/**
 * Search in the text of entries. The editor's own search compares character by character, which takes longer over a hundred thousand lines
 * than a key may; an expression is looked for by the browser itself, a line at a time. So what is typed becomes an expression that means just it.
 */
import {
  closeSearchPanel,
  findNext,
  findPrevious,
  getSearchQuery,
  openSearchPanel,
  replaceAll,
  replaceNext,
  search,
  SearchQuery,
  searchKeymap,
  setSearchQuery,
} from '@codemirror/search';
import type { Extension } from '@codemirror/state';
import { keymap, runScopeHandlers, type EditorView, type Panel } from '@codemirror/view';
import { searchPanelText as words } from '../../strings/search-panel.ts';

/** What is selected is looked for, unless it is as long as that. */
const LONGEST_SELECTION = 100;

export function searchInText(): Extension {
  return [
    search({ top: true, createPanel: (view) => new SearchPanel(view) }),
    keymap.of([{ key: 'Mod-f', run: openSearch, scope: 'editor search-panel' }, ...searchKeymap]),
  ];
}

function openSearch(view: EditorView): boolean {
  const { from, to } = view.state.selection.main;
  const query = getSearchQuery(view.state);
  const { state } = view;
  const isChosen = to > from && to - from <= LONGEST_SELECTION && state.doc.lineAt(from).to >= to;
  const text = isChosen ? state.sliceDoc(from, to) : plainOf(query.search);
  const replacement = query.replace.replaceAll('$$', '$');
  openSearchPanel(view);
  view.dispatch({ effects: setSearchQuery.of(queryOf(text, replacement)) });
  return true;
}

function queryOf(text: string, replacement: string): SearchQuery {
  return new SearchQuery({
    search: text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`),
    replace: replacement.replaceAll('$', '$$$$'),
    regexp: true,
  });
}

function plainOf(expression: string): string {
  return expression.replaceAll(/\\(.)/g, '$1');
}

class SearchPanel implements Panel {
  readonly dom: HTMLElement;
  readonly top = true;
  readonly #view: EditorView;
  readonly #wanted = field(words.find);
  readonly #replacement = field(words.replace);

  constructor(view: EditorView) {
    this.#view = view;
    this.#wanted.setAttribute('main-field', 'true');
    this.#show(getSearchQuery(view.state));
    for (const input of [this.#wanted, this.#replacement])
      input.addEventListener('input', () => this.#search());
    this.dom = document.createElement('div');
    this.dom.className = 'cm-search';
    this.dom.addEventListener('keydown', (event) => this.#onKey(event));
    this.dom.append(
      ...[this.#wanted, button(words.next, () => findNext(view))],
      ...[button(words.previous, () => findPrevious(view))],
      ...(view.state.readOnly
        ? []
        : [
            this.#replacement,
            button(words.replaceOne, () => replaceNext(view)),
            button(words.replaceAll, () => replaceAll(view)),
          ]),
      button(words.close, () => closeSearchPanel(view)),
    );
  }

  mount(): void {
    this.#wanted.select();
  }

  update({ transactions }: Parameters<NonNullable<Panel['update']>>[0]): void {
    for (const { effects } of transactions)
      for (const effect of effects) if (effect.is(setSearchQuery)) this.#show(effect.value);
  }

  #show({ search: expression, replace }: SearchQuery): void {
    const [wanted, replacement] = [plainOf(expression), replace.replaceAll('$$', '$')];
    // Nothing moves the cursor of whoever types.
    if (this.#wanted.value !== wanted) this.#wanted.value = wanted;
    if (this.#replacement.value !== replacement) this.#replacement.value = replacement;
  }

  #search(): void {
    const query = queryOf(this.#wanted.value, this.#replacement.value);
    this.#view.dispatch({ effects: setSearchQuery.of(query) });
  }

  #onKey(event: KeyboardEvent): void {
    if (runScopeHandlers(this.#view, event, 'search-panel')) event.preventDefault();
    else if (event.key === 'Enter' && event.target === this.#wanted) {
      event.preventDefault();
      (event.shiftKey ? findPrevious : findNext)(this.#view);
    } else if (event.key === 'Enter' && event.target === this.#replacement) {
      event.preventDefault();
      replaceNext(this.#view);
    }
  }
}

function field(label: string): HTMLInputElement {
  const input = document.createElement('input');
  input.className = 'cm-textfield';
  input.placeholder = label;
  input.setAttribute('aria-label', label);
  return input;
}

function button(label: string, run: () => unknown): HTMLButtonElement {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = 'cm-button';
  made.textContent = label;
  made.addEventListener('click', () => void run());
  return made;
}
