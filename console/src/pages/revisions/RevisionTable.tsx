import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Badge } from '../../design/shown/Badge.tsx';
import { useNow } from '../../design/behaviour/now.tsx';
import { Moment } from '../../design/shown/Time.tsx';
import type { Revision } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { formatDateTime, formatMoment, formatNumber } from '../../strings/format.ts';
import { revisionTableText } from '../../strings/revision-table.ts';
import { DataTable, type Column, type DataTableProps } from '../../views/tables/DataTable.tsx';
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
  ends: ReadonlyMap<string, string>,
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
    value: ({ first_applied_at }) => first_applied_at ?? '',
    saved: {
      [named.appliedSince]: ({ first_applied_at }) => first_applied_at ?? '',
      [named.appliedUntil]: ({ id, applied_on }) =>
        applied_on.length > 0 ? named.appliedNow : (ends.get(id) ?? ''),
    },
    cell: (revision) => <Applied revision={revision} end={ends.get(revision.id)} />,
  },
];

/** What they are called, and by what the service sorts. */
export const ORDERED_COLUMNS = COLUMNS(new Map(), new Map(), new Map());

/** From when to when speakers had it. */
function Applied({ revision, end }: { revision: Revision; end: string | undefined }) {
  const now = useNow();
  const { first_applied_at: from, applied_on } = revision;
  if (from === null) return null;
  const isCurrent = applied_on.length > 0;
  return (
    <span className="number wraps">
      <time dateTime={from} title={formatDateTime(from)}>
        {formatMoment(from, now)}
      </time>
      {isCurrent && ` ${named.appliedTo} ${named.appliedNow}`}
      {!isCurrent && end !== undefined && (
        <>
          {' '}
          {named.appliedTo}{' '}
          <time dateTime={end} title={formatDateTime(end)}>
            {formatMoment(end, now)}
          </time>
        </>
      )}
    </span>
  );
}

/** Of each revision when the next one was applied, by its id. */
function endsOf(revisions: readonly Revision[]): ReadonlyMap<string, string> {
  const applied = revisions
    .flatMap(({ id, first_applied_at: at }) => (at === null ? [] : [{ id, at }]))
    .toSorted((one, other) => one.at.localeCompare(other.at));
  return new Map(applied.slice(0, -1).map(({ id }, place) => [id, applied[place + 1]!.at]));
}

/** Revisions that were read so far, newest first where nobody sorts them. */
interface RevisionTableProps extends Pick<DataTableProps<Revision>, 'unread'> {
  readonly revisions: readonly Revision[];
}

export function RevisionTable({ revisions, unread }: RevisionTableProps) {
  const columns = useMemo(
    () =>
      COLUMNS(
        new Map(revisions.map(({ id, number }) => [id, number])),
        endsOf(revisions),
        runningByContent(revisions),
      ),
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
