import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { subjectText } from '../../../../src/api/activity/audit-entries.ts';
import { Badge, type Tone } from '../../design/shown/Badge.tsx';
import { Button } from '../../design/controls/Button.tsx';
import { Empty } from '../../design/messages/Empty.tsx';
import { Time } from '../../design/shown/Time.tsx';
import { auditQuery, type AuditRecord } from '../../service/operations.ts';
import { text } from '../../strings/english.ts';
import { auditText } from '../../strings/operations.ts';
import { DataTable, type Column } from '../../views/records/DataTable.tsx';
import { FilterSelect } from '../../views/records/FilterSelect.tsx';
import { Loaded } from '../../views/Loaded.tsx';
import { Page } from '../../views/Page.tsx';
import { ResourceLink } from '../../views/ResourceLink.tsx';
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
  { name: auditText.at, value: ({ at }) => at, cell: ({ at }) => <Time at={at} /> },
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
      if (id === null) return <span className="name">{name}</span>;
      return <ResourceLink type={type} id={id} name={name} />;
    },
  },
  {
    name: auditText.actor,
    value: ({ actor }) => actor,
    cell: ({ actor }) => <span className="name">{actor}</span>,
  },
  {
    name: auditText.severity,
    value: ({ severity }) => SEVERITIES.indexOf(severity),
    cell: ({ severity }) => <Badge tone={TONES[severity]}>{auditText.severities[severity]}</Badge>,
  },
];

export function Audit() {
  const filter = route.useSearch();
  const [shown, setShown] = useState<AuditRecord | null>(null);
  const records = useInfiniteQuery(auditQuery(filter));
  const show: Column<AuditRecord> = {
    ...{ name: auditText.changes, isActions: true, value: () => '' },
    cell: (record) => (
      <span className="row-actions">
        <Button look="quiet" onClick={() => setShown(record)}>
          {auditText.show}
        </Button>
      </span>
    ),
  };
  return (
    <Page
      title={auditText.title}
      actions={
        <>
          <Search key={filter.q} q={filter.q ?? ''} />
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
      {filter.resource_id !== undefined && (
        <p className="muted">
          {auditText.onlyAbout}{' '}
          <Link to="/audit" search={{}}>
            {auditText.showAll}
          </Link>
        </p>
      )}
      <Loaded query={records}>
        {({ pages }) => {
          const rows = pages.flatMap(({ items }) => items);
          if (rows.length === 0)
            return (
              <Empty
                title={auditText.emptyTitle}
                what={auditText.empty}
                action={
                  <Link className="button" to="/jobs">
                    {text.navigation.jobs}
                  </Link>
                }
                command={auditText.command}
              />
            );
          return (
            <>
              <DataTable
                caption={auditText.title}
                columns={[...COLUMNS, show]}
                rows={rows}
                keyOf={({ id }) => id}
                file="audit"
              />
              {records.hasNextPage && (
                <Button isBusy={records.isFetchingNextPage} onClick={() => void records.fetchNextPage()}>
                  {text.showMore}
                </Button>
              )}
            </>
          );
        }}
      </Loaded>
      {shown !== null && <AuditDialog record={shown} onClose={() => setShown(null)} />}
    </Page>
  );
}

/** Asks the service, which has more records than the page. */
function Search({ q }: { q: string }) {
  const [typed, setTyped] = useState(q);
  const navigate = useNavigate();
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        void navigate({
          to: '/audit',
          search: ({ q: _, ...rest }) => (typed.trim() === '' ? rest : { ...rest, q: typed.trim() }),
        });
      }}
    >
      <input
        className="input filter-select"
        type="search"
        aria-label={auditText.search}
        placeholder={auditText.search}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
    </form>
  );
}
