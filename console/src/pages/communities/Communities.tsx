import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '@prefixcast/client';
import { communitiesQuery, modulesQuery } from '../../service/queries.ts';
import { communitiesText } from '../../strings/operations.ts';
import { peersText } from '../../strings/speakers.ts';
import { formatNumber } from '../../strings/format.ts';
import { Community } from '../../views/resources/Community.tsx';
import type { Column } from '../../views/tables/DataTable.tsx';
import { Page } from '../../views/page/Page.tsx';
import { Records } from '../../views/records/Records.tsx';
import type { FormField } from '../../views/forms/RecordForm.tsx';

type Row = Schemas['Community'];

const FIELDS: readonly FormField[] = [
  {
    ...{ name: 'community', label: communitiesText.community, hint: communitiesText.communityHint },
    ...{ isRequired: true, isMono: true },
  },
  { name: 'title', label: communitiesText.name, isRequired: true },
  { name: 'description', label: communitiesText.description, kind: 'long' },
  {
    ...{ name: 'next_hop_ipv4', label: peersText.nextHop4, hint: communitiesText.nextHopHint, isMono: true },
  },
  {
    ...{ name: 'next_hop_ipv6', label: peersText.nextHop6, hint: communitiesText.nextHopHint, isMono: true },
  },
];

export function Communities() {
  const communities = useQuery(communitiesQuery);
  const { data: modules = [] } = useQuery(modulesQuery);
  const usedBy = (id: string): number => modules.filter(({ community_id }) => community_id === id).length;
  const columns: readonly Column<Row>[] = [
    {
      name: communitiesText.community,
      value: ({ community }) => community,
      cell: ({ community }) => <Community community={community} />,
    },
    {
      name: communitiesText.name,
      value: ({ title }) => title,
      cell: ({ title }) => (
        <span className="name" title={title}>
          {title}
        </span>
      ),
    },
    {
      ...{ name: communitiesText.modules, isNumber: true },
      value: ({ id }) => usedBy(id),
      cell: ({ id }) => formatNumber(usedBy(id)),
    },
    {
      name: communitiesText.description,
      value: ({ description }) => description ?? '',
      cell: ({ description }) => (
        <span className="name muted" title={description ?? undefined}>
          {description}
        </span>
      ),
    },
  ];
  return (
    <Page title={communitiesText.title}>
      <Records
        title={communitiesText.title}
        query={communities}
        columns={columns}
        path="/v1/communities"
        fields={FIELDS}
        permission="bgp:communities:write"
        nameOf={({ community }) => community}
        create={communitiesText.create}
        empty={{
          title: communitiesText.emptyTitle,
          what: communitiesText.empty,
          command: communitiesText.command,
        }}
      />
    </Page>
  );
}
