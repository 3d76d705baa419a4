import { useState } from 'react';
import type { Permission } from '../../../../src/api/access/permissions.ts';
import { Button } from '../../design/controls/Button.tsx';
import { useShortcut } from '../../design/behaviour/shortcuts.tsx';
import { OFFERED, useToast } from '../../design/messages/Toasts.tsx';
import { useMay } from '../../service/permissions.ts';
import { formText } from '../../strings/forms.ts';
import { PlanDialog } from '../revisions/PlanDialog.ts';
import { carryOut, type Members, type Write } from '../../service/writes.ts';
import { EditDialog } from './record-dialogs.ts';
import type { WarningOf } from './question.ts';
import type { FormField } from './RecordForm.tsx';
import { Removed } from './Removed.tsx';

interface EditAndDeleteProps {
  readonly name: string;
  /** Of the thing itself. */
  readonly path: string;
  readonly fields: readonly FormField[];
  /** Without it, nothing is offered. */
  readonly permission: Permission;
  /** What was deleted, as the message about it says. */
  readonly deleted: string;
  /** Where nothing makes it again: what that means. */
  readonly lost?: string;
  /** What makes it again, in the list that it was in; without it, or where it has a secret, it does not come back. */
  readonly again?: Write | null;
  /** What makes it again in its form, where somebody else has deleted it; default: `again`. */
  readonly remade?: Write;
  /** Leads to it then; without it, it is not made again there. */
  readonly onMadeAgain?: (made: Members) => void;
  /** What else is to be known before changes are saved; null: nothing. */
  readonly warningOf?: WarningOf;
  readonly onDeleted: () => void;
  /** The form is open, with the focus at this field of it: whoever comes from a fault is there at once. */
  readonly editedFrom?: { readonly field: string; readonly onClose: () => void } | undefined;
}

/** What the page of one thing offers: its form, and its deletion with the plan of it. */
export function EditAndDelete(props: EditAndDeleteProps) {
  const { name, path, fields, permission, deleted, again = null, remade = again } = props;
  const { lost = formText.secretBack, onMadeAgain, warningOf, onDeleted, editedFrom } = props;
  const [task, setTask] = useState<'edit' | 'delete' | null>(null);
  const may = useMay();
  const toast = useToast();
  const close = (): void => {
    setTask(null);
    editedFrom?.onClose();
  };
  const mayEdit = may(permission);
  useShortcut('e', formText.edit, mayEdit ? () => setTask('edit') : null);
  if (!mayEdit) return null;
  return (
    <>
      <Button onClick={() => setTask('edit')}>{formText.edit}</Button>
      <Button onClick={() => setTask('delete')}>{formText.delete}</Button>
      {(task === 'edit' || (task === null && editedFrom !== undefined)) && (
        <EditDialog
          title={formText.editTitle(name)}
          path={path}
          fields={fields}
          field={editedFrom?.field}
          warningOf={warningOf}
          again={
            remade === null || onMadeAgain === undefined
              ? null
              : {
                  write: remade,
                  onMade: (made) => {
                    close();
                    toast(formText.created(name));
                    onMadeAgain(made);
                  },
                }
          }
          isOpen
          onClose={close}
          onDone={() => {
            close();
            toast(formText.saved);
          }}
        />
      )}
      <PlanDialog
        title={formText.deleteTitle(name)}
        action={formText.delete}
        look="danger"
        writes={[{ method: 'DELETE', path }]}
        back={again === null ? lost : formText.undoneBack}
        isOpen={task === 'delete'}
        onClose={close}
        onDone={() => {
          if (again === null) toast(deleted);
          else toast(<Removed said={deleted} restore={() => carryOut(again)} />, OFFERED);
          onDeleted();
        }}
      />
    </>
  );
}
