import { useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import type { Permission } from '../../../src/api/access/permissions.ts';
import { type Session, sessionQuery } from './session.ts';

/** The session that the pages are shown for: while it has ended and a window asks for a key, what is written below it stays as it was. */
export const ShownSession = createContext<Session | null>(null);

/** Whether the key of this session may do something: what it may not do is not offered. Messages stand beside the pages, not within them. */
export function useMay(): (permission: Permission) => boolean {
  const shown = useContext(ShownSession);
  const { data } = useQuery(sessionQuery);
  const session = shown ?? data;
  return (permission) => session?.permissions.includes(permission) === true;
}
