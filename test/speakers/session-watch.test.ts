import { expect, test } from 'vitest';
import { counted, duration } from '../../src/api/activity/operator-events.ts';
import { SessionWatch, type WatchedPeer } from '../../src/speakers/session-watch.ts';
import { unreachable, type SessionStatus, type SpeakerStatus } from '../../src/speakers/speaker.ts';

const PEERS = [
  { id: 'p1', name: 'edge1', address: '192.0.2.1' },
  { id: 'p2', name: 'edge2', address: '192.0.2.2' },
];
const at = (minute: number): string => `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`;

function session(peerId: string, minute: number, more: Partial<SessionStatus> = {}): SessionStatus {
  const counts = { routesExported: 0, routesReceived: 0, updatesSent: 0 };
  return { peerId, state: 'established', since: at(minute), ...counts, lastError: null, ...more };
}

function status(...sessions: SessionStatus[]): SpeakerStatus {
  return { ...unreachable(null), reachable: true, error: null, sessions };
}

function watching() {
  const watch = new SessionWatch({ id: 's' });
  return (now: SpeakerStatus, peers: readonly WatchedPeer[] = PEERS) => watch.observe('core', peers, now);
}
const texts = (events: readonly { text: string }[]) => events.map(({ text }) => text);

test('what is up at the first look is reported, what never was up is not', () => {
  const look = watching();
  const down = session('p2', 0, { state: 'connect', lastError: 'connection refused' });
  expect(look(status(session('p1', 0), down))).toEqual([
    {
      event: 'session_up',
      text: 'The session with edge1 (192.0.2.1) is up on the speaker core',
      fields: {
        ...{ speaker_id: 's', speaker: 'core', peer_id: 'p1', peer: 'edge1', peer_address: '192.0.2.1' },
        since: at(0),
      },
    },
  ]);
  expect(look(status(session('p1', 0), down))).toEqual([]);
});

test('a session that went down is reported once, with how long it was up and why', () => {
  const look = watching();
  look(status(session('p1', 0)));
  const reason = 'the peer closed the session: Cease/Administrative Reset';
  const gone = session('p1', 35, { state: 'idle', lastError: reason });
  const [event] = look(status(gone));
  expect(event).toMatchObject({
    event: 'session_down',
    text: `The session with edge1 (192.0.2.1) went down on the speaker core after 35 min: ${reason}`,
    fields: { peer: 'edge1', reason, since: at(0) },
  });
  expect(look(status(gone))).toEqual([]);
  expect(look(status(session('p1', 36, { state: 'connect', lastError: 'refused' })))).toEqual([]);
});

test('a session that went down and came up between two looks is reported as both', () => {
  const look = watching();
  look(status(session('p1', 0)));
  expect(texts(look(status(session('p1', 5, { lastError: 'hold timer expired' }))))).toEqual([
    'The session with edge1 (192.0.2.1) went down on the speaker core: hold timer expired',
    'The session with edge1 (192.0.2.1) is up on the speaker core',
  ]);
});

test('a session that is made again since its settings were changed is reported as that', () => {
  const look = watching();
  const [peer] = PEERS;
  look(status(session('p1', 0)), [{ ...peer!, settings: { port: 179 } }]);
  look(status(session('p1', 0)), [{ ...peer!, address: '192.0.2.9', settings: { port: 180 } }]);
  const gone = session('p1', 5, { state: 'connect' });
  const now = [{ ...peer!, address: '192.0.2.9', settings: { port: 180 } }];
  expect(texts(look(status(gone), now))).toEqual([
    'The session with edge1 (192.0.2.1) went down on the speaker core after 5 min: its settings were changed, so the session starts again',
  ]);
});

test('a peer that left the configuration took its session along', () => {
  const look = watching();
  look(status(session('p1', 0), session('p2', 0)));
  expect(texts(look(status(session('p1', 0)), [PEERS[0]!]))).toEqual([
    'The session with edge2 (192.0.2.2) went down on the speaker core: the peer was disabled or deleted, or is for other speakers now',
  ]);
});

test('of a daemon that does not answer nobody says that its sessions are down', () => {
  const look = watching();
  look(status(session('p1', 0)));
  const silent = unreachable(new Error('no such socket.'));
  expect(texts(look(silent))).toEqual([
    'The daemon of the speaker core does not answer: no such socket. What became of its session is not known',
  ]);
  expect(look(silent)).toEqual([]);
  expect(texts(look(status(session('p1', 0))))).toEqual(['The daemon of the speaker core answers again']);
});

test.each([
  [0.04, '0 s'],
  [4.25, '4.3 s'],
  [59.96, '60 s'],
  [90, '2 min'],
  [7_500, '2 h 5 min'],
  [7_200, '2 h'],
  [792_000, '9 d 4 h'],
])('%d seconds are %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});

test('numbers are said with their noun', () => {
  expect([counted(1, 'route'), counted(0, 'route'), counted(1_234_567, 'route')]).toEqual([
    '1 route',
    '0 routes',
    '1,234,567 routes',
  ]);
});
