-- An edit of a peer concerns the speakers of its tenant. Those of others look at the claims of endpoints alone, so only a claim that comes or
-- goes wakes all: each edit of any tenant's peer made every speaker of the service look.
CREATE OR REPLACE FUNCTION tell_speaker_edit() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM pg_notify('prefixcast_speaker_edits', (CASE WHEN TG_OP = 'DELETE' THEN OLD.tenant_id ELSE NEW.tenant_id END)::text);
  RETURN NULL;
END
$$;

CREATE FUNCTION tell_claim_edit() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM pg_notify('prefixcast_speaker_edits', '');
  RETURN NULL;
END
$$;

CREATE TRIGGER peer_endpoint_tells_speakers AFTER INSERT OR UPDATE OR DELETE ON peer_endpoint
  FOR EACH ROW EXECUTE FUNCTION tell_claim_edit();
