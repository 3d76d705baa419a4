import { formatDateTime, formatMoment, formatRelative } from '../../strings/format.ts';
import { useNow } from '../behaviour/now.tsx';

/** The clock time, and how long ago that is. */
export function Moment({ at }: { at: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={formatDateTime(at)} className="number moment">
      {formatMoment(at, now)} <span className="muted">{formatRelative(at, now)}</span>
    </time>
  );
}

/** How long ago, with the time itself on hover. */
export function Time({ at }: { at: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={formatDateTime(at)} className="number">
      {formatRelative(at, now)}
    </time>
  );
}

/** How long until then, with the time itself on hover. What is due is so now, however long nobody has heard of it. */
export function Due({ at }: { at: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={formatDateTime(at)} className="number">
      {formatRelative(at, Math.min(now, Date.parse(at)))}
    </time>
  );
}
