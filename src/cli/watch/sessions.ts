import { ApiProblem, isRefusal, type Schemas } from '#client';
import { endedRows } from './ended-rows.ts';
import { LiveTable, untilInterrupted } from './live.ts';
import { column, minor, wide, type Column, type Item } from '../nouns/noun.ts';
import { cellText, printList, valueOf } from '../render/formats.ts';
import { isTerminal } from '../render/terminal.ts';
import { sinceText, untilEnd } from '../session/ends.ts';
import type { Session } from '../session/run-remote.ts';
import { peersIfUnheard, unheardPeers } from '../session/unheard-peers.ts';

type Reverted = Schemas['LiveSession']['reverted'];

/** Of a session that nobody reports. */
const UNKNOWN = 'unknown';

export function isUnknown({ state }: Item): boolean {
  return state === UNKNOWN;
}

/** A session may be up and its peer hold an older revision than the speaker runs. */
function stateOf({ state, reverted, was_established: wasUp }: Item): string {
  if (state === UNKNOWN) return wasUp === true ? `${UNKNOWN}, was established` : UNKNOWN;
  return `${state as string}${reverted === null ? '' : ', reverted'}`;
}

/** Why it is not as it should be, or was not once. */
export function faultOf({ reverted, last_error: error }: Item): unknown {
  return (reverted as Reverted)?.error ?? error;
}

const COLUMNS: readonly Column[] = [
  column('PEER', 'peer_name'),
  minor(1, 'SPEAKER', 'speaker'),
  column('STATE', stateOf),
  column('ROUTES', 'routes_exported'),
  minor(3, 'ADDRESS', 'address'),
  minor(4, 'ASN', 'remote_asn'),
  minor(2, 'SINCE', 'since'),
  minor(5, 'NEXT TRY', 'next_attempt_at'),
  column('ERROR', faultOf),
  wide('RECEIVED', 'routes_received'),
  wide('UPDATES', 'updates_sent'),
];

/**
 * The sessions of all speakers, those that are not well first. Those of a speaker that nobody reports stand there as they were known last, or as
 * unknown where nothing was.
 */
export async function readSessions({ client }: Pick<Session, 'client'>): Promise<Item[]> {
  const query = { live: true, limit: 500 };
  const speakers = await client.list('/v1/speakers', { params: { query } }).toArray();
  const peers = await peersIfUnheard({ client }, speakers);
  const items = speakers.flatMap((speaker) => [...sessionsOf(speaker), ...unheardOf(speaker, peers)]);
  const rank = (item: Item): number => (stateOf(item) === 'established' ? 1 : 0);
  return items.sort((a, b) => rank(a) - rank(b) || String(a.peer_name).localeCompare(String(b.peer_name)));
}

function sessionsOf({ id, name, live, mode, agent, enabled }: Schemas['Speaker']): Item[] {
  const of = { speaker: name, speaker_id: id };
  const known = (live?.last_known_sessions ?? []).map((one) => {
    const who = mode === 'agent' ? 'node' : 'process of the speaker';
    const since = agent?.last_seen_at ?? one.reported_at;
    return {
      ...of,
      ...one,
      ...{ state: UNKNOWN, since, reverted: null, routes_received: null, updates_sent: null },
      next_attempt_at: null,
      last_error: `${enabled ? '' : 'speaker disabled; '}${who} not heard of since ${since}; the state is that of then`,
    };
  });
  return [...(live?.sessions ?? []).map((one) => ({ ...of, ...one })), ...known];
}

/** After a restore, and until a process that has started reports: the node may have had them up all the time. */
function unheardOf(speaker: Schemas['Speaker'], peers: readonly Schemas['Peer'][]): Item[] {
  const { id, name, live, agent } = speaker;
  return unheardPeers(speaker, peers).map(({ id: peerId, name: peer, address, remote_asn }) => ({
    ...{ speaker: name, speaker_id: id, peer_id: peerId, peer_name: peer, address, remote_asn },
    ...{ state: UNKNOWN, since: agent?.last_seen_at ?? null, reverted: null, was_established: null },
    ...{ routes_exported: null, routes_received: null, updates_sent: null, next_attempt_at: null },
    last_error: live?.error ?? null,
  }));
}

export async function list(session: Session): Promise<void> {
  const items = await readSessions(session);
  const columns = session.format === 'table' && isTerminal() ? onTerminal(COLUMNS) : COLUMNS;
  await printList({ items, columns, name: 'peer_name' }, session.format);
}

/** How long ago, or until then, says more there than a moment, which has no room. */
function onTerminal(columns: readonly Column[]): Column[] {
  const now = Date.now();
  return columns.map((one) => {
    if (one.of === 'since') return { ...one, of: ({ since }) => sinceText(since, now) };
    if (one.of === 'next_attempt_at')
      return { ...one, of: ({ next_attempt_at: next }) => untilEnd(next, now) };
    return one;
  });
}

/** Room for an error from the first picture on, in characters. */
const ERROR_WIDTH = 24;
/** Counts of routes come with no event. */
const LOOK_MILLISECONDS = 2_000;

export async function watch(session: Session): Promise<void> {
  const stop = untilInterrupted(session);
  const narrow = COLUMNS.filter(({ isWide }) => isWide !== true);
  const table = new LiveTable(
    narrow.map(({ title }) => title),
    narrow.map((one) => one.minor ?? 0),
    // What a session ends with comes while one looks on.
    narrow.map(({ title }) => (title === 'ERROR' ? ERROR_WIDTH : 0)),
  );
  let before: readonly Item[] = [];
  const draw = async (): Promise<void> => {
    const items = await readSessions(session);
    const shown = isTerminal() ? onTerminal(narrow) : narrow;
    const ended = isTerminal() ? null : await endedRows(session, before, items);
    before = [...items, ...(ended?.unclear ?? [])];
    table.draw(
      [...(ended?.rows ?? []), ...items].map((item) => shown.map((one) => cellText(valueOf(one, item)))),
    );
  };
  let isDrawing = false;
  const look = (): void => {
    if (isDrawing || stop.signal.aborted) return;
    isDrawing = true;
    void draw()
      .catch((error: unknown) => {
        // It is looked at again soon.
        if (isRefusal(error) || !(error instanceof ApiProblem)) stop.abort(error);
      })
      .finally(() => (isDrawing = false));
  };
  const timer = setInterval(look, LOOK_MILLISECONDS);
  look();
  try {
    for await (const _ of session.client.events({ kinds: ['session', 'apply'], signal: stop.signal })) look();
  } finally {
    clearInterval(timer);
  }
  if (stop.signal.reason instanceof Error && stop.signal.reason.name !== 'AbortError')
    throw stop.signal.reason;
}
