import { useMemo } from 'react';
import { Badge } from '../../design/shown/Badge.tsx';
import { Moment } from '../../design/shown/Time.tsx';
import type { Speaker } from '../../service/queries.ts';
import { sessionKey } from '../../service/expected-routes.ts';
import { formatNumber } from '../../strings/format.ts';
import { sessionText } from '../../strings/speakers.ts';
import { Section } from '../page/Page.tsx';
import { SideTable, type Column } from '../tables/DataTable.tsx';
import { namesOf, routerOf, type Subject } from './session-columns.tsx';

type Known = NonNullable<NonNullable<Speaker['live']>['last_known_sessions']>[number] & {
  readonly speaker: string;
  readonly speakerId: string;
};

/** None of these columns has a name of the table of sessions that are known: nobody takes what was for what is. */
const STATE: Column<Known> = {
  name: sessionText.thenState,
  value: wordOf,
  // Without a colour: what is good or bad now, nobody knows.
  cell: (session) => <Badge tone="plain">{wordOf(session)}</Badge>,
};

const REPORTED: readonly Column<Known>[] = [
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
];

function columnsOf(subject: Subject | undefined): readonly Column<Known>[] {
  const [first, ...rest] = namesOf<Known>(subject);
  return [first, STATE, ...rest, ...REPORTED, ...routerOf<Known>(subject)];
}

function wordOf({ was_established }: Known): string {
  return was_established ? sessionText.wasUp : sessionText.wasDown;
}

/** Of speakers that nobody reports, their sessions as they were reported last. */
export function knownOf({ id, name, live }: Speaker): Known[] {
  return (live?.last_known_sessions ?? []).map((one) => ({ ...one, speaker: name, speakerId: id }));
}

interface LastKnownSessionsProps {
  readonly speakers: readonly Speaker[];
  /** As of {@link SessionTable}. */
  readonly subject?: Subject;
  readonly file: string;
}

/** What whoever looks for a router has to go by while its speaker is out of reach; nothing where there is none. */
export function LastKnownSessions({ speakers, subject, file }: LastKnownSessionsProps) {
  const sessions = useMemo(() => speakers.flatMap(knownOf), [speakers]);
  const columns = useMemo(() => columnsOf(subject), [subject]);
  if (sessions.length === 0) return null;
  return (
    <Section title={sessionText.lastKnown}>
      <p className="muted">{sessionText.lastKnownWhat}</p>
      <SideTable
        caption={sessionText.lastKnown}
        columns={columns}
        rows={sessions}
        keyOf={({ speakerId, peer_id }) => sessionKey(speakerId, peer_id)}
        file={file}
      />
    </Section>
  );
}
