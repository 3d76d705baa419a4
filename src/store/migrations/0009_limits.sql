-- What a tenant may have of each kind, and jobs that wait for a suspended tenant. Triggers keep the limits: no writer can forget
-- them, and they hold whatever happens at the same time.

CREATE TABLE tenant_quota (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  resource text NOT NULL,
  maximum bigint NOT NULL CHECK (maximum >= 0),
  -- Of entries, of which there may be millions. Everything else is counted when one more is added.
  used bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant_id, resource)
);

ALTER TABLE tenant_quota ENABLE ROW LEVEL SECURITY;
ALTER TABLE tenant_quota FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON tenant_quota TO prefixcast_tenant
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
  WITH CHECK (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
CREATE POLICY every_tenant ON tenant_quota TO prefixcast_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON tenant_quota TO prefixcast_system;
GRANT SELECT, UPDATE (used) ON tenant_quota TO prefixcast_tenant;

CREATE FUNCTION default_quotas() RETURNS TABLE (resource text, maximum bigint) LANGUAGE sql IMMUTABLE AS $$
  VALUES ('modules', 1000::bigint), ('entries', 2000000), ('communities', 10000), ('speakers', 1000), ('peers', 1000),
         ('api_keys', 1000), ('jobs_queued', 10000)
$$;

CREATE FUNCTION quota_used(of_tenant uuid, of_resource text) RETURNS bigint LANGUAGE sql SET search_path FROM CURRENT AS $$
  SELECT CASE of_resource
    WHEN 'modules' THEN (SELECT count(*) FROM module WHERE tenant_id = of_tenant)
    WHEN 'entries' THEN (SELECT used FROM tenant_quota WHERE tenant_id = of_tenant AND resource = 'entries')
    WHEN 'communities' THEN (SELECT count(*) FROM community WHERE tenant_id = of_tenant)
    WHEN 'speakers' THEN (SELECT count(*) FROM speaker WHERE tenant_id = of_tenant)
    WHEN 'peers' THEN (SELECT count(*) FROM peer WHERE tenant_id = of_tenant)
    -- Those that do not work any more stay listed for ever.
    WHEN 'api_keys' THEN (SELECT count(*) FROM api_key WHERE tenant_id = of_tenant AND revoked_at IS NULL
                             AND (expires_at IS NULL OR expires_at > now()))
    WHEN 'jobs_queued' THEN (SELECT count(*) FROM job WHERE tenant_id = of_tenant AND state = 'queued')
  END
$$;

CREATE FUNCTION give_quotas() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO tenant_quota (tenant_id, resource, maximum) SELECT NEW.id, d.resource, d.maximum FROM default_quotas() d;
  RETURN NULL;
END
$$;
CREATE TRIGGER tenant_has_quotas AFTER INSERT ON tenant FOR EACH ROW EXECUTE FUNCTION give_quotas();

-- store/quotas.ts reads the code and the detail.
CREATE FUNCTION refuse_quota(of_resource text, most bigint, has bigint, more bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'PC001', MESSAGE = 'quota exceeded',
    DETAIL = json_build_object('resource', of_resource, 'maximum', most, 'used', has - more, 'more', more)::text;
END
$$;

CREATE FUNCTION keep_quota() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  most bigint;
  has bigint;
BEGIN
  -- Whoever adds another one waits here until this transaction ends, so that no two take the last place.
  SELECT maximum INTO most FROM tenant_quota WHERE tenant_id = NEW.tenant_id AND resource = TG_ARGV[0] FOR UPDATE;
  has := quota_used(NEW.tenant_id, TG_ARGV[0]);
  IF has > most THEN
    PERFORM refuse_quota(TG_ARGV[0], most, has, 1);
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER module_quota AFTER INSERT ON module FOR EACH ROW EXECUTE FUNCTION keep_quota('modules');
CREATE TRIGGER community_quota AFTER INSERT ON community FOR EACH ROW EXECUTE FUNCTION keep_quota('communities');
CREATE TRIGGER speaker_quota AFTER INSERT ON speaker FOR EACH ROW EXECUTE FUNCTION keep_quota('speakers');
CREATE TRIGGER peer_quota AFTER INSERT ON peer FOR EACH ROW EXECUTE FUNCTION keep_quota('peers');
CREATE TRIGGER api_key_quota AFTER INSERT ON api_key FOR EACH ROW EXECUTE FUNCTION keep_quota('api_keys');
-- A job that another one leads to takes the place of that one; refusing it would lose work that was accepted.
CREATE TRIGGER job_quota AFTER INSERT ON job FOR EACH ROW WHEN (NEW.parent_id IS NULL) EXECUTE FUNCTION keep_quota('jobs_queued');

-- Once for a statement, however many rows it adds or takes away.
CREATE FUNCTION count_entries() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  sign integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
  quota record;
BEGIN
  FOR quota IN
    UPDATE tenant_quota q SET used = q.used + sign * c.entries
      FROM (SELECT tenant_id, count(*) AS entries FROM changed GROUP BY tenant_id) c
     WHERE q.tenant_id = c.tenant_id AND q.resource = 'entries'
    RETURNING q.maximum, q.used, c.entries
  LOOP
    IF sign > 0 AND quota.used > quota.maximum THEN
      PERFORM refuse_quota('entries', quota.maximum, quota.used, quota.entries);
    END IF;
  END LOOP;
  RETURN NULL;
END
$$;

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['cdn_source', 'as_entry', 'domain_entry', 'ip_range_entry'] LOOP
    EXECUTE format('CREATE TRIGGER %I AFTER INSERT ON %I REFERENCING NEW TABLE AS changed'
                   ' FOR EACH STATEMENT EXECUTE FUNCTION count_entries()', name || '_added', name);
    EXECUTE format('CREATE TRIGGER %I AFTER DELETE ON %I REFERENCING OLD TABLE AS changed'
                   ' FOR EACH STATEMENT EXECUTE FUNCTION count_entries()', name || '_removed', name);
  END LOOP;
END
$$;

-- The turn of the job came while its tenant was suspended: its message is gone, and is sent again when the tenant is active.
ALTER TABLE job ADD COLUMN parked_at timestamptz(3);

-- For the tenants that are there. Their owner sees no rows.
SET LOCAL ROLE prefixcast_system;
INSERT INTO tenant_quota (tenant_id, resource, maximum, used)
SELECT t.id, d.resource, d.maximum, CASE d.resource WHEN 'entries' THEN
         (SELECT count(*) FROM cdn_source e WHERE e.tenant_id = t.id)
         + (SELECT count(*) FROM as_entry e WHERE e.tenant_id = t.id)
         + (SELECT count(*) FROM domain_entry e WHERE e.tenant_id = t.id)
         + (SELECT count(*) FROM ip_range_entry e WHERE e.tenant_id = t.id)
       ELSE 0 END
  FROM tenant t CROSS JOIN default_quotas() d;
SET LOCAL ROLE NONE;
