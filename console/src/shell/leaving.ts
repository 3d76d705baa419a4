import { createContext } from 'react';

interface Leaving {
  /** Something on the page is not saved: who signs out is asked. */
  readonly isUnsaved: boolean;
  /** The session is to end: nothing is kept for whoever signs in next. */
  readonly forget: () => void;
}

export const LeavingContext = createContext<Leaving>({ isUnsaved: false, forget: () => undefined });
