-- An edit of one list waited for a long import of another: both counted in the one row of the tenant's quota, which the import kept until it ended.
-- Entries of a tenant are counted in as many rows as have to be written at the same time (0030_counts.sql), and the row of the quota is held only.
--
-- While this runs, nobody writes entries; reading goes on.

CREATE TABLE tenant_entry_count (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  slot bigint GENERATED ALWAYS AS IDENTITY,
  entries bigint NOT NULL,
  PRIMARY KEY (tenant_id, slot)
) WITH (fillfactor = 50);

ALTER TABLE tenant_entry_count ENABLE ROW LEVEL SECURITY;
ALTER TABLE tenant_entry_count FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON tenant_entry_count TO prefixcast_tenant
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
  WITH CHECK (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
CREATE POLICY every_tenant ON tenant_entry_count TO prefixcast_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON tenant_entry_count TO prefixcast_system, prefixcast_tenant;

LOCK TABLE cdn_source, as_entry, domain_entry, ip_range_entry, geofeed_entry IN SHARE ROW EXCLUSIVE MODE;

-- Their owner sees no rows.
SET LOCAL ROLE prefixcast_system;
INSERT INTO tenant_entry_count (tenant_id, entries)
SELECT tenant_id, used FROM tenant_quota WHERE resource = 'entries' AND used <> 0;
SET LOCAL ROLE NONE;

CREATE OR REPLACE FUNCTION quota_used(of_tenant uuid, of_resource text) RETURNS bigint LANGUAGE sql SET search_path FROM CURRENT AS $$
  SELECT CASE of_resource
    WHEN 'modules' THEN (SELECT count(*) FROM module WHERE tenant_id = of_tenant)
    WHEN 'entries' THEN (SELECT coalesce(sum(entries), 0)::bigint FROM tenant_entry_count WHERE tenant_id = of_tenant)
    WHEN 'communities' THEN (SELECT count(*) FROM community WHERE tenant_id = of_tenant)
    WHEN 'speakers' THEN (SELECT count(*) FROM speaker WHERE tenant_id = of_tenant)
    WHEN 'peers' THEN (SELECT count(*) FROM peer WHERE tenant_id = of_tenant)
    WHEN 'sessions' THEN sessions_used(of_tenant)
    -- Of those that do not work any more, store/keys/ended-keys.ts keeps some.
    WHEN 'api_keys' THEN (SELECT count(*) FROM api_key WHERE tenant_id = of_tenant AND revoked_at IS NULL
                             AND (expires_at IS NULL OR expires_at > now()))
    WHEN 'jobs_queued' THEN (SELECT count(*) FROM job WHERE tenant_id = of_tenant AND state = 'queued')
    WHEN 'firewall_clients' THEN (SELECT count(*) FROM firewall_client WHERE tenant_id = of_tenant)
    WHEN 'firewall_rules' THEN (SELECT count(*) FROM firewall_rule WHERE tenant_id = of_tenant)
    WHEN 'feeds' THEN (SELECT count(*) FROM feed WHERE tenant_id = of_tenant)
    WHEN 'webhooks' THEN (SELECT count(*) FROM webhook WHERE tenant_id = of_tenant)
    WHEN 'doh_profiles' THEN (SELECT count(*) FROM doh_profile WHERE tenant_id = of_tenant)
    WHEN 'enrollment_tokens' THEN (SELECT count(*) FROM enrollment_token WHERE tenant_id = of_tenant AND used_at IS NULL
                                      AND expires_at > now())
  END
$$;

ALTER TABLE tenant_quota DROP COLUMN used;
-- Whoever locks a row has to be allowed to change something of it; its policy lets a tenant write its own id alone.
GRANT UPDATE (tenant_id) ON tenant_quota TO prefixcast_tenant;

CREATE FUNCTION add_tenant_entries(of_tenant uuid, more bigint) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE tenant_entry_count SET entries = entries + more
   WHERE tenant_id = of_tenant
     AND slot = (SELECT slot FROM tenant_entry_count WHERE tenant_id = of_tenant LIMIT 1 FOR UPDATE SKIP LOCKED);
  IF NOT FOUND THEN
    -- Entries go with their tenant.
    INSERT INTO tenant_entry_count (tenant_id, entries)
    SELECT of_tenant, more WHERE EXISTS (SELECT FROM tenant WHERE id = of_tenant);
  END IF;
END
$$;

-- Whoever adds entries waits for others who do only where the limit is near. Far from it, where less than half is used, all who add a few hold the quota
-- together, each so few that as many as there can be at once do not reach the limit. Whoever adds many keeps the quota from others who do, beside those
-- who add a few. Whoever comes near the limit waits for all of them, keeps it for itself, and so counts all that there are.
CREATE FUNCTION keep_entry_quota(of_tenant uuid, more bigint) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  -- How many this transaction has added as one of a few; -1: it adds many.
  noted text := current_setting('app.entries_added', true);
  added bigint := CASE WHEN noted LIKE of_tenant || ' %' THEN split_part(noted, ' ', 2)::bigint ELSE 0 END;
  most bigint;
  has bigint;
BEGIN
  SELECT maximum INTO most FROM tenant_quota WHERE tenant_id = of_tenant AND resource = 'entries';
  IF quota_used(of_tenant, 'entries') <= most / 2 THEN
    IF added >= 0 AND added + more <= most / 2 / current_setting('max_connections')::bigint THEN
      PERFORM FROM tenant_quota WHERE tenant_id = of_tenant AND resource = 'entries' FOR KEY SHARE;
      added := added + more;
    ELSE
      PERFORM FROM tenant_quota WHERE tenant_id = of_tenant AND resource = 'entries' FOR NO KEY UPDATE;
      added := -1;
    END IF;
    PERFORM set_config('app.entries_added', of_tenant || ' ' || added, true);
    -- Whoever kept it meanwhile may have added many.
    IF quota_used(of_tenant, 'entries') <= most / 2 THEN
      RETURN;
    END IF;
  END IF;
  SELECT maximum INTO most FROM tenant_quota WHERE tenant_id = of_tenant AND resource = 'entries' FOR UPDATE;
  has := quota_used(of_tenant, 'entries');
  IF has > most THEN
    PERFORM refuse_quota('entries', most, has, more);
  END IF;
END
$$;

CREATE OR REPLACE FUNCTION count_entries() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  sign integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
  counted record;
BEGIN
  FOR counted IN SELECT tenant_id, count(*) AS entries FROM changed GROUP BY tenant_id LOOP
    PERFORM add_tenant_entries(counted.tenant_id, sign * counted.entries);
    IF sign > 0 THEN
      PERFORM keep_entry_quota(counted.tenant_id, counted.entries);
    END IF;
  END LOOP;
  -- What a module takes with it needs no count.
  PERFORM add_entries(c.tenant_id, c.module_id, sign * c.entries)
     FROM (SELECT tenant_id, module_id, count(*) AS entries FROM changed GROUP BY tenant_id, module_id) c
     JOIN module m ON m.tenant_id = c.tenant_id AND m.id = c.module_id;
  RETURN NULL;
END
$$;
