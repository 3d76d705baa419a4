import { isGone } from '../../service/writes.ts';
import type { Read } from './Loaded.tsx';

/** What was read, until somebody else deletes it: then that is said, and nothing of it is offered any more. */
export function present<T>(read: Read<T>): Read<T> {
  const { data, error, failureCount } = read;
  return { data: isGone(error) ? undefined : data, error, failureCount, refetch: () => read.refetch() };
}
