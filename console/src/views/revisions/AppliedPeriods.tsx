import { useNow } from '../../design/behaviour/now.tsx';
import type { Revision } from '../../service/queries.ts';
import { revisionTableText } from '../../strings/revision-table.ts';
import { formatDateTime, formatMoment } from '../../strings/format.ts';

const words = revisionTableText;
type AppliedPeriod = Revision['applied_periods'][number];

/** From when to when speakers had it. */
export function Period({ period: { from, until } }: { readonly period: AppliedPeriod }) {
  return (
    <>
      <Clock at={from} /> {words.appliedTo} {until === null ? words.appliedNow : <Clock at={until} />}
    </>
  );
}

function Clock({ at }: { readonly at: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={formatDateTime(at)}>
      {formatMoment(at, now)}
    </time>
  );
}

/** The same as text, for the hint of an element. */
export function periodText({ from, until }: AppliedPeriod): string {
  return `${formatDateTime(from)} ${words.appliedTo} ${until === null ? words.appliedNow : formatDateTime(until)}`;
}
