-- Feeds: lists under a URL, for everything that takes one.

CREATE TABLE feed (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  name text NOT NULL,
  description text,
  -- Lists of ids: what they name cannot be deleted while they do. Both empty: all that the revision has.
  community_ids uuid[] NOT NULL DEFAULT '{}',
  module_ids uuid[] NOT NULL DEFAULT '{}',
  families text[] NOT NULL,
  format text NOT NULL,
  -- Of each family; null: no limit.
  max_prefixes integer,
  when_too_many text NOT NULL CHECK (when_too_many IN ('fail', 'fit')),
  -- In their canonical form; empty: everywhere.
  allowed_networks text[] NOT NULL DEFAULT '{}',
  enabled boolean NOT NULL DEFAULT true,
  token_prefix text NOT NULL,
  token_hash bytea NOT NULL,
  -- All that the content follows from that is served: what was chosen when it was made last with success.
  served jsonb,
  served_revision_id uuid,
  -- Revision and version of the feed that were tried last.
  tried text,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'ok', 'stale', 'failed')),
  last_error text,
  last_fetched_at timestamptz(3),
  last_fetched_by text,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id),
  CONSTRAINT feed_name_key UNIQUE (tenant_id, name),
  CONSTRAINT feed_token_hash_key UNIQUE (token_hash),
  CONSTRAINT feed_served_revision_id_fkey FOREIGN KEY (tenant_id, served_revision_id) REFERENCES revision (tenant_id, id)
);
CREATE INDEX feed_served_revision ON feed (tenant_id, served_revision_id);

ALTER TABLE feed ENABLE ROW LEVEL SECURITY;
ALTER TABLE feed FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON feed TO prefixcast_tenant
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
  WITH CHECK (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
CREATE POLICY every_tenant ON feed TO prefixcast_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON feed TO prefixcast_system, prefixcast_tenant;
CREATE TRIGGER feed_quota AFTER INSERT ON feed FOR EACH ROW EXECUTE FUNCTION keep_quota('feeds');

CREATE OR REPLACE FUNCTION default_quotas() RETURNS TABLE (resource text, maximum bigint) LANGUAGE sql IMMUTABLE AS $$
  VALUES ('modules', 1000::bigint), ('entries', 2000000), ('communities', 10000), ('speakers', 5000), ('peers', 5000),
         ('api_keys', 5000), ('jobs_queued', 10000), ('firewall_clients', 1000), ('firewall_rules', 1000), ('feeds', 1000)
$$;

CREATE OR REPLACE FUNCTION quota_used(of_tenant uuid, of_resource text) RETURNS bigint LANGUAGE sql SET search_path FROM CURRENT AS $$
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
    WHEN 'firewall_clients' THEN (SELECT count(*) FROM firewall_client WHERE tenant_id = of_tenant)
    WHEN 'firewall_rules' THEN (SELECT count(*) FROM firewall_rule WHERE tenant_id = of_tenant)
    WHEN 'feeds' THEN (SELECT count(*) FROM feed WHERE tenant_id = of_tenant)
  END
$$;

-- For the tenants that are there. Their owner sees no rows.
SET LOCAL ROLE prefixcast_system;
INSERT INTO tenant_quota (tenant_id, resource, maximum)
SELECT t.id, d.resource, d.maximum FROM tenant t CROSS JOIN default_quotas() d
ON CONFLICT DO NOTHING;
SET LOCAL ROLE NONE;
