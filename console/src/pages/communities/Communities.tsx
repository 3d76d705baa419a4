import type { Schemas } from '@prefixcast/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Copy } from '../../design/messages/Copy.tsx';
import { communitiesQuery, modulesQuery, peersQuery } from '../../service/queries.ts';
import { communitiesText } from '../../strings/operations.ts';
import { peersText } from '../../strings/speakers.ts';
import { formatNumber } from '../../strings/format.ts';
import { Community } from '../../views/resources/Community.tsx';
import { FirstOf } from '../../views/resources/FirstOf.tsx';
import { ModuleLink, PeerLink } from '../../views/resources/ResourceLink.tsx';
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

function hopsOf({ next_hop_ipv4, next_hop_ipv6 }: Row): string[] {
  return [next_hop_ipv4, next_hop_ipv6].filter((hop) => hop !== null);
}

export function Communities() {
  const communities = useQuery(communitiesQuery);
  const { data: modules = [] } = useQuery(modulesQuery);
  const usedBy = (id: string): string[] =>
    modules.flatMap((module) => (module.community_id === id ? [module.id] : []));
  const { data: peers = [] } = useQuery(peersQuery);
  const peersOf = (id: string) => peers.filter(({ community_ids: ids }) => ids.includes(id));
  const columns: readonly Column<Row>[] = [
    {
      name: communitiesText.community,
      value: ({ community }) => community,
      saved: {
        [communitiesText.community]: ({ community }) => community,
        [communitiesText.nextHops]: (one) => hopsOf(one).join(' '),
      },
      cell: (one) => (
        <>
          <Community community={one.community} /> <Copy value={one.community} />
          {hopsOf(one).map((hop) => (
            <div key={hop} className="muted">
              {communitiesText.nextHop} <code>{hop}</code>
            </div>
          ))}
        </>
      ),
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
      value: ({ id }) => usedBy(id).length,
      cell: ({ id, community }) =>
        usedBy(id).length === 0 ? (
          formatNumber(0)
        ) : (
          <Link to="/modules" search={{ find: community }}>
            {formatNumber(usedBy(id).length)}
          </Link>
        ),
    },
    {
      // A peer that names no community receives the routes of all.
      name: communitiesText.peers,
      value: ({ id }) =>
        peersOf(id)
          .map(({ name }) => name)
          .join(', '),
      cell: ({ id }) => (
        <span className="several">
          <FirstOf
            ids={peersOf(id).map((peer) => peer.id)}
            link={(peerId) => <PeerLink id={peerId} name={null} />}
          />
        </span>
      ),
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
        beforeDeletion={({ id }) => <Users ids={usedBy(id)} />}
        madeAgain={{ also: ['color'] }}
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

/** The lists that have to be given another one first. */
function Users({ ids }: { ids: readonly string[] }) {
  if (ids.length === 0) return null;
  return (
    <p>
      {communitiesText.usedBy} <FirstOf ids={ids} link={(id) => <ModuleLink id={id} name={null} />} />
    </p>
  );
}
