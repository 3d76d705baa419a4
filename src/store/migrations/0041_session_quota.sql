-- Speakers times peers: what a tenant may have of both makes more sessions than a machine can carry.

CREATE OR REPLACE FUNCTION default_quotas() RETURNS TABLE (resource text, maximum bigint) LANGUAGE sql IMMUTABLE AS $$
  VALUES ('modules', 1000::bigint), ('entries', 2000000), ('communities', 10000), ('speakers', 5000), ('peers', 5000),
         ('sessions', 1000), ('api_keys', 5000), ('jobs_queued', 10000), ('firewall_clients', 1000), ('firewall_rules', 1000),
         ('feeds', 1000), ('webhooks', 100)
$$;

-- Of the home tenant are the routers of whoever runs the machine.
CREATE OR REPLACE FUNCTION give_quotas() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO tenant_quota (tenant_id, resource, maximum)
  SELECT NEW.id, d.resource, CASE WHEN NEW.slug = 'default' AND d.resource = 'sessions' THEN 100000 ELSE d.maximum END
    FROM default_quotas() d;
  RETURN NULL;
END
$$;

-- Of speakers on this machine; nodes carry their own. A peer that names no speakers is on every one.
CREATE FUNCTION sessions_used(of_tenant uuid) RETURNS bigint LANGUAGE sql SET search_path FROM CURRENT AS $$
  SELECT (SELECT count(*) FROM speaker WHERE tenant_id = of_tenant AND enabled AND mode = 'local')
       * (SELECT count(*) FROM peer p WHERE p.tenant_id = of_tenant AND p.enabled
             AND NOT EXISTS (SELECT FROM peer_speaker l WHERE l.tenant_id = p.tenant_id AND l.peer_id = p.id))
       + (SELECT count(*) FROM peer_speaker l
            JOIN peer p ON p.tenant_id = l.tenant_id AND p.id = l.peer_id AND p.enabled
            JOIN speaker s ON s.tenant_id = l.tenant_id AND s.id = l.speaker_id AND s.enabled AND s.mode = 'local'
           WHERE l.tenant_id = of_tenant)
$$;

CREATE OR REPLACE FUNCTION quota_used(of_tenant uuid, of_resource text) RETURNS bigint LANGUAGE sql SET search_path FROM CURRENT AS $$
  SELECT CASE of_resource
    WHEN 'modules' THEN (SELECT count(*) FROM module WHERE tenant_id = of_tenant)
    WHEN 'entries' THEN (SELECT used FROM tenant_quota WHERE tenant_id = of_tenant AND resource = 'entries')
    WHEN 'communities' THEN (SELECT count(*) FROM community WHERE tenant_id = of_tenant)
    WHEN 'speakers' THEN (SELECT count(*) FROM speaker WHERE tenant_id = of_tenant)
    WHEN 'peers' THEN (SELECT count(*) FROM peer WHERE tenant_id = of_tenant)
    WHEN 'sessions' THEN sessions_used(of_tenant)
    -- Those that do not work any more stay listed for ever.
    WHEN 'api_keys' THEN (SELECT count(*) FROM api_key WHERE tenant_id = of_tenant AND revoked_at IS NULL
                             AND (expires_at IS NULL OR expires_at > now()))
    WHEN 'jobs_queued' THEN (SELECT count(*) FROM job WHERE tenant_id = of_tenant AND state = 'queued')
    WHEN 'firewall_clients' THEN (SELECT count(*) FROM firewall_client WHERE tenant_id = of_tenant)
    WHEN 'firewall_rules' THEN (SELECT count(*) FROM firewall_rule WHERE tenant_id = of_tenant)
    WHEN 'feeds' THEN (SELECT count(*) FROM feed WHERE tenant_id = of_tenant)
    WHEN 'webhooks' THEN (SELECT count(*) FROM webhook WHERE tenant_id = of_tenant)
  END
$$;

-- For the tenants that are there, which keep the sessions that they have. Their owner sees no rows.
SET LOCAL ROLE prefixcast_system;
INSERT INTO tenant_quota (tenant_id, resource, maximum)
SELECT t.id, 'sessions', CASE WHEN t.slug = 'default' THEN 100000 ELSE greatest(1000, sessions_used(t.id)) END FROM tenant t
ON CONFLICT DO NOTHING;
SET LOCAL ROLE NONE;
