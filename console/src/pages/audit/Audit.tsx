import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { subjectText } from '../../../../src/api/activity/audit-entries.ts';
import { Badge, type Tone } from '../../design/shown/Badge.tsx';
import { useShortcut } from '../../design/behaviour/shortcuts.tsx';
import { Moment } from '../../design/shown/Time.tsx';
import {
  auditQuery,
  auditRecordQuery,
  type AuditFilter,
  type AuditRecord,
} from '../../service/operations.ts';
import { formatDateTime } from '../../strings/format.ts';
import { auditText } from '../../strings/operations.ts';
import { rangeText } from '../../strings/range.ts';
import type { Column } from '../../views/tables/column.ts';
import { RowAction } from '../../views/tables/RowAction.tsx';
import { useServiceOrder } from '../../views/tables/table-state.ts';
import { FilterSelect } from '../../views/tables/FilterSelect.tsx';
import { TimeRange } from '../../views/tables/TimeRange.tsx';
import { EmptyWithLink } from '../../views/page/EmptyWithLink.tsx';
import { PagedList } from '../../views/records/List.tsx';
import { Page } from '../../views/page/Page.tsx';
import { useResourceNames, type Resource } from '../../views/resources/resource-names.ts';
import { ModuleLink, ResourceLink } from '../../views/resources/ResourceLink.tsx';
import { AuditDialog } from './AuditDialog.tsx';

const route = getRouteApi('/audit');

/** The lightest first. */
const SEVERITIES = Object.keys(auditText.severities) as AuditRecord['severity'][];
const TONES: Readonly<Record<AuditRecord['severity'], Tone>> = {
  info: 'plain',
  notice: 'accent',
  warning: 'warning',
  critical: 'bad',
};

const COLUMNS: readonly Column<AuditRecord>[] = [
  { name: auditText.at, sort: 'at', value: ({ at }) => at, cell: ({ at }) => <Moment at={at} /> },
  // In sight on a narrow screen.
  {
    name: auditText.actor,
    value: ({ actor }) => actor,
    cell: ({ actor }) => (
      <Link
        className="name"
        to="/audit"
        search={(before) => ({ ...before, actor })}
        title={auditText.onlyBy(actor)}
      >
        {actor}
      </Link>
    ),
  },
  {
    name: auditText.action,
    value: ({ action }) => action,
    cell: ({ action }) => <code>{action}</code>,
  },
  {
    name: auditText.resource,
    value: (record) => subjectText(record) ?? record.resource.id ?? '',
    cell: (record) => {
      const { type, id } = record.resource;
      const name = subjectText(record);
      const list = listOf(record);
      return (
        <span className="wraps">
          {id === null ? (
            <span className="name">{name}</span>
          ) : (
            <ResourceLink type={type} id={id} name={name} />
          )}
          {list !== null && (
            <>
              {' '}
              {auditText.inList} <ModuleLink id={list} name={null} />
            </>
          )}
        </span>
      );
    },
  },
  {
    name: auditText.severity,
    value: ({ severity }) => SEVERITIES.indexOf(severity),
    saved: { [auditText.severity]: ({ severity }) => auditText.severities[severity] },
    cell: ({ severity }) => <Badge tone={TONES[severity]}>{auditText.severities[severity]}</Badge>,
  },
];

/** The list that an entry is in. */
function listOf({ resource: { type }, changes: { before, after } }: AuditRecord): string | null {
  const id = after?.module_id ?? before?.module_id;
  return type !== 'module' && type !== 'revision' && typeof id === 'string' ? id : null;
}

function moduleOf(record: AuditRecord): Resource | null {
  const id = listOf(record);
  return id === null ? null : { type: 'module', id };
}

/** With the list that an entry is in: what was removed from where. */
function resourceText(record: AuditRecord, nameOf: (resource: Resource | null) => string): string {
  const list = moduleOf(record);
  const name = subjectText(record) ?? record.resource.id ?? '';
  return list === null ? name : `${name} ${auditText.inList} ${nameOf(list)}`;
}

