-- A claim of an endpoint that comes or goes concerns speakers that have a peer at its address, of whichever tenant. Its hint names the address, and
-- holders compare it with what they run: each new peer of any tenant made every speaker of the service look.
CREATE OR REPLACE FUNCTION tell_claim_edit() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM pg_notify('prefixcast_speaker_edits', 'address ' || (CASE WHEN TG_OP = 'DELETE' THEN OLD.address ELSE NEW.address END));
  RETURN NULL;
END
$$;
