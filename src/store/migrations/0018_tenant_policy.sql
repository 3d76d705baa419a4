-- What super roles let a tenant do, tenants that are stopped, and which tenant has which router.

ALTER TABLE tenant
  -- A new tenant begins closed. Null in place of a list: everything. api/tenant-policy.ts says what each member means.
  ADD COLUMN policy jsonb NOT NULL DEFAULT
    '{"allowed_prefixes": [], "allowed_communities": [], "allowed_local_asns": [], "allowed_peer_networks": [],
      "allowed_source_addresses": [], "may_loosen_guards": false}',
  DROP CONSTRAINT tenant_status_check,
  ADD CONSTRAINT tenant_status_check CHECK (status IN ('active', 'suspended', 'stopped'));

-- The enabled peers of a tenant that processes of this service connect to, so that no two tenants talk to one router. The first tenant at an
-- address is also the one whose calls come from there.
CREATE TABLE peer_endpoint (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  address text NOT NULL,
  port integer NOT NULL,
  claimed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant_id, address, port),
  CONSTRAINT peer_endpoint_address_key UNIQUE (address, port)
);
ALTER TABLE peer_endpoint ENABLE ROW LEVEL SECURITY;
ALTER TABLE peer_endpoint FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON peer_endpoint TO prefixcast_tenant
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
  WITH CHECK (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
CREATE POLICY every_tenant ON peer_endpoint TO prefixcast_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON peer_endpoint TO prefixcast_system, prefixcast_tenant;

-- The kinds are those of api/events.ts; a new one needs no migration.
ALTER TABLE event DROP CONSTRAINT event_kind_check, ADD CONSTRAINT event_kind_check CHECK (kind ~ '^[a-z]+(_[a-z]+)*$');

CREATE FUNCTION write_tenant_event() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM write_event(NEW.id, 'tenant', jsonb_build_object('id', NEW.id, 'status', NEW.status, 'policy', NEW.policy));
  RETURN NULL;
END
$$;
CREATE TRIGGER tenant_changed AFTER UPDATE ON tenant FOR EACH ROW
  WHEN ((OLD.status, OLD.policy) IS DISTINCT FROM (NEW.status, NEW.policy)) EXECUTE FUNCTION write_tenant_event();

-- For the tenants that are there. Their owner sees no rows.
SET LOCAL ROLE prefixcast_system;
-- What they announce and whom they talk to stays: nobody loses a route by an upgrade. Only the home tenant goes on loosening guardrails; for
-- the others that is refused in words from now on, and what they loosened stays.
UPDATE tenant SET policy = jsonb_build_object(
  'allowed_prefixes', NULL, 'allowed_communities', NULL, 'allowed_local_asns', NULL, 'allowed_peer_networks', NULL,
  'allowed_source_addresses', NULL, 'may_loosen_guards', slug = 'default');
-- Of several tenants with one router, the first one keeps it.
INSERT INTO peer_endpoint (tenant_id, address, port, claimed_at)
SELECT DISTINCT ON (address, port) tenant_id, address, port, created_at
  FROM peer p
 WHERE p.enabled
   AND (NOT EXISTS (SELECT FROM peer_speaker l WHERE l.tenant_id = p.tenant_id AND l.peer_id = p.id)
     OR EXISTS (SELECT FROM peer_speaker l JOIN speaker s ON s.tenant_id = l.tenant_id AND s.id = l.speaker_id
                 WHERE l.tenant_id = p.tenant_id AND l.peer_id = p.id AND s.mode = 'local'))
 ORDER BY address, port, created_at, id;
SET LOCAL ROLE NONE;
