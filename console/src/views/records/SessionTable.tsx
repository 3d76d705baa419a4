import { useMemo, type ReactNode } from 'react';
import { Badge } from '../../design/shown/Badge.tsx';
import { Due, Time } from '../../design/shown/Time.tsx';
import type { Speaker } from '../../service/queries.ts';
import { sessionKey, useExpectedRoutes, type ExpectedRoutes } from '../../service/expected-routes.ts';
import { useSettling } from '../../service/settling.ts';
import { text } from '../../strings/english.ts';
import { formatNumber } from '../../strings/format.ts';
import { inWordsOfThePages } from '../../strings/remedies.ts';
import { sessionText } from '../../strings/speakers.ts';
import { DataTable, type Column } from '../tables/DataTable.tsx';
import { namesOf, routerOf, type Subject } from './session-columns.tsx';
import { PeerFieldLink } from '../resources/PeerFieldLink.tsx';

type Session = NonNullable<Speaker['live']>['sessions'][number] & {
  readonly speaker: string;
  readonly speakerId: string;
};

const STATE: Column<Session> = {
  name: text.sessions.state,
  value: ({ state, reverted }) =>
    reverted === null ? wordOf(state) : `${wordOf(state)}, ${text.sessions.reverted}`,
  cell: ({ state, reverted }) => (
    <>
      <Badge tone={state === 'established' ? 'good' : 'bad'}>{wordOf(state)}</Badge>{' '}
      {reverted !== null && <Badge tone="warning">{text.sessions.reverted}</Badge>}
    </>
  ),
};

const FIGURES = (expected: ExpectedRoutes): readonly Column<Session>[] => [
  {
    ...{ name: text.sessions.sent, isNumber: true },
    value: ({ routes_exported }) => routes_exported,
    cell: (session) => <Sent session={session} expected={expected.get(keyOf(session))} />,
  },
  {
    ...{ name: text.sessions.expected, isNumber: true },
    value: (session) => expected.get(keyOf(session)) ?? '',
    cell: (session) => {
      const routes = expected.get(keyOf(session));
      return routes === undefined ? '' : formatNumber(routes);
    },
  },
  {
    name: text.sessions.since,
    value: ({ since }) => since,
    cell: ({ since }) => <Time at={since} />,
  },
  {
    name: text.sessions.error,
    value: (session) => errorOf(session) ?? '',
    cell: (session) => (
      <>
        <span className="whole-text" title={errorOf(session) ?? undefined}>
          {errorOf(session)}
        </span>{' '}
        <PeerFieldLink peerId={session.peer_id} said={session.last_error} />
      </>
    ),
  },
];

/** Of those that are down: when the speaker connects again. */
const NEXT_TRY: Column<Session> = {
  name: sessionText.nextTry,
  value: ({ next_attempt_at: next }) => next ?? '',
  cell: ({ next_attempt_at: next }) => next !== null && <Due at={next} />,
};

/** States of a session that is not up have names that read as if it were. */
function wordOf(state: Session['state']): string {
  return state === 'established' ? state : sessionText.stateDown(state);
}

function keyOf({ speakerId, peer_id }: Session): string {
  return sessionKey(speakerId, peer_id);
}

/** Why it holds other routes than its speaker runs goes before what ended a session once. */
function errorOf({ reverted, last_error }: Session): string | null {
  const error = reverted?.error ?? last_error;
  return error === null ? null : inWordsOfThePages(error);
}

/** Whether it has not what it should have, although it has a session. */
function isShort({ state, routes_exported }: Session, expected: number | undefined): boolean {
  return state === 'established' && expected !== undefined && routes_exported !== expected;
}

/** What a peer has; marked where that is not what it should have. */
function Sent({ session, expected }: { session: Session; expected: number | undefined }) {
  const sent = formatNumber(session.routes_exported);
  return expected !== undefined && isShort(session, expected) ? (
    <Badge tone="warning">{text.sessions.sentOf(sent, formatNumber(expected))}</Badge>
  ) : (
    sent
  );
}

interface SessionTableProps {
  readonly speakers: readonly Speaker[];
  /** What the page is about, which the table does not repeat; undefined: neither a peer nor a speaker. */
  readonly subject?: Subject;
  readonly file: string;
  readonly tools?: ReactNode;
}

/** Of a session that is up, an error is what keeps the peer from having all of its routes. */
function lacksRoutes({ state, last_error: error }: Session): boolean {
  return state === 'established' && error !== null;
}

/** Every session of these speakers, and how it is. */
export function SessionTable({ speakers, subject, file, tools }: SessionTableProps) {
  const expected = useExpectedRoutes(speakers);
  const sessions = useMemo(() => speakers.flatMap(sessionsOf), [speakers]);
  // Where all are up, nothing takes the room.
  const isAnyTried = sessions.some(({ next_attempt_at: next }) => next !== null);
  const columns = useMemo(() => {
    const [first, ...rest] = namesOf<Session>(subject);
    const tried = isAnyTried ? [NEXT_TRY] : [];
    return [first, STATE, ...tried, ...rest, ...FIGURES(expected), ...routerOf<Session>(subject)];
  }, [expected, subject, isAnyTried]);
  useSettling(
    // No event says that one was tried in vain.
    isAnyTried ||
      sessions.some(
        (one) => one.reverted !== null || lacksRoutes(one) || isShort(one, expected.get(keyOf(one))),
      ),
  );
  return (
    <>
      {sessions.some(({ state }) => state !== 'established') && (
        <p className="muted">{sessionText.triedAgain}</p>
      )}
      <DataTable
        caption={text.sessions.title}
        columns={columns}
        rows={sessions}
        keyOf={keyOf}
        file={file}
        tools={tools}
      />
    </>
  );
}

export function sessionsOf({ id, name, live }: Speaker): Session[] {
  return (live?.sessions ?? []).map((session) => ({ ...session, speaker: name, speakerId: id }));
}
