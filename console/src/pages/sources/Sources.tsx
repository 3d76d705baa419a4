import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Badge, type Tone } from '../../design/shown/Badge.tsx';
import { Button } from '../../design/controls/Button.tsx';
import { Time } from '../../design/shown/Time.tsx';
import { useToast } from '../../design/messages/Toasts.tsx';
import { client } from '../../service/client.ts';
import { sourcesQuery, type Source } from '../../service/operations.ts';
import { useMay } from '../../service/permissions.ts';
import { settingsQuery } from '../../service/queries.ts';
import { columnText } from '../../strings/columns.ts';
import { entriesText } from '../../strings/entries.ts';
import { text } from '../../strings/english.ts';
import { sourcesText } from '../../strings/operations.ts';
import { inWordsOfThePages } from '../../strings/remedies.ts';
import { SourceAges } from '../../views/charts/SourceAges.tsx';
import { DataTable, type Column } from '../../views/tables/DataTable.tsx';
import { prefixColumn, timeColumn } from '../../views/tables/shared-columns.tsx';
import { FilterSelect } from '../../views/tables/FilterSelect.tsx';
import { EmptyWithLink } from '../../views/page/EmptyWithLink.tsx';
import { Loaded } from '../../views/page/Loaded.tsx';
import { Page } from '../../views/page/Page.tsx';
import { BegunAll } from '../../views/resources/BegunAll.tsx';

const route = getRouteApi('/sources');

const STATUSES = ['failed', 'stale', 'pending', 'ok'] as const;
const TONES: Readonly<Record<Source['status'], Tone>> = {
  ok: 'good',
  stale: 'warning',
  failed: 'bad',
  pending: 'plain',
};

const COLUMNS: readonly Column<Source>[] = [
  {
    name: sourcesText.name,
    value: ({ name }) => name,
    cell: ({ name }) => (
      <span className="name" title={name}>
        {name}
      </span>
    ),
  },
  {
    name: sourcesText.status,
    value: ({ status }) => entriesText.status[status]!,
    cell: ({ status }) => <Badge tone={TONES[status]}>{entriesText.status[status]}</Badge>,
  },
  {
    name: sourcesText.age,
    value: ({ age_seconds }) => age_seconds ?? Infinity,
    saved: {
      [columnText.inSeconds(sourcesText.age)]: ({ age_seconds }) => age_seconds ?? text.never,
      [sourcesText.isTooOld]: ({ is_too_old }) => (is_too_old ? text.yes : text.no),
    },
    cell: ({ last_refreshed_at: at, is_too_old }) => (
      <>
        {at === null ? <span className="muted">{text.never}</span> : <Time at={at} />}{' '}
        {is_too_old && <Badge tone="bad">{sourcesText.tooOld}</Badge>}
      </>
    ),
  },
  timeColumn(sourcesText.due, ({ next_refresh_at }) => next_refresh_at, sourcesText.byHand),
  prefixColumn(sourcesText.prefixes, ({ prefix_count }) => prefix_count),
  prefixColumn(sourcesText.retained, ({ retained }) => retained),
  {
    name: sourcesText.module,
    value: ({ module_name }) => module_name,
    cell: ({ module_id, module_name }) => (
      <Link className="name" to="/modules/$moduleId" params={{ moduleId: module_id }}>
        {module_name}
      </Link>
    ),
  },
  {
    name: sourcesText.error,
    value: ({ last_error }) => inWordsOfThePages(last_error ?? ''),
    cell: ({ last_error }) => <span className="whole-text">{inWordsOfThePages(last_error ?? '')}</span>,
  },
];

/** Failed ones before stale ones; those of a state stay in their order. */
function worstFirst(sources: readonly Source[]): readonly Source[] {
  return sources.toSorted((one, other) => STATUSES.indexOf(one.status) - STATUSES.indexOf(other.status));
}

export function Sources() {
  const { status } = route.useSearch();
  const { data: settings } = useQuery(settingsQuery);
  const hours = settings?.settings.guard_stale_max_hours;
  return (
    <Page
      title={sourcesText.title}
      actions={
        <FilterSelect
          label={sourcesText.filter}
          name="status"
          value={status}
          all={sourcesText.all}
          choices={STATUSES.map((value) => ({ value, label: entriesText.status[value]! }))}
        />
      }
    >
      {hours !== undefined && <p className="muted">{sourcesText.limit(hours)}</p>}
      <Loaded query={useQuery(sourcesQuery(status))}>
        {(sources) =>
          sources.length === 0 ? (
            <EmptyWithLink
              title={status === undefined ? sourcesText.emptyTitle : sourcesText.noneTitle}
              what={status === undefined ? sourcesText.empty : sourcesText.none}
              to="modules"
              command={sourcesText.command}
            />
          ) : (
            <>
              <SourceAges sources={sources} />
              <DataTable
                caption={sourcesText.title}
                columns={COLUMNS}
                rows={worstFirst(sources)}
                keyOf={({ id }) => id}
                file="sources"
                tools={<RefreshAll sources={sources} />}
              />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

/** A refresh of every module that has one of the sources that are shown. */
function RefreshAll({ sources }: { sources: readonly Source[] }) {
  const toast = useToast();
  const may = useMay();
  const modules = [...new Set(sources.filter(({ enabled }) => enabled).map(({ module_id }) => module_id))];
  const refreshing = useMutation({
    mutationFn: async () => {
      const jobIds: string[] = [];
      for (const id of modules) {
        const params = { path: { module_id: id } };
        jobIds.push((await client.post('/v1/modules/{module_id}/refresh', { params })).id);
      }
      return jobIds;
    },
    onSuccess: (jobIds) => toast(<BegunAll jobIds={jobIds} />, { about: 'sources' }),
    onError: (error) => toast(error.message),
  });
  if (!may('bgp:lists:write') || modules.length === 0) return null;
  return (
    <Button look="primary" isBusy={refreshing.isPending} onClick={() => refreshing.mutate()}>
      {sourcesText.refreshAll(modules.length)}
    </Button>
  );
}
