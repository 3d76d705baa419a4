-- Who holds speakers, and who queues what follows edits, looks when something changes, and hardly ever by the clock. Triggers tell, into the
-- transaction of the change, so that no writer forgets one: of all that is in a speaker's model, and of applies that may begin. The payload
-- is the tenant; empty: of any, since a peer's address may be another tenant's too. Of what nodes drive nothing is told here: they ask for
-- bundles.

CREATE FUNCTION tell_speaker_edit() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_TABLE_NAME = 'peer' THEN
    PERFORM pg_notify('prefixcast_speaker_edits', '');
  ELSE
    PERFORM pg_notify('prefixcast_speaker_edits', (CASE WHEN TG_OP = 'DELETE' THEN OLD.tenant_id ELSE NEW.tenant_id END)::text);
  END IF;
  RETURN NULL;
END
$$;

-- A setting may stop revisions that follow edits, and let them go on.
CREATE FUNCTION tell_setting_edit() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  of_tenant uuid := CASE WHEN TG_OP = 'DELETE' THEN OLD.tenant_id ELSE NEW.tenant_id END;
BEGIN
  PERFORM pg_notify('prefixcast_speaker_edits', of_tenant::text);
  PERFORM pg_notify('prefixcast_pending', of_tenant::text);
  RETURN NULL;
END
$$;

-- So does its status.
CREATE FUNCTION tell_tenant_edit() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM pg_notify('prefixcast_speaker_edits', NEW.id::text);
  PERFORM pg_notify('prefixcast_pending', NEW.id::text);
  RETURN NULL;
END
$$;

CREATE TRIGGER tenant_tells_speakers AFTER UPDATE OF status, policy ON tenant
  FOR EACH ROW EXECUTE FUNCTION tell_tenant_edit();
CREATE TRIGGER speaker_insert_tells_speakers AFTER INSERT ON speaker
  FOR EACH ROW WHEN (NEW.mode = 'local') EXECUTE FUNCTION tell_speaker_edit();
CREATE TRIGGER speaker_delete_tells_speakers AFTER DELETE ON speaker
  FOR EACH ROW WHEN (OLD.mode = 'local') EXECUTE FUNCTION tell_speaker_edit();
CREATE TRIGGER speaker_update_tells_speakers AFTER UPDATE ON speaker
  FOR EACH ROW WHEN (OLD.mode = 'local' OR NEW.mode = 'local') EXECUTE FUNCTION tell_speaker_edit();
CREATE TRIGGER apply_insert_tells_speakers AFTER INSERT ON speaker_apply
  FOR EACH ROW WHEN (NEW.state IN ('queued', 'undoing')) EXECUTE FUNCTION tell_speaker_edit();
CREATE TRIGGER apply_update_tells_speakers AFTER UPDATE OF state ON speaker_apply
  FOR EACH ROW WHEN (NEW.state IN ('queued', 'undoing') AND NEW.state <> OLD.state)
  EXECUTE FUNCTION tell_speaker_edit();
CREATE TRIGGER peer_tells_speakers AFTER INSERT OR UPDATE OR DELETE ON peer
  FOR EACH ROW EXECUTE FUNCTION tell_speaker_edit();
CREATE TRIGGER peer_speaker_tells_speakers AFTER INSERT OR UPDATE OR DELETE ON peer_speaker
  FOR EACH ROW EXECUTE FUNCTION tell_speaker_edit();
CREATE TRIGGER peer_community_tells_speakers AFTER INSERT OR UPDATE OR DELETE ON peer_community
  FOR EACH ROW EXECUTE FUNCTION tell_speaker_edit();
CREATE TRIGGER community_tells_speakers AFTER INSERT OR UPDATE OR DELETE ON community
  FOR EACH ROW EXECUTE FUNCTION tell_speaker_edit();
CREATE TRIGGER setting_tells_speakers AFTER INSERT OR UPDATE OR DELETE ON setting
  FOR EACH ROW EXECUTE FUNCTION tell_setting_edit();
