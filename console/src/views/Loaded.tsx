import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Skeleton } from '../design/shown/Skeleton.tsx';
import { Problem } from './Problem.tsx';

type Read<T> = Pick<UseQueryResult<T>, 'data' | 'error'> & { refetch(): unknown };

/** What was read; before, that it is being read, or why it cannot be. */
export function Loaded<T>({ query, children }: { query: Read<T>; children: (data: T) => ReactNode }) {
  if (query.data !== undefined) return children(query.data);
  if (query.error !== null) return <Problem error={query.error} onRetry={() => void query.refetch()} />;
  return <Skeleton />;
}
