import { useQuery } from '@tanstack/react-query';
import type { Permission } from '../../../src/api/access/permissions.ts';
import { sessionQuery } from './session.ts';

/** Whether the key of this session may do something: what it may not do is not offered. */
export function useMay(): (permission: Permission) => boolean {
  const { data } = useQuery(sessionQuery);
  return (permission) => data?.permissions.includes(permission) === true;
}
