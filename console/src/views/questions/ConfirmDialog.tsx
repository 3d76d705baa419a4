import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, type ReactNode } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { Dialog } from '../../design/messages/Dialog.tsx';
import { carryOut, type Write } from '../../service/writes.ts';
import { text } from '../../strings/english.ts';
import { Problem } from '../faults/Problem.tsx';

interface ConfirmDialogProps {
  readonly title: string;
  /** What follows from it. */
  readonly what: string;
  /** Whom that is of concern to. */
  readonly concerned?: ReactNode;
  readonly action: string;
  readonly write: Write;
  readonly onClose: () => void;
  readonly onDone: (answer: unknown) => void;
}

/** Asks once more, with the focus where nothing happens. It is for what changes no route; see PlanDialog. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, what, concerned, action, write, onClose, onDone } = props;
  const cancel = useRef<HTMLButtonElement>(null);
  const queries = useQueryClient();
  const making = useMutation({
    mutationFn: () => carryOut(write),
    onSuccess: (answer) => {
      void queries.invalidateQueries();
      onDone(answer);
    },
  });
  return (
    <Dialog title={title} isOpen onClose={onClose} initialFocus={cancel}>
      <p>{what}</p>
      {concerned}
      {making.error !== null && <Problem error={making.error} onRetry={() => making.mutate()} />}
      <div className="dialog-actions">
        <Button ref={cancel} onClick={onClose}>
          {text.cancel}
        </Button>
        <Button look="danger" isBusy={making.isPending} onClick={() => making.mutate()}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
