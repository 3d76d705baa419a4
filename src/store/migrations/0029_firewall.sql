-- Linux hosts that take lists into their packet filter, and the rules that say what they do with them.

CREATE TABLE firewall_client (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  name text NOT NULL,
  name_key text COLLATE "C",
  hostname text NOT NULL,
  policy text NOT NULL DEFAULT 'block' CHECK (policy IN ('block', 'accept')),
  -- Networks that no rule may cut off, in their canonical form.
  protected text[] NOT NULL DEFAULT '{}',
  -- What the client reports.
  client_version text,
  last_seen_at timestamptz(3),
  applied_ruleset_hash bytea,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'applied', 'failed', 'reverted')),
  last_error text,
  counters jsonb NOT NULL DEFAULT '[]',
  -- What it is to apply: the number rises with every other content, so that nobody can give the client an old one.
  ruleset_sequence bigint NOT NULL DEFAULT 0,
  ruleset_hash bytea,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id),
  CONSTRAINT firewall_client_name_key UNIQUE (tenant_id, name),
  CONSTRAINT firewall_client_name_without_case_key UNIQUE (tenant_id, name_key)
);

CREATE TABLE firewall_rule (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  name text NOT NULL,
  name_key text COLLATE "C",
  action text NOT NULL CHECK (action IN ('block', 'accept')),
  direction text NOT NULL CHECK (direction IN ('in', 'out', 'both')),
  -- Lists of ids: what they name cannot be deleted while they do (store/firewall-rules.ts).
  module_ids uuid[] NOT NULL DEFAULT '{}',
  community_ids uuid[] NOT NULL DEFAULT '{}',
  cidrs text[] NOT NULL DEFAULT '{}',
  protocol text NOT NULL DEFAULT 'any' CHECK (protocol IN ('any', 'tcp', 'udp', 'icmp')),
  -- `443` or `8000-8100`, of the protocols tcp and udp.
  ports text[] NOT NULL DEFAULT '{}',
  priority integer NOT NULL DEFAULT 1000,
  -- Empty: all clients.
  client_ids uuid[] NOT NULL DEFAULT '{}',
  enabled boolean NOT NULL DEFAULT true,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id),
  CONSTRAINT firewall_rule_name_key UNIQUE (tenant_id, name),
  CONSTRAINT firewall_rule_name_without_case_key UNIQUE (tenant_id, name_key)
);
CREATE INDEX firewall_rule_order ON firewall_rule (tenant_id, priority, id);

-- Of keys of the role firewall: whose key it is. Such a key outlives its client, and can do nothing any more.
ALTER TABLE api_key
  ADD COLUMN firewall_client_id uuid,
  ADD CONSTRAINT api_key_firewall_client_id_fkey FOREIGN KEY (tenant_id, firewall_client_id)
    REFERENCES firewall_client (tenant_id, id) ON DELETE SET NULL (firewall_client_id);
CREATE INDEX api_key_firewall_client ON api_key (tenant_id, firewall_client_id) WHERE firewall_client_id IS NOT NULL;

-- A token is for the node of a speaker, or for a firewall client: a new one, or one that there is already.
ALTER TABLE enrollment_token
  ALTER COLUMN speaker_id DROP NOT NULL,
  ADD COLUMN firewall_client_id uuid,
  ADD COLUMN firewall_policy text CHECK (firewall_policy IN ('block', 'accept')),
  ADD CONSTRAINT enrollment_token_subject_check CHECK ((speaker_id IS NULL) <> (firewall_policy IS NULL)),
  ADD CONSTRAINT enrollment_token_firewall_client_id_fkey FOREIGN KEY (tenant_id, firewall_client_id)
    REFERENCES firewall_client (tenant_id, id) ON DELETE CASCADE;
CREATE INDEX enrollment_token_firewall_client ON enrollment_token (tenant_id, firewall_client_id)
  WHERE firewall_client_id IS NOT NULL;

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['firewall_client', 'firewall_rule'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_tenant ON %I TO prefixcast_tenant'
                   ' USING (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)'
                   ' WITH CHECK (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)', name);
    EXECUTE format('CREATE POLICY every_tenant ON %I TO prefixcast_system USING (true) WITH CHECK (true)', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO prefixcast_system, prefixcast_tenant', name);
    EXECUTE format('CREATE TRIGGER %I BEFORE INSERT ON %I FOR EACH ROW EXECUTE FUNCTION set_name_key()', name || '_names', name);
    EXECUTE format('CREATE TRIGGER %I BEFORE UPDATE OF name ON %I FOR EACH ROW'
                   ' WHEN (OLD.name IS DISTINCT FROM NEW.name) EXECUTE FUNCTION set_name_key()', name || '_renames', name);
    EXECUTE format('CREATE TRIGGER %I AFTER INSERT ON %I FOR EACH ROW EXECUTE FUNCTION keep_quota(%L)',
      name || '_quota', name, name || 's');
  END LOOP;
END
$$;

CREATE OR REPLACE FUNCTION default_quotas() RETURNS TABLE (resource text, maximum bigint) LANGUAGE sql IMMUTABLE AS $$
  VALUES ('modules', 1000::bigint), ('entries', 2000000), ('communities', 10000), ('speakers', 1000), ('peers', 1000),
         ('api_keys', 1000), ('jobs_queued', 10000), ('firewall_clients', 1000), ('firewall_rules', 1000)
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
  END
$$;

-- Clients that wait are told when there is another revision to follow, or other rules.
CREATE FUNCTION tell_firewalls() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('prefixcast_firewall', coalesce(NEW.tenant_id, OLD.tenant_id)::text);
  RETURN NULL;
END
$$;
CREATE TRIGGER revision_firewalls AFTER INSERT ON revision FOR EACH ROW
  WHEN (NEW.state = 'ready') EXECUTE FUNCTION tell_firewalls();
CREATE TRIGGER revision_released_firewalls AFTER UPDATE OF state ON revision FOR EACH ROW
  WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION tell_firewalls();
CREATE TRIGGER firewall_rule_firewalls AFTER INSERT OR UPDATE OR DELETE ON firewall_rule
  FOR EACH ROW EXECUTE FUNCTION tell_firewalls();
CREATE TRIGGER firewall_client_firewalls AFTER UPDATE OF policy, protected ON firewall_client
  FOR EACH ROW EXECUTE FUNCTION tell_firewalls();

-- For the tenants that are there. Their owner sees no rows.
SET LOCAL ROLE prefixcast_system;
INSERT INTO tenant_quota (tenant_id, resource, maximum)
SELECT t.id, d.resource, d.maximum FROM tenant t CROSS JOIN default_quotas() d
ON CONFLICT DO NOTHING;
SET LOCAL ROLE NONE;
