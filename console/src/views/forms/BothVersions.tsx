import { Button } from '../../design/controls/Button.tsx';
import type { Members } from '../../service/writes.ts';
import { formText } from '../../strings/forms.ts';
import { LatestChange } from './LatestChange.tsx';
import { isSame, type FormField } from '../forms/RecordForm.tsx';
import { TwoVersions } from '../forms/TwoVersions.tsx';

interface BothVersionsProps {
  /** Of the thing itself. */
  readonly path: string;
  readonly fields: readonly FormField[];
  readonly theirs: Members;
  readonly yours: Members;
  readonly onTake: () => void;
}

/** What somebody else saved meanwhile, beside what was typed. */
export function BothVersions({ path, fields, theirs, yours, onTake }: BothVersionsProps) {
  const differing = fields.filter(({ name }) => !isSame(theirs[name], yours[name]));
  return (
    <div className="problem" role="alert">
      <h2>{formText.outdated}</h2>
      <p>{formText.outdatedWhat}</p>
      <LatestChange path={path} />
      <TwoVersions
        caption={formText.outdated}
        differences={differing.map(({ name, label }) => ({
          ...{ name, label },
          one: <code>{shown(theirs[name])}</code>,
          other: <code>{shown(yours[name])}</code>,
        }))}
      />
      <Button onClick={onTake}>{formText.takeTheirs}</Button>
    </div>
  );
}

function shown(value: unknown): string {
  return value === null || value === undefined ? formText.unset : JSON.stringify(value);
}
