import { useEffect, useRef } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import type { Members } from '../../service/writes.ts';
import { formText } from '../../strings/forms.ts';
import { LatestChange } from './LatestChange.tsx';
import { isSame, type FormField } from '../forms/RecordForm.tsx';
import { saidValue } from './said-value.ts';
import { TwoVersions } from '../forms/TwoVersions.tsx';
import { keepFocusAt } from './fault-in-sight.ts';

interface BothVersionsProps {
  /** Of the thing itself. */
  readonly path: string;
  readonly fields: readonly FormField[];
  readonly theirs: Members;
  readonly yours: Members;
  readonly isBusy: boolean;
  readonly onTake: () => void;
  readonly onOverwrite: () => void;
}

const HIDDEN = '••••';

/** What somebody else saved meanwhile, beside what was typed. It comes into sight with the focus: nobody overwrites what they have not seen. */
export function BothVersions(props: BothVersionsProps) {
  const { path, fields, theirs, yours, isBusy, onTake, onOverwrite } = props;
  const note = useRef<HTMLDivElement>(null);
  useEffect(() => keepFocusAt(note.current!), [theirs]);
  const differing = fields.filter(({ name }) => !isSame(theirs[name], yours[name]));
  return (
    <div ref={note} className="problem both-versions" role="alert">
      <h2>{formText.outdated}</h2>
      <p>{formText.outdatedWhat}</p>
      <LatestChange path={path} />
      <TwoVersions
        caption={formText.outdated}
        differences={differing.map((field) => ({
          ...{ name: field.name, label: field.label },
          one: shown(field, theirs[field.name]),
          other: shown(field, yours[field.name]),
        }))}
      />
      <div className="both-actions">
        <Button onClick={onTake}>{formText.takeTheirs}</Button>
        <Button look="danger" isBusy={isBusy} onClick={onOverwrite}>
          {formText.overwrite}
        </Button>
      </div>
    </div>
  );
}

function shown(field: FormField, value: unknown): string {
  // One that was never read, or is not shown again.
  if (field.kind === 'secret') return typeof value === 'string' && value !== '' ? HIDDEN : formText.unset;
  return saidValue(field, value);
}
