import { useBlocker } from '@tanstack/react-router';
import { createContext, useCallback, useContext, useEffect, useState } from 'react';
import { useCloseGuard } from '../../design/messages/close-guard.ts';
import { LeaveDialog } from '../../design/messages/LeaveDialog.tsx';
import { formText } from '../../strings/forms.ts';

/** Called by what is inside with whether something there is not saved. */
export const UnsavedInside = createContext<((isDirty: boolean) => void) | null>(null);

/** @returns whether something in what gets the second as {@link UnsavedInside} is not saved; what is around it hears the same */
export function useUnsavedInside(): readonly [boolean, (isDirty: boolean) => void] {
  const around = useContext(UnsavedInside);
  const [forms, setForms] = useState(0);
  const tell = useCallback(
    (isDirty: boolean) => {
      setForms((count) => count + (isDirty ? 1 : -1));
      around?.(isDirty);
    },
    [around],
  );
  return [forms > 0, tell];
}

interface UnsavedProps {
  readonly isDirty: boolean;
  /** Something stands there, also while it is being saved, which may be refused: nothing else takes its place. */
  readonly isWritten?: boolean;
  /** What would be lost. */
  readonly what?: string;
}

/** Asks before a page, a part of it, or a window above it is left with something that is not saved. */
export function Unsaved({ isDirty, isWritten = isDirty, what = formText.unsavedForm }: UnsavedProps) {
  useCloseGuard(isDirty);
  const tell = useContext(UnsavedInside);
  useEffect(() => {
    if (!isWritten) return;
    tell?.(true);
    return () => tell?.(false);
  }, [tell, isWritten]);
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isDirty && (current.pathname !== next.pathname || tabOf(current.search) !== tabOf(next.search)),
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  return <LeaveDialog isOpen={status === 'blocked'} what={what} onStay={reset} onLeave={proceed} />;
}

/** Whether what stands in a form is still only there, and not under way or saved. */
export function isLeft({ isPending, isSuccess }: { isPending: boolean; isSuccess: boolean }): boolean {
  return !isPending && !isSuccess;
}

function tabOf(search: object): unknown {
  return 'tab' in search ? search.tab : undefined;
}
