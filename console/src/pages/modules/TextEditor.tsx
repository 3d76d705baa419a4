/** CodeMirror, in a shadow tree of its own: it makes its styles by script, which only a shadow tree may adopt under the policy of the page. */
import { defaultKeymap, history, historyKeymap, invertedEffects } from '@codemirror/commands';
import { lintGutter, setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { EditorState, StateEffect, StateField, Transaction } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useImperativeHandle, useRef, type Ref } from 'react';
import { searchInText } from './search-panel.ts';

export interface LineFault {
  readonly line: number;
  readonly detail: string;
}

/** What a save makes of the text: it is added to the list, or is the list. */
export type TextMode = 'append' | 'replace';

/** A part of the text's history: what brings a text back brings back what it was. */
const modeEffect = StateEffect.define<TextMode>();
const modeField = StateField.define<TextMode>({
  create: () => 'replace',
  update: (mode, { effects }) =>
    effects.reduce((now, effect) => (effect.is(modeEffect) ? effect.value : now), mode),
});
const modeHistory = invertedEffects.of(({ effects, startState }) =>
  effects.some((effect) => effect.is(modeEffect)) ? [modeEffect.of(startState.field(modeField))] : [],
);

export interface EditorHandle {
  text(): string;
  /** Of the text, in characters. */
  length(): number;
  /** Another text in place of all; it can be undone. @param mode where that changes with it */
  replace(text: string, mode?: TextMode): void;
  setMode(mode: TextMode): void;
  goTo(line: number): void;
  /** What has the focus while somebody writes. */
  element(): HTMLElement;
}

interface TextEditorProps {
  readonly label: string;
  readonly initial: string;
  readonly isReadOnly: boolean;
  readonly faults: readonly LineFault[];
  readonly onChange: (mode: TextMode) => void;
  readonly ref: Ref<EditorHandle>;
}

export function TextEditor({ ref, ...props }: TextEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  useEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: 'open' });
    const { label, initial, isReadOnly } = latest.current;
    const editor = new EditorView({
      ...{ parent: root, root },
      state: EditorState.create({
        doc: initial,
        // In a list that has but its header, what is pasted goes below that.
        selection: { anchor: /^[^\n]*\n$/.test(initial) ? initial.replaceAll('\r', '').length : 0 },
        extensions: [
          lineNumbers(),
          lintGutter(),
          history(),
          modeField,
          modeHistory,
          drawSelection(),
          highlightActiveLine(),
          searchInText(),
          keymap.of([
            ...historyKeymap,
            // Of the page, with the editor and beside it.
            ...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter'),
          ]),
          EditorState.readOnly.of(isReadOnly),
          EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) latest.current.onChange(state.field(modeField));
          }),
          THEME,
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, []);
  useEffect(() => {
    const editor = view.current;
    if (editor === null) return;
    const { doc } = editor.state;
    const diagnostics = props.faults
      .filter(({ line }) => line <= doc.lines)
      .map(({ line, detail }): Diagnostic => {
        const { from, to } = doc.line(line);
        return { from, to, severity: 'error', message: detail };
      });
    editor.dispatch(setDiagnostics(editor.state, diagnostics));
  }, [props.faults]);
  useImperativeHandle(
    ref,
    () => ({
      text: () => view.current!.state.doc.toString(),
      length: () => view.current!.state.doc.length,
      replace: (text, mode) =>
        view.current!.dispatch({
          effects: mode === undefined ? [] : modeEffect.of(mode),
          changes: { from: 0, to: view.current!.state.doc.length, insert: text },
          annotations: Transaction.userEvent.of('input.paste'),
        }),
      setMode: (mode) =>
        view.current!.dispatch({
          effects: modeEffect.of(mode),
          annotations: Transaction.addToHistory.of(false),
        }),
      goTo: (line) => {
        const { doc } = view.current!.state;
        const { from } = doc.line(Math.min(line, doc.lines));
        view.current!.dispatch({
          selection: { anchor: from },
          effects: EditorView.scrollIntoView(from, { y: 'start', yMargin: 100 }),
        });
        view.current!.focus();
      },
      element: () => view.current!.contentDOM,
    }),
    [],
  );
  return <div ref={host} className="text-editor" />;
}

const THEME = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', background: 'var(--background)', fontSize: '12px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '20px' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-gutters': {
    ...{ background: 'var(--surface)', color: 'var(--muted)' },
    borderInlineEnd: '1px solid var(--line)',
  },
  '.cm-activeLine': { background: 'color-mix(in srgb, var(--accent) 8%, transparent)' },
  '.cm-cursor': { borderInlineStartColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--accent) 30%, transparent)',
  },
  '.cm-panels': { background: 'var(--surface)', color: 'var(--text)' },
  '.cm-search': { display: 'flex', flexWrap: 'wrap', gap: '4px', padding: '6px 8px' },
  '.cm-textfield, .cm-button': {
    ...{ margin: 0, fontSize: '12px', lineHeight: '20px', color: 'var(--text)' },
    ...{ border: '1px solid var(--control)', borderRadius: 'var(--radius)' },
    ...{ background: 'var(--background)', backgroundImage: 'none' },
  },
  '.cm-tooltip': { background: 'var(--raised)', border: '1px solid var(--line)' },
  '.cm-diagnostic-error': { borderInlineStartColor: 'var(--bad)' },
});
