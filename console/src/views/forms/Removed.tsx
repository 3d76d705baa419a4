import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { useShortcut } from '../../design/behaviour/shortcuts.tsx';
import { formText } from '../../strings/forms.ts';

interface RemovedProps {
  /** What was deleted. */
  readonly said: string;
  readonly restore: () => Promise<unknown>;
  /** What is said once it is back, be it of what `restore` came to. */
  readonly restored?: string | ((answer: unknown) => string);
}

/** In a toast: what was deleted comes back by a key, as long as the toast is there. */
export function Removed({ said, restore, restored = formText.restored }: RemovedProps) {
  const queries = useQueryClient();
  const restoring = useMutation({
    mutationFn: restore,
    onSuccess: () => void queries.invalidateQueries(),
  });
  const { isIdle, isSuccess, error } = restoring;
  const answer = useRef<HTMLSpanElement>(null);
  const hadFocus = useRef(false);
  useEffect(() => {
    // The button that had the focus is gone.
    if (hadFocus.current && (isSuccess || error !== null)) answer.current?.focus();
  }, [isSuccess, error]);
  if (isSuccess || error !== null)
    return (
      <span ref={answer} tabIndex={-1}>
        {error !== null ? error.message : typeof restored === 'string' ? restored : restored(restoring.data)}
      </span>
    );
  return (
    <>
      {said}{' '}
      <Button
        look="quiet"
        aria-keyshortcuts={UNDO}
        isBusy={restoring.isPending}
        onClick={() => {
          hadFocus.current = true;
          restoring.mutate();
        }}
      >
        {formText.undo} <kbd aria-hidden="true">{UNDO}</kbd>
      </Button>
      {isIdle && <UndoKey run={() => restoring.mutate()} />}
    </>
  );
}

const UNDO = 'z';

function UndoKey({ run }: { readonly run: () => void }) {
  useShortcut(UNDO, formText.undo, run);
  return null;
}
