import type { ReactNode } from 'react';
import { Badge } from '../design/Badge.tsx';
import { Copy } from '../design/Copy.tsx';
import { Time } from '../design/Time.tsx';
import type { Speaker } from '../service/queries.ts';
import { text } from '../strings/english.ts';
import { formatNumber } from '../strings/format.ts';
import { DataTable, type Column } from './DataTable.tsx';
import { SpeakerLink } from './ResourceLink.tsx';

type Session = NonNullable<Speaker['live']>['sessions'][number] & {
  readonly speaker: string;
  readonly speakerId: string;
};

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
    cell: ({ speaker, speakerId }) => <SpeakerLink id={speakerId} name={speaker} />,
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

interface SessionTableProps {
  readonly speakers: readonly Speaker[];
  readonly file: string;
  readonly tools?: ReactNode;
}

/** Every session of these speakers, and how it is. */
export function SessionTable({ speakers, file, tools }: SessionTableProps) {
  return (
    <DataTable
      caption={text.sessions.title}
      columns={COLUMNS}
      rows={speakers.flatMap(sessionsOf)}
      keyOf={({ peer_id, speakerId }) => `${speakerId} ${peer_id}`}
      file={file}
      tools={tools}
    />
  );
}

export function sessionsOf({ id, name, live }: Speaker): Session[] {
  return (live?.sessions ?? []).map((session) => ({ ...session, speaker: name, speakerId: id }));
}
