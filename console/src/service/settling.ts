/** How sessions get on: what a router holds changes without an event, for no state of its session does. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

const PAUSE_MILLISECONDS = 5_000;

/** Reads the speakers again every few seconds while one of their routers has not what it should have, so that the page says when it has. */
export function useSettling(isUnsettled: boolean): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (!isUnsettled) return;
    const timer = setInterval(
      () => void queries.invalidateQueries({ queryKey: ['speakers'] }),
      PAUSE_MILLISECONDS,
    );
    return () => clearInterval(timer);
  }, [isUnsettled, queries]);
}
