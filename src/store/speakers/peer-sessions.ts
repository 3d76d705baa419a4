import { sql } from 'kysely';
import type { Peer, SessionOnSpeaker } from '../../api/speakers/peers.ts';
import type { RevertedSession } from '../../api/speakers/speakers.ts';
import { notSilent } from '../holding/leases.ts';
import { SILENT_SINCE } from '../holding/sessions.ts';

const SILENT_ERROR =
  'the process that holds the speaker has not reported for some seconds, so the state of the session is not known';

/** Whether the peer of the session `s` was reverted to what it held before. */
export const REVERTED = sql<RevertedSession | null>`(
  SELECT jsonb_build_object(
           'revision_id', r.revision_id, 'tried_revision_id', r.tried_revision_id, 'since', rfc3339(r.since),
           'error', r.error, 'notification', r.notification)
    FROM reverted_peer r
   WHERE r.tenant_id = s.tenant_id AND r.speaker_id = s.speaker_id AND r.peer_id = s.peer_id)`;

/**
 * The peer's sessions as their speakers' holders last reported them. If a holder is silent or has lost its lease, nothing is known, so the
 * session counts as idle.
 */
export const SESSIONS = sql<SessionOnSpeaker[]>`coalesce((
  SELECT jsonb_agg(jsonb_build_object(
           'speaker_id', s.speaker_id,
           'speaker_label', coalesce(sp.label, sp.name),
           'state', CASE WHEN report.is_current THEN s.state ELSE 'idle' END,
           'since', CASE WHEN report.is_current THEN s.since ELSE s.reported_at END,
           'routes_exported', CASE WHEN report.is_current THEN s.routes_exported ELSE 0 END,
           'reverted', ${REVERTED},
           'last_error', CASE WHEN report.is_current THEN s.last_error
                              WHEN NOT l.reachable AND l.error IS NOT NULL THEN l.error
                              ELSE ${SILENT_ERROR} END,
           'next_attempt_at', CASE WHEN report.is_current THEN rfc3339(s.next_attempt_at) END) ORDER BY s.speaker_id)
    FROM speaker_session s
    JOIN speaker sp ON sp.tenant_id = s.tenant_id AND sp.id = s.speaker_id
    LEFT JOIN speaker_lease l ON l.tenant_id = s.tenant_id AND l.speaker_id = s.speaker_id AND ${notSilent('l')}
    CROSS JOIN LATERAL (SELECT s.reported_at > ${SILENT_SINCE} AND l.holder IS NOT NULL AND l.reachable) report (is_current)
   WHERE s.tenant_id = peer.tenant_id AND s.peer_id = peer.id), '[]'::jsonb)`;

/** Speakers on which the peer should have an established session now. */
export const EXPECTED_SPEAKERS = sql<string[]>`ARRAY(
  SELECT sp.id FROM speaker sp
   WHERE sp.tenant_id = peer.tenant_id AND sp.enabled AND peer.enabled
     AND (NOT EXISTS (SELECT FROM peer_speaker l WHERE l.tenant_id = peer.tenant_id AND l.peer_id = peer.id)
          OR EXISTS (SELECT FROM peer_speaker l
                      WHERE l.tenant_id = peer.tenant_id AND l.peer_id = peer.id AND l.speaker_id = sp.id)))`;

type SessionFields = Pick<
  Peer,
  | 'connected_speaker_id'
  | 'connected_speaker_label'
  | 'session_on_speakers'
  | 'established_on_speakers'
  | 'session_mismatch'
>;

/** The peer is connected to the speaker whose session has been established longest. */
export function sessionFields(
  reported: readonly SessionOnSpeaker[],
  expected: readonly string[],
): SessionFields {
  const sessions = reported.map((session) => ({ ...session, since: new Date(session.since).toISOString() }));
  const established = sessions.filter((session) => session.state === 'established');
  const oldest = established.reduce<SessionOnSpeaker | null>(
    (first, session) => (first === null || session.since < first.since ? session : first),
    null,
  );
  const ids = established.map((session) => session.speaker_id);
  return {
    connected_speaker_id: oldest?.speaker_id ?? null,
    connected_speaker_label: oldest?.speaker_label ?? null,
    session_on_speakers: sessions,
    established_on_speakers: ids,
    session_mismatch: ids.length !== expected.length || ids.some((id) => !expected.includes(id)),
  };
}
