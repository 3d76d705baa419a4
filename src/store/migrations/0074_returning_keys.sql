-- A key that has expired works again when its end is moved: for the quota of keys it is one more. Every later end waits for its turn like a new key,
-- also that of a key which still works: whoever adds a key once the former end is over would else not count the other.
CREATE FUNCTION keep_quota_of_returning_keys() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  most bigint;
  has bigint;
BEGIN
  SELECT maximum INTO most FROM tenant_quota WHERE tenant_id = NEW.tenant_id AND resource = 'api_keys' FOR UPDATE;
  IF OLD.expires_at <= clock_timestamp() THEN
    has := quota_used(NEW.tenant_id, 'api_keys');
    IF has > most THEN
      PERFORM refuse_quota('api_keys', most, has, 1);
    END IF;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER returning_api_key_quota AFTER UPDATE OF expires_at ON api_key FOR EACH ROW
  WHEN (NEW.revoked_at IS NULL AND OLD.expires_at < coalesce(NEW.expires_at, 'infinity'))
  EXECUTE FUNCTION keep_quota_of_returning_keys();
