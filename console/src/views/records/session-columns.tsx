/** Between whom a session is: columns of the tables of sessions, those that are known and those that were reported last. */
import { text } from '../../strings/english.ts';
import { PeerLink, SpeakerLink } from '../resources/ResourceLink.tsx';
import type { Column } from '../tables/column.ts';
import { routerColumns } from '../tables/router-columns.tsx';

/** What a page is about: a column of it would say the same in every row. */
export type Subject = 'peer' | 'speaker';

interface Ends {
  readonly peer_id: string;
  readonly peer_name: string;
  readonly speaker: string;
  readonly speakerId: string;
  readonly address: string;
  readonly remote_asn: number;
}

/** The first begins the row. */
export function namesOf<Row extends Ends>(
  subject: Subject | undefined,
): readonly [Column<Row>, ...Column<Row>[]] {
  const peer: Column<Row> = {
    name: text.sessions.peer,
    value: ({ peer_name }) => peer_name,
    cell: ({ peer_id, peer_name }) => <PeerLink id={peer_id} name={peer_name} />,
  };
  const speaker: Column<Row> = {
    name: text.sessions.speaker,
    value: ({ speaker: name }) => name,
    cell: ({ speaker: name, speakerId }) => <SpeakerLink id={speakerId} name={name} />,
  };
  if (subject === 'peer') return [speaker];
  return subject === 'speaker' ? [peer] : [peer, speaker];
}

/** Where the router is. */
export function routerOf<Row extends Ends>(subject: Subject | undefined): readonly Column<Row>[] {
  return subject === 'peer' ? [] : routerColumns<Row>();
}
