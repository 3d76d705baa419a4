import type { Schemas } from '@prefixcast/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Badge } from '../../design/shown/Badge.tsx';
import { communitiesQuery, peersQuery, speakersQuery } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { formatList } from '../../strings/format.ts';
import { peersText } from '../../strings/speakers.ts';
import type { Column } from '../../views/tables/DataTable.tsx';
import { Records } from '../../views/records/Records.tsx';
import { routerColumns } from '../../views/tables/router-columns.tsx';
import { peerFields } from '../../views/forms/speaker-fields.ts';
import { Page } from '../../views/page/Page.tsx';

type Peer = Schemas['Peer'];

const COLUMNS: readonly Column<Peer>[] = [
  {
    name: peersText.name,
    value: ({ name }) => name,
    cell: ({ id, name }) => (
      <Link className="name" to="/peers/$peerId" params={{ peerId: id }} title={name}>
        {name}
      </Link>
    ),
  },
  {
    name: peersText.state,
    value: ({ enabled }) => (enabled ? peersText.on : peersText.off),
    cell: ({ enabled }) => (
      <Badge tone={enabled ? 'good' : 'plain'}>{enabled ? peersText.on : peersText.off}</Badge>
    ),
  },
  ...routerColumns(),
  {
    name: peersText.families,
    value: ({ families }) => families.join(' '),
    cell: ({ families }) => formatList(families.map((family) => text.families[family])),
  },
  {
    name: text.overview.sessions,
    value: ({ established_on_speakers }) => established_on_speakers.length,
    cell: ({ established_on_speakers, session_on_speakers }) =>
      text.overview.ofAll(established_on_speakers.length, session_on_speakers.length),
  },
  {
    name: peersText.description,
    value: ({ description }) => description ?? '',
    cell: ({ description }) => (
      <span className="name muted" title={description ?? undefined}>
        {description}
      </span>
    ),
  },
];

/** The fields of a peer, with the speakers and communities that there are. */
export function usePeerFields() {
  const { data: speakers = [] } = useQuery(speakersQuery);
  const { data: communities = [] } = useQuery(communitiesQuery);
  return peerFields(
    speakers.map(({ id, name }) => ({ value: id, label: name })),
    communities.map(({ id, community, title }) => ({ value: id, label: `${community} ${title}` })),
  );
}

/** All peers, those that are turned off as well, which have no session. */
export function Peers() {
  return (
    <Page title={peersText.title}>
      <Records
        title={peersText.title}
        query={useQuery(peersQuery)}
        columns={COLUMNS}
        path="/v1/peers"
        fields={usePeerFields()}
        permission="bgp:peers:write"
        madeAgain={{ unless: ({ has_password }) => has_password }}
        nameOf={({ name }) => name}
        create={peersText.create}
        empty={{
          title: peersText.emptyTitle,
          what: text.sessions.emptyWhat,
          command: text.sessions.emptyCommand,
        }}
      />
    </Page>
  );
}
