import type { Members, Plan } from '../../service/writes.ts';
import { text } from '../../strings/english.ts';
import { formText } from '../../strings/forms.ts';
import { formatDateTime, formatList } from '../../strings/format.ts';
import { planText } from '../../strings/plan.ts';
import { AskPlanDialog } from '../revisions/AskPlanDialog.tsx';
import { isSame, type FormField } from './RecordForm.tsx';

interface AskChangesProps {
  readonly fields: readonly FormField[];
  readonly before: Members;
  /** As it is written. */
  readonly after: Members;
  readonly plan: Plan;
  /** Besides the plan; null: nothing. */
  readonly warning: string | null;
  readonly isBusy: boolean;
  readonly error: Error | null;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
}

/** Asks for the changes of a form with their plan, all of them by the labels of the form. */
export function AskChanges({ fields, before, after, ...asking }: AskChangesProps) {
  return <AskPlanDialog {...asking} action={formText.save} changes={changedLines(fields, before, after)} />;
}

/** @param after as it is written: of the fields that it has, each that is not as before */
function changedLines(fields: readonly FormField[], before: Members, after: Members): string[] {
  return fields
    .filter(({ name }) => name in after && !isSame(before[name], after[name]))
    .map((field) => {
      const { name, label, kind } = field;
      // It was never read, and is not shown again.
      if (kind === 'secret') return planText.hidden(label);
      return planText.field(label, shown(field, before[name]), shown(field, after[name]));
    });
}

function shown({ kind, choices = [], none = text.none }: FormField, value: unknown): string {
  if (value === null || value === undefined || value === '') return none;
  if (typeof value === 'boolean') return value ? text.yes : text.no;
  const labelOf = (one: unknown): string =>
    choices.find((choice) => choice.value === one)?.label ?? String(one);
  if (Array.isArray(value)) return value.length === 0 ? none : formatList(value.map(labelOf));
  return kind === 'time' && typeof value === 'string' ? formatDateTime(value) : labelOf(value);
}
