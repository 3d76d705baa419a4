import type { Schemas } from '@prefixcast/client';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState, type ReactNode } from 'react';
import { Badge } from '../../design/shown/Badge.tsx';
import { Empty } from '../../design/messages/Empty.tsx';
import { useMay } from '../../service/permissions.ts';
import { communitiesQuery, modulesQuery, resolversQuery, type Module } from '../../service/queries.ts';
import { entriesText } from '../../strings/entries.ts';
import { text } from '../../strings/english.ts';
import { formatNumber } from '../../strings/format.ts';
import { removedText } from '../../strings/removed.ts';
import { CreateButton } from '../../views/records/CreateButton.tsx';
import { DataTable, type Column } from '../../views/tables/DataTable.tsx';
import { prefixColumn, timeColumn } from '../../views/tables/shared-columns.tsx';
import { Loaded } from '../../views/page/Loaded.tsx';
import { Page } from '../../views/page/Page.tsx';
import { CreateDialog } from '../../views/forms/record-dialogs.ts';
import { Community } from '../../views/resources/Community.tsx';
import { moduleState } from '../../views/resources/StateBadges.tsx';
import { Tabs } from '../../views/page/Tabs.tsx';
import { DeletedModules } from './DeletedModules.tsx';
import { communityChoices, moduleFields, resolverChoices } from './module-fields.ts';

const columnsOf = (communities: ReadonlyMap<string, Schemas['Community']>): readonly Column<Module>[] => [
  {
    name: text.modules.name,
    value: ({ name }) => name,
    cell: ({ id, name }) => (
      <Link className="name" to="/modules/$moduleId" params={{ moduleId: id }} title={name}>
        {name}
      </Link>
    ),
  },
  {
    name: text.modules.state,
    value: (module) => moduleState(module).word,
    cell: (module) => <Badge tone={moduleState(module).tone}>{moduleState(module).word}</Badge>,
  },
  {
    name: text.modules.type,
    value: ({ type }) => text.modules.types[type] ?? type,
    saved: {
      [text.modules.type]: ({ type, purpose }) =>
        [text.modules.types[type] ?? type, ...(purpose === 'exclude' ? [text.modules.exclude] : [])].join(
          ', ',
        ),
    },
    cell: ({ type, purpose }) => (
      <>
        {text.modules.types[type] ?? type} {purpose === 'exclude' && <Badge>{text.modules.exclude}</Badge>}
      </>
    ),
  },
  {
    name: text.modules.community,
    value: ({ community_id: id }) => (id === null ? '' : (communities.get(id)?.community ?? id)),
    cell: ({ community_id: id }) => {
      const community = id === null ? undefined : communities.get(id);
      return community !== undefined && <Community community={community.community} hint={community.title} />;
    },
  },
  {
    ...{ name: text.modules.entries, isNumber: true },
    value: ({ entry_count }) => entry_count,
    cell: ({ entry_count }) => formatNumber(entry_count),
  },
  prefixColumn(text.modules.routes, ({ prefix_count }) => prefix_count),
  {
    ...{ name: text.modules.pending, isNumber: true },
    value: ({ pending_changes }) => pending_changes.count,
    cell: ({ pending_changes: { count } }) => (count === 0 ? '' : formatNumber(count)),
  },
  timeColumn(text.modules.refreshed, ({ last_refreshed_at }) => last_refreshed_at),
];

const { tabs } = removedText;
const TABS = [
  ['present', tabs.present],
  ['deleted', tabs.deleted],
] as const;

const route = getRouteApi('/modules');

export function Modules() {
  const { tab = 'present' } = route.useSearch();
  const may = useMay();
  const [isCreating, setCreating] = useState(false);
  const creating = may('bgp:lists:write') && (
    <CreateButton action={entriesText.settings.create} onCreate={() => setCreating(true)} />
  );
  return (
    <Page title={tab === 'deleted' ? removedText.title : text.modules.title}>
      <Tabs label={removedText.tabs.label} tabs={TABS} current={tab} />
      {tab === 'deleted' ? <DeletedModules /> : <PresentModules creating={creating} />}
      {isCreating && <NewModule onClose={() => setCreating(false)} />}
    </Page>
  );
}

function PresentModules({ creating }: { creating: ReactNode }) {
  const { data: communities } = useQuery(communitiesQuery);
  const columns = useMemo(() => columnsOf(new Map(communities?.map((one) => [one.id, one]))), [communities]);
  return (
    <Loaded query={useQuery(modulesQuery)}>
      {(modules) =>
        modules.length === 0 ? (
          <Empty
            title={text.modules.emptyTitle}
            what={text.modules.emptyWhat}
            action={creating}
            command={text.overview.emptyCommand}
          />
        ) : (
          <DataTable
            caption={text.modules.title}
            columns={columns}
            rows={modules}
            keyOf={({ id }) => id}
            file="modules"
            tools={creating}
          />
        )
      }
    </Loaded>
  );
}

function NewModule({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const communities = useQuery(communitiesQuery);
  const { data: resolvers = [] } = useQuery(resolversQuery);
  return (
    <Loaded query={communities}>
      {(all) => (
        <CreateDialog
          title={entriesText.settings.create}
          path="/v1/modules"
          fields={moduleFields(communityChoices(all), resolverChoices(resolvers))}
          isOpen
          onClose={onClose}
          onDone={({ id }) => void navigate({ to: '/modules/$moduleId', params: { moduleId: String(id) } })}
        />
      )}
    </Loaded>
  );
}
