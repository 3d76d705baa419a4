import { useQuery } from '@tanstack/react-query';
import { Badge } from '../../design/Badge.tsx';
import { Copy } from '../../design/Copy.tsx';
import { Empty } from '../../design/Empty.tsx';
import { Time } from '../../design/Time.tsx';
import { speakersQuery, type Speaker } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { formatNumber } from '../../strings/format.ts';
import { DataTable, type Column } from '../../views/DataTable.tsx';
import { Loaded } from '../../views/Loaded.tsx';
import { Page } from '../../views/Page.tsx';

type Session = NonNullable<Speaker['live']>['sessions'][number] & { readonly speaker: string };

const COLUMNS: readonly Column<Session>[] = [
  {
    name: text.sessions.peer,
    value: ({ peer_name }) => peer_name,
    cell: ({ peer_name }) => (
      <span className="name" title={peer_name}>
        {peer_name}
      </span>
    ),
  },
  {
    name: text.sessions.state,
    value: ({ state }) => state,
    cell: ({ state }) => <Badge tone={state === 'established' ? 'good' : 'bad'}>{state}</Badge>,
  },
  {
    name: text.sessions.address,
    value: ({ address }) => address,
    cell: ({ address }) => (
      <>
        <code>{address}</code> <Copy value={address} />
      </>
    ),
  },
  {
    ...{ name: text.sessions.asn, isNumber: true },
    value: ({ remote_asn }) => remote_asn,
    cell: ({ remote_asn }) => remote_asn,
  },
  {
    name: text.sessions.speaker,
    value: ({ speaker }) => speaker,
    cell: ({ speaker }) => <span className="name">{speaker}</span>,
  },
  {
    ...{ name: text.sessions.sent, isNumber: true },
    value: ({ routes_exported }) => routes_exported,
    cell: ({ routes_exported }) => formatNumber(routes_exported),
  },
  {
    name: text.sessions.since,
    value: ({ since }) => since,
    cell: ({ since }) => <Time at={since} />,
  },
  {
    name: text.sessions.error,
    value: ({ last_error }) => last_error ?? '',
    cell: ({ last_error }) => (
      <span className="name" title={last_error ?? undefined}>
        {last_error}
      </span>
    ),
  },
];

export function Sessions() {
  return (
    <Page title={text.sessions.title}>
      <Loaded query={useQuery(speakersQuery)}>
        {(speakers) => {
          const sessions = speakers.flatMap(({ name, live }) =>
            (live?.sessions ?? []).map((session) => ({ ...session, speaker: name })),
          );
          return sessions.length === 0 ? (
            <Empty
              title={text.sessions.emptyTitle}
              what={text.sessions.emptyWhat}
              command={text.sessions.emptyCommand}
            />
          ) : (
            <DataTable
              caption={text.sessions.title}
              columns={COLUMNS}
              rows={sessions}
              keyOf={({ peer_id, speaker }) => `${speaker} ${peer_id}`}
              file="sessions"
            />
          );
        }}
      </Loaded>
    </Page>
  );
}