export function Audit() {
  const { record: shownId, find: _, sort: __, ...filter } = route.useSearch();
  const navigate = useNavigate();
  const { nameOf, readNames } = useResourceNames();
  const columns = COLUMNS.map((column) =>
    column.name === auditText.resource
      ? {
          ...column,
          saved: { [auditText.resource]: (record: AuditRecord) => resourceText(record, nameOf) },
          prepare: (rows: readonly AuditRecord[]) => readNames(rows.map(moduleOf)),
        }
      : column,
  );
  const sort = useServiceOrder(COLUMNS) as AuditFilter['sort'];
  const records = useInfiniteQuery({
    ...auditQuery({ ...filter, ...(sort === undefined ? {} : { sort }) }),
    placeholderData: keepPreviousData,
  });
  const read = records.data?.pages.flatMap(({ items }) => items) ?? [];
  const isRead = shownId === undefined || read.some(({ id }) => id === shownId);
  // Whoever opens the address of a record may not have it among the newest.
  const older = useQuery({ ...auditRecordQuery(shownId ?? ''), enabled: records.isSuccess && !isRead });
  const shown = read.find(({ id }) => id === shownId) ?? older.data?.items[0];
  const setShown = (record: AuditRecord | null): void =>
    void navigate({
      to: '/audit',
      search: ({ record: _, ...rest }) => (record === null ? rest : { ...rest, record: record.id }),
      ...{ replace: true, resetScroll: false },
    });
  const show: Column<AuditRecord> = {
    ...{ name: auditText.changes, isActions: true, value: () => '' },
    cell: (record) => (
      <RowAction data-opens="" onClick={() => setShown(record)}>
        {auditText.show}
      </RowAction>
    ),
  };
  return (
    <Page
      title={titleOf(filter)}
      heading={auditText.title}
      actions={
        <>
          <Search q={filter.q ?? ''} />
          <TimeRange since={filter.since} until={filter.until} />
          <FilterSelect
            label={auditText.filterSeverity}
            name="severity"
            value={filter.severity}
            all={auditText.allSeverities}
            choices={SEVERITIES.map((value) => ({ value, label: auditText.severities[value] }))}
          />
        </>
      }
    >
      {(filter.resource_id !== undefined || filter.actor !== undefined) && (
        <p className="muted name">
          {filter.resource_id !== undefined && auditText.onlyAbout}{' '}
          {filter.actor !== undefined && auditText.onlyBy(filter.actor)}{' '}
          <Link to="/audit" search={({ resource_id: _, actor: __, ...rest }) => rest}>
            {auditText.showAll}
          </Link>
        </p>
      )}
      <PagedList
        query={records}
        caption={auditText.title}
        columns={[...columns, show]}
        keyOf={({ id }) => id}
        nameOf={(record) =>
          [record.action, resourceText(record, nameOf), formatDateTime(record.at)].join(' ')
        }
        file="audit"
        hasFilter={false}
        empty={
          <EmptyWithLink
            title={filter.q === undefined ? auditText.emptyTitle : auditText.notFoundTitle}
            what={filter.q === undefined ? auditText.empty : auditText.notFound}
            to="jobs"
            command={auditText.command}
          />
        }
      />
      {shown !== undefined && <AuditDialog record={shown} onClose={() => setShown(null)} />}
    </Page>
  );
}

/** @returns null for what is no time, as somebody may write it into an address */
function timeOf(moment: string | undefined): string | null {
  return moment === undefined || Number.isNaN(Date.parse(moment)) ? null : formatDateTime(moment);
}

/** Several tabs of the log differ by what each shows. */
function titleOf({ q, actor, since, until, severity, resource_id }: AuditFilter): string {
  const parts = [
    ...(q === undefined ? [] : [`“${q}”`]),
    ...(actor === undefined ? [] : [auditText.by(actor)]),
    ...(severity === undefined ? [] : [auditText.severities[severity]]),
    ...(resource_id === undefined ? [] : [auditText.aboutOne]),
    ...rangeText.shown(timeOf(since), timeOf(until)),
  ];
  return [...parts, auditText.title].join(' · ');
}

/** Asks the service, which has more records than the page, as it is typed. */
function Search({ q }: { q: string }) {
  const [typed, setTyped] = useState(q);
  const navigate = useNavigate();
  const field = useRef<HTMLInputElement>(null);
  useShortcut('f', auditText.search, () => field.current?.focus());
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined);
  const asked = useRef(q);
  useEffect(() => {
    if (q === asked.current) return;
    // It came from elsewhere: by a link, or on the way back.
    asked.current = q;
    setTyped(q);
  }, [q]);
  useEffect(() => () => clearTimeout(pause.current), []);
  const ask = (wanted: string): void => {
    clearTimeout(pause.current);
    asked.current = wanted.trim();
    void navigate({
      to: '/audit',
      search: ({ q: _, ...rest }) => (asked.current === '' ? rest : { ...rest, q: asked.current }),
      replace: true,
    });
  };
  return (
    <form
      role="search"
      data-finds="list"
      onSubmit={(event) => {
        event.preventDefault();
        ask(typed);
      }}
    >
      <input
        ref={field}
        className="input filter-select"
        type="search"
        aria-label={auditText.search}
        placeholder={auditText.search}
        value={typed}
        onChange={({ target }) => {
          const { value } = target;
          setTyped(value);
          clearTimeout(pause.current);
          pause.current = setTimeout(() => ask(value), PAUSE_MILLISECONDS);
        }}
      />
    </form>
  );
}

/** Between two letters. */
const PAUSE_MILLISECONDS = 300;
