import { formatDateTime, formatRelative } from '../../strings/format.ts';
import { useNow } from '../behaviour/now.tsx';

/** How long ago, with the time itself on hover. */
export function Time({ at }: { at: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={formatDateTime(at)} className="number">
      {formatRelative(at, now)}
    </time>
  );
}
