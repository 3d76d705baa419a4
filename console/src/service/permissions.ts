import { createContext, useContext } from 'react';
import type { Permission } from '../../../src/api/access/permissions.ts';
import type { Session } from './session.ts';

/** The session that the pages are shown for: while it has ended and a window asks for a key, what is written below it stays as it was. */
export const ShownSession = createContext<Session | null>(null);

/** Whether the key of this session may do something: what it may not do is not offered. */
export function useMay(): (permission: Permission) => boolean {
  const session = useContext(ShownSession);
  return (permission) => session?.permissions.includes(permission) === true;
}
