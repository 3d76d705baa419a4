import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Badge } from '../../design/shown/Badge.tsx';
import { Moment } from '../../design/shown/Time.tsx';
import type { Revision } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { formatNumber } from '../../strings/format.ts';
import { revisionTableText } from '../../strings/revision-table.ts';
import { DataTable, type Column, type DataTableProps } from '../../views/tables/DataTable.tsx';
import { Period, periodText } from '../../views/revisions/AppliedPeriods.tsx';
import { runningByContent, runsAs } from '../../views/revisions/same-content.ts';
import { RevisionState } from '../../views/resources/StateBadges.tsx';

const words = text.revisions;
const named = revisionTableText;

/** Why a revision was made; a rollback names the one that it goes back to, where that is among those that were read. */
function whyOf({ rollback_of, trigger }: Revision, numbers: ReadonlyMap<string, number>): string {
  if (rollback_of === null) return words.triggers[trigger.kind];
  const number = numbers.get(rollback_of);
  return number === undefined ? words.rollbackOf : named.goesBackTo(formatNumber(number));
}

const COLUMNS = (
  numbers: ReadonlyMap<string, number>,
  running: ReadonlyMap<string, number>,
): readonly Column<Revision>[] => [
  {
    ...{ name: named.number, isNumber: true, sort: 'number' },
    value: ({ number }) => number,
    cell: ({ number }) => (
      <Link to="/revisions/$revision" params={{ revision: String(number) }}>
        {formatNumber(number)}
      </Link>
    ),
  },
  {
    name: named.state,
    value: ({ state, pinned }) => [words.states[state], ...(pinned ? [words.pinned] : [])].join(', '),
    cell: ({ state, pinned }) => (
      <>
        <RevisionState state={state} /> {pinned && <Badge>{words.pinned}</Badge>}
      </>
    ),
  },
  {
    ...{ name: named.runsOn },
    value: ({ applied_on }) => applied_on.length,
    saved: {
      [named.runsOn]: (revision) => {
        const same = runsAs(revision, running);
        if (same !== undefined) return named.sameAs(formatNumber(same));
        return revision.applied_on.length === 0 ? '' : words.speakers(revision.applied_on.length);
      },
    },
    cell: (revision) => {
      const { applied_on } = revision;
      const same = runsAs(revision, running);
      if (same !== undefined) return <span className="muted">{named.sameAs(formatNumber(same))}</span>;
      return applied_on.length > 0 && <Badge tone="accent">{words.speakers(applied_on.length)}</Badge>;
    },
  },
  {
    name: named.why,
    value: (revision) => whyOf(revision, numbers),
    cell: (revision) => whyOf(revision, numbers),
  },
  {
    name: named.actor,
    value: ({ trigger }) => trigger.actor ?? '',
    cell: ({ trigger: { actor } }) =>
      actor !== null && (
        <span className="name" title={actor}>
          {actor}
        </span>
      ),
  },
  {
    ...{ name: named.ipv4, isNumber: true },
    value: ({ prefix_count }) => prefix_count.ipv4,
    cell: ({ prefix_count }) => formatNumber(prefix_count.ipv4),
  },
  {
    ...{ name: named.ipv6, isNumber: true },
    value: ({ prefix_count }) => prefix_count.ipv6,
    cell: ({ prefix_count }) => formatNumber(prefix_count.ipv6),
  },
  {
    ...{ name: named.created, sort: 'created_at' },
    value: ({ created_at }) => created_at,
    cell: ({ created_at }) => <Moment at={created_at} />,
  },
  {
    name: named.applied,
    value: ({ applied_periods: [last] }) => last?.from ?? '',
    saved: {
      [named.appliedSince]: ({ applied_periods: [last] }) => last?.from ?? '',
      [named.appliedUntil]: ({ applied_periods: [last] }) =>
        last === undefined ? '' : (last.until ?? named.appliedNow),
      [named.appliedEarlier]: ({ applied_periods: [, ...earlier] }) =>
        earlier
          .map(({ from, until }) => `${from} ${named.appliedTo} ${until ?? named.appliedNow}`)
          .join('; '),
    },
    cell: (revision) => <Applied revision={revision} />,
  },
];

/** What they are called, and by what the service sorts. */
export const ORDERED_COLUMNS = COLUMNS(new Map(), new Map());

/** From when to when speakers had it last; the times before are on its page. */
function Applied({ revision: { applied_periods: periods } }: { readonly revision: Revision }) {
  const [last, ...earlier] = periods;
  if (last === undefined) return null;
  return (
    <span className="number wraps">
      <Period period={last} />
      {earlier.length > 0 && (
        <span className="muted" title={earlier.map(periodText).join('\n')}>
          {' '}
          {named.appliedBefore(earlier.length)}
        </span>
      )}
    </span>
  );
}

/** Revisions that were read so far, newest first where nobody sorts them. */
interface RevisionTableProps extends Pick<DataTableProps<Revision>, 'unread'> {
  readonly revisions: readonly Revision[];
}

export function RevisionTable({ revisions, unread }: RevisionTableProps) {
  const columns = useMemo(
    () => COLUMNS(new Map(revisions.map(({ id, number }) => [id, number])), runningByContent(revisions)),
    [revisions],
  );
  return (
    <DataTable
      caption={words.title}
      columns={columns}
      rows={revisions}
      keyOf={({ id }) => id}
      file={named.file}
      {...(unread === undefined ? {} : { unread })}
    />
  );
}
