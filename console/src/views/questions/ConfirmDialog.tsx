import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, type ReactNode } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { Dialog } from '../../design/messages/Dialog.tsx';
import { carryOut, type Write } from '../../service/writes.ts';
import { text } from '../../strings/english.ts';
import { Problem } from '../faults/Problem.tsx';
import { Unsaved } from './Unsaved.tsx';

interface ConfirmDialogProps {
  readonly title: string;
  /** What follows from it. */
  readonly what: string;
  /** Whom that is of concern to. */
  readonly concerned?: ReactNode;
  /** How it is taken back, or that it is not. */
  readonly back: string;
  readonly action: string;
  readonly write: Write;
  /** What belongs to it, before anything is read again: the page stays as it is until then, whatever becomes of the session. */
  readonly withIt?: ((answer: unknown) => Promise<void>) | undefined;
  readonly onClose: () => void;
  readonly onDone: (answer: unknown) => void;
}

/** Asks once more, with the focus where nothing happens. It is for what changes no route; see PlanDialog. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, what, concerned, back, action, write, withIt, onClose, onDone } = props;
  const cancel = useRef<HTMLButtonElement>(null);
  const queries = useQueryClient();
  const making = useMutation({
    mutationFn: async () => {
      const answer = await carryOut(write);
      await withIt?.(answer);
      return answer;
    },
    onSuccess: (answer) => {
      void queries.invalidateQueries();
      onDone(answer);
    },
  });
  return (
    <Dialog title={title} isOpen onClose={onClose} initialFocus={cancel}>
      <p>{what}</p>
      {concerned}
      <p className="muted">{back}</p>
      {withIt !== undefined && <Unsaved isDirty={false} isWritten={making.isPending} />}
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
