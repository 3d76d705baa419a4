import { createContext, useContext, useEffect, type RefObject } from 'react';

/** Of a window: whether something in it would be lost if it were closed. */
export const CloseGuard = createContext<RefObject<boolean> | null>(null);

/** The window around asks before Escape, or a press beside it, closes it. */
export function useCloseGuard(isDirty: boolean): void {
  const guard = useContext(CloseGuard);
  useEffect(() => {
    if (guard === null) return;
    guard.current = isDirty;
    return () => {
      guard.current = false;
    };
  }, [guard, isDirty]);
}
