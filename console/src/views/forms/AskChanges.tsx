import type { Members } from '../../service/writes.ts';
import { formText } from '../../strings/forms.ts';
import { planText } from '../../strings/plan.ts';
import { AskPlanDialog } from '../revisions/AskPlanDialog.tsx';
import type { Question } from './question.ts';
import { isSame, type FormField } from './RecordForm.tsx';
import { saidValue } from './said-value.ts';

interface AskChangesProps extends Question {
  readonly fields: readonly FormField[];
  readonly before: Members;
  /** As it is written. */
  readonly after: Members;
  readonly isBusy: boolean;
  readonly error: Error | null;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
}

/** Asks for the changes of a form with their plan, all of them by the labels of the form. */
export function AskChanges({ fields, before, after, ...asking }: AskChangesProps) {
  return (
    <AskPlanDialog
      {...asking}
      action={formText.save}
      back={formText.changedBack}
      changes={changedLines(fields, before, after)}
    />
  );
}

/** @param after as it is written: of the fields that it has, each that is not as before */
function changedLines(fields: readonly FormField[], before: Members, after: Members): string[] {
  return fields
    .filter(({ name }) => name in after && !isSame(before[name], after[name]))
    .map((field) => {
      const { name, label, kind } = field;
      // It was never read, and is not shown again.
      if (kind === 'secret') return planText.hidden(label);
      return planText.field(label, saidValue(field, before[name]), saidValue(field, after[name]));
    });
}
