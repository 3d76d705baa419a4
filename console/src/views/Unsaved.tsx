import { useBlocker } from '@tanstack/react-router';
import { useRef } from 'react';
import { Button } from '../design/controls/Button.tsx';
import { Dialog } from '../design/messages/Dialog.tsx';
import { formText } from '../strings/forms.ts';

interface UnsavedProps {
  readonly isDirty: boolean;
  /** What would be lost. */
  readonly what: string;
}

/** Asks before a page, or a part of it, is left with something that is not saved. The focus begins on staying. */
export function Unsaved({ isDirty, what }: UnsavedProps) {
  const stay = useRef<HTMLButtonElement>(null);
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isDirty && (current.pathname !== next.pathname || tabOf(current.search) !== tabOf(next.search)),
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  return (
    <Dialog
      title={formText.unsaved}
      isOpen={status === 'blocked'}
      onClose={() => reset?.()}
      initialFocus={stay}
    >
      <p>{what}</p>
      <div className="dialog-actions">
        <Button ref={stay} onClick={reset}>
          {formText.stay}
        </Button>
        <Button look="danger" onClick={proceed}>
          {formText.leave}
        </Button>
      </div>
    </Dialog>
  );
}

function tabOf(search: object): unknown {
  return 'tab' in search ? search.tab : undefined;
}
