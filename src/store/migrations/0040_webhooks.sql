-- Webhooks: receivers elsewhere, which are sent what happens. What waits for them are the events (0006); of these a webhook has a place, as a
-- reader of the stream has one, and the next deliveries.

CREATE TABLE webhook (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  name text NOT NULL,
  name_key text COLLATE "C",
  description text,
  url text NOT NULL,
  events text[] NOT NULL,
  format text NOT NULL CHECK (format IN ('json', 'slack')),
  enabled boolean NOT NULL DEFAULT true,
  secret_prefix text NOT NULL,
  secret_sealed bytea NOT NULL,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id),
  CONSTRAINT webhook_name_key UNIQUE (tenant_id, name),
  CONSTRAINT webhook_name_without_case_key UNIQUE (tenant_id, name_key)
);

-- Who sends to it, as audit_delivery has it; apart from what operators change, so that neither waits for the other.
CREATE TABLE webhook_turn (
  tenant_id uuid NOT NULL,
  webhook_id uuid NOT NULL,
  -- The last event of which there is a delivery, or need be none.
  position bigint NOT NULL,
  last_delivered_at timestamptz(3),
  holder uuid,
  lease_expires_at timestamptz NOT NULL DEFAULT '-infinity',
  failures integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT '-infinity',
  last_error text,
  failing_since timestamptz(3),
  PRIMARY KEY (tenant_id, webhook_id),
  CONSTRAINT webhook_turn_webhook_id_fkey FOREIGN KEY (tenant_id, webhook_id) REFERENCES webhook (tenant_id, id) ON DELETE CASCADE
);

CREATE TABLE webhook_delivery (
  tenant_id uuid NOT NULL,
  webhook_id uuid NOT NULL,
  id uuid NOT NULL,
  -- The order of sending.
  number bigint GENERATED ALWAYS AS IDENTITY,
  -- Its number in the stream; null: it is none of the stream, such as a test.
  event_sequence bigint,
  event text NOT NULL,
  data jsonb NOT NULL,
  state text NOT NULL CHECK (state IN ('pending', 'delivered', 'refused', 'skipped')),
  attempts integer NOT NULL DEFAULT 0,
  -- Of the last attempt.
  attempted_at timestamptz(3),
  status integer,
  error text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id),
  CONSTRAINT webhook_delivery_webhook_id_fkey FOREIGN KEY (tenant_id, webhook_id) REFERENCES webhook (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX webhook_delivery_number ON webhook_delivery (tenant_id, webhook_id, number, id);
CREATE INDEX webhook_delivery_pending ON webhook_delivery (tenant_id, webhook_id, number) WHERE state = 'pending';

DO $$
DECLARE
  item text;
BEGIN
  FOREACH item IN ARRAY ARRAY['webhook', 'webhook_turn', 'webhook_delivery'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', item);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', item);
    EXECUTE format(
      'CREATE POLICY own_tenant ON %I TO prefixcast_tenant'
      ' USING (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)'
      ' WITH CHECK (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)', item);
    EXECUTE format('CREATE POLICY every_tenant ON %I TO prefixcast_system USING (true) WITH CHECK (true)', item);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO prefixcast_system, prefixcast_tenant', item);
  END LOOP;
END
$$;

CREATE TRIGGER webhook_names BEFORE INSERT ON webhook FOR EACH ROW EXECUTE FUNCTION set_name_key();
CREATE TRIGGER webhook_renames BEFORE UPDATE OF name ON webhook
  FOR EACH ROW WHEN (OLD.name IS DISTINCT FROM NEW.name) EXECUTE FUNCTION set_name_key();

-- Who sends looks when something has happened, and when somebody has changed where it goes, or asks to send it again.
CREATE FUNCTION tell_webhook_edit() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM pg_notify('prefixcast_webhooks', NEW.tenant_id::text);
  RETURN NULL;
END
$$;
CREATE TRIGGER webhook_tells AFTER INSERT OR UPDATE ON webhook FOR EACH ROW EXECUTE FUNCTION tell_webhook_edit();
CREATE TRIGGER webhook_delivery_tells AFTER UPDATE OF state ON webhook_delivery
  FOR EACH ROW WHEN (NEW.state = 'pending' AND OLD.state <> 'pending') EXECUTE FUNCTION tell_webhook_edit();

CREATE TRIGGER webhook_quota AFTER INSERT ON webhook FOR EACH ROW EXECUTE FUNCTION keep_quota('webhooks');

CREATE OR REPLACE FUNCTION default_quotas() RETURNS TABLE (resource text, maximum bigint) LANGUAGE sql IMMUTABLE AS $$
  VALUES ('modules', 1000::bigint), ('entries', 2000000), ('communities', 10000), ('speakers', 5000), ('peers', 5000),
         ('api_keys', 5000), ('jobs_queued', 10000), ('firewall_clients', 1000), ('firewall_rules', 1000), ('feeds', 1000),
         ('webhooks', 100)
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
    WHEN 'webhooks' THEN (SELECT count(*) FROM webhook WHERE tenant_id = of_tenant)
  END
$$;

-- For the tenants that are there. Their owner sees no rows.
SET LOCAL ROLE prefixcast_system;
INSERT INTO tenant_quota (tenant_id, resource, maximum)
SELECT t.id, d.resource, d.maximum FROM tenant t CROSS JOIN default_quotas() d
ON CONFLICT DO NOTHING;
SET LOCAL ROLE NONE;
