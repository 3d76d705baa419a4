import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Skeleton } from '../../design/shown/Skeleton.tsx';
import { text } from '../../strings/english.ts';
import { Problem } from '../faults/Problem.tsx';

export type Read<T> = Pick<UseQueryResult<T>, 'data' | 'error' | 'failureCount'> & { refetch(): unknown };

interface LoadedProps<T> {
  readonly query: Read<T>;
  /** What is waited for. */
  readonly what?: string;
  readonly children: (data: T) => ReactNode;
}

/** What was read; before, that it is being read, or why it cannot be. */
export function Loaded<T>({ query, what, children }: LoadedProps<T>) {
  const { data, error } = query;
  if (data !== undefined) return children(data);
  if (error !== null) return <Problem error={error} onRetry={() => void query.refetch()} />;
  return <Waiting query={query} what={what} />;
}

export function Waiting({ query: { failureCount }, what = text.loading }: WaitingProps) {
  return <Skeleton what={failureCount === 0 ? what : text.asking} />;
}

interface WaitingProps {
  readonly query: Pick<Read<unknown>, 'failureCount'>;
  readonly what?: string | undefined;
}
