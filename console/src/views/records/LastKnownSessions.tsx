import { useMemo } from 'react';
import { Badge } from '../../design/shown/Badge.tsx';
import { Moment } from '../../design/shown/Time.tsx';
import type { Speaker } from '../../service/queries.ts';
import { sessionKey } from '../../service/expected-routes.ts';
import { text } from '../../strings/english.ts';
import { formatNumber } from '../../strings/format.ts';
import { sessionText } from '../../strings/speakers.ts';
import { Section } from '../page/Page.tsx';
import { SideTable, type Column } from '../tables/DataTable.tsx';
import { routerColumns } from '../tables/router-columns.tsx';
import { PeerLink, SpeakerLink } from '../resources/ResourceLink.tsx';

type Known = NonNullable<NonNullable<Speaker['live']>['last_known_sessions']>[number] & {
  readonly speaker: string;
  readonly speakerId: string;
};

/** None of these columns has a name of the table of sessions that are known: nobody takes what was for what is. */
const COLUMNS: readonly Column<Known>[] = [
  {
    name: text.sessions.peer,
    value: ({ peer_name }) => peer_name,
    cell: ({ peer_id, peer_name }) => <PeerLink id={peer_id} name={peer_name} />,
  },
  {
    name: sessionText.thenState,
    value: wordOf,
    // Without a colour: what is good or bad now, nobody knows.
    cell: (session) => <Badge tone="plain">{wordOf(session)}</Badge>,
  },
  {
    name: text.sessions.speaker,
    value: ({ speaker }) => speaker,
    cell: ({ speaker, speakerId }) => <SpeakerLink id={speakerId} name={speaker} />,
  },
  {
    ...{ name: sessionText.thenSent, isNumber: true },
    value: ({ routes_exported }) => routes_exported,
    cell: ({ routes_exported }) => formatNumber(routes_exported),
  },
  {
    name: sessionText.reported,
    value: ({ reported_at }) => reported_at,
    cell: ({ reported_at }) => <Moment at={reported_at} />,
  },
  ...routerColumns(),
];

function wordOf({ was_established }: Known): string {
  return was_established ? sessionText.wasUp : sessionText.wasDown;
}

/** Of speakers that nobody reports, their sessions as they were reported last. */
export function knownOf({ id, name, live }: Speaker): Known[] {
  return (live?.last_known_sessions ?? []).map((one) => ({ ...one, speaker: name, speakerId: id }));
}

interface LastKnownSessionsProps {
  readonly speakers: readonly Speaker[];
  readonly file: string;
}

/** What whoever looks for a router has to go by while its speaker is out of reach; nothing where there is none. */
export function LastKnownSessions({ speakers, file }: LastKnownSessionsProps) {
  const sessions = useMemo(() => speakers.flatMap(knownOf), [speakers]);
  if (sessions.length === 0) return null;
  return (
    <Section title={sessionText.lastKnown}>
      <p className="muted">{sessionText.lastKnownWhat}</p>
      <SideTable
        caption={sessionText.lastKnown}
        columns={COLUMNS}
        rows={sessions}
        keyOf={({ speakerId, peer_id }) => sessionKey(speakerId, peer_id)}
        file={file}
      />
    </Section>
  );
}
