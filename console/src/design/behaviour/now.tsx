import { createContext, useContext, useEffect, useState, type ReactNode } from 'react';

const TICK_MILLISECONDS = 1_000;
const NowContext = createContext<number>(0);

/** One clock for the whole page, so that a thousand times do not have a timer each. */
export function Clock({ children }: { children: ReactNode }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setNow(Date.now());
    }, TICK_MILLISECONDS);
    return () => clearInterval(timer);
  }, []);
  return <NowContext value={now}>{children}</NowContext>;
}

/** Milliseconds since 1970, by the second. */
export function useNow(): number {
  return useContext(NowContext);
}
