import type { Schemas } from '@prefixcast/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Badge } from '../../design/shown/Badge.tsx';
import { peersQuery } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { formatList } from '../../strings/format.ts';
import { peersText } from '../../strings/speakers.ts';
import type { Column } from '../../views/tables/DataTable.tsx';
import { Records } from '../../views/records/Records.tsx';
import { routerColumns } from '../../views/tables/router-columns.tsx';
import { partColumn } from '../../views/tables/shared-columns.tsx';
import { Page } from '../../views/page/Page.tsx';
import { usePeerFields } from './peer-fields.ts';

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
    value: ({ families }) => formatList(families.map((family) => text.families[family])),
    cell: ({ families }) => formatList(families.map((family) => text.families[family])),
  },
  partColumn(text.overview.sessions, ({ established_on_speakers: up, session_on_speakers: all }) => ({
    ...{ have: up.length, all: all.length },
  })),
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
        hasPages
        madeAgain={{ unless: ({ has_password }) => has_password }}
        nameOf={({ name }) => name}
        create={peersText.create}
        empty={{
          title: peersText.emptyTitle,
          what: peersText.empty,
          command: text.sessions.emptyCommand,
        }}
      />
    </Page>
  );
}
