import { Button } from '../../design/controls/Button.tsx';
import { entriesText } from '../../strings/entries.ts';
import type { TextMode } from './TextEditor.tsx';

/** What takes its time, and is not begun twice. */
interface Action {
  readonly isBusy: boolean;
  readonly begin: () => void;
}

interface TextToolsProps {
  readonly mode: TextMode;
  readonly onMode: (mode: TextMode) => void;
  readonly canWrite: boolean;
  readonly isDirty: boolean;
  readonly onFile: (file: File | undefined) => void;
  readonly onExport: () => void;
  readonly onRevert: () => void;
  readonly preview: Action;
  readonly save: Action;
}

const { text: words } = entriesText;

/** What stands above the text of entries: what a save does to the list, files in and out, and what is done with the text. */
export function TextTools({
  mode,
  onMode,
  canWrite,
  isDirty,
  onFile,
  onExport,
  onRevert,
  preview,
  save,
}: TextToolsProps) {
  return (
    <div className="entries-text-tools">
      <label hidden={!canWrite}>
        {words.mode}{' '}
        <select className="input" value={mode} onChange={({ target }) => onMode(target.value as TextMode)}>
          <option value="replace">{words.replace}</option>
          <option value="append">{words.append}</option>
        </select>
      </label>
      <label className="button file-button" hidden={!canWrite}>
        {words.open}
        <input
          type="file"
          accept=".csv,text/csv,text/plain"
          disabled={!canWrite}
          onChange={({ target }) => {
            onFile(target.files?.[0]);
            target.value = '';
          }}
        />
      </label>
      <Button onClick={onExport}>{words.export}</Button>
      <span className="entries-text-save">
        {isDirty && <Button onClick={onRevert}>{words.revert}</Button>}
        {canWrite && (
          <>
            <Button disabled={!isDirty} isBusy={preview.isBusy} onClick={preview.begin}>
              {entriesText.preview}
            </Button>
            <Button look="primary" disabled={!isDirty} isBusy={save.isBusy} onClick={save.begin}>
              {entriesText.save}
            </Button>
          </>
        )}
      </span>
    </div>
  );
}
