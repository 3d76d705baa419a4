-- A node that is out of reach goes on announcing to a peer that is deleted, and nothing said so: what was known of the session was deleted with the peer.
-- It stays until the node has reported without it, and says what the peer was.

ALTER TABLE speaker_session ADD COLUMN deleted_peer jsonb;
-- Whoever writes rows locks their peers (reportSessions).
ALTER TABLE speaker_session DROP CONSTRAINT speaker_session_peer_id_fkey;

CREATE FUNCTION leave_sessions() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE speaker_session s
     SET deleted_peer = jsonb_build_object('name', OLD.name, 'address', OLD.address, 'remote_asn', OLD.remote_asn)
    FROM speaker
   WHERE s.tenant_id = OLD.tenant_id AND s.peer_id = OLD.id AND (s.state = 'established' OR s.routes_exported > 0)
     AND speaker.tenant_id = s.tenant_id AND speaker.id = s.speaker_id AND speaker.mode = 'agent';
  DELETE FROM speaker_session WHERE tenant_id = OLD.tenant_id AND peer_id = OLD.id AND deleted_peer IS NULL;
  RETURN NULL;
END
$$;
-- After it: reports of the peer that are being written have ended by then.
CREATE TRIGGER peer_deleted AFTER DELETE ON peer FOR EACH ROW EXECUTE FUNCTION leave_sessions();
