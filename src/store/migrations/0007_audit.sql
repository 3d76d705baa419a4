-- The journal of changes, and what of it the portal has not been sent yet.

CREATE TABLE audit_record (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  -- When it was written, not when its transaction began.
  at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  actor text NOT NULL,
  action text NOT NULL,
  severity text NOT NULL CHECK (severity IN ('info', 'notice', 'warning', 'critical')),
  resource_type text NOT NULL,
  resource_id text,
  resource_name text,
  changes_before jsonb,
  changes_after jsonb,
  request_id text,
  address text,
  -- No foreign key: the journal outlives what it tells of.
  policy_id uuid,
  PRIMARY KEY (tenant_id, id)
);
-- Pages go from the newest to the oldest; each filter has an index in that order.
CREATE INDEX audit_record_at ON audit_record (tenant_id, at, id);
CREATE INDEX audit_record_action ON audit_record (tenant_id, action, at, id);
CREATE INDEX audit_record_severity ON audit_record (tenant_id, severity, at, id);
CREATE INDEX audit_record_actor ON audit_record (tenant_id, actor, at, id);
CREATE INDEX audit_record_resource_type ON audit_record (tenant_id, resource_type, at, id);
CREATE INDEX audit_record_resource_id ON audit_record (tenant_id, resource_id, at, id);
CREATE INDEX audit_record_policy ON audit_record (tenant_id, policy_id, at, id) WHERE policy_id IS NOT NULL;

-- A row until the portal has taken the record. Written with every record, so that a portal that is set up later, or by one of
-- several processes only, misses none.
CREATE TABLE audit_outbox (
  tenant_id uuid NOT NULL,
  record_id uuid NOT NULL,
  -- The order of sending: that of transactions, then that within one. See store/audit-outbox.ts.
  transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id(),
  sequence bigint GENERATED ALWAYS AS IDENTITY,
  queued_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  -- The portal will never take it: kept aside, so that others go on.
  refused_at timestamptz(3),
  refusal text,
  PRIMARY KEY (tenant_id, record_id),
  CONSTRAINT audit_outbox_record_id_fkey FOREIGN KEY (tenant_id, record_id) REFERENCES audit_record (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX audit_outbox_next ON audit_outbox (tenant_id, transaction_id, sequence) WHERE refused_at IS NULL;

-- Who sends the tenant's records, and when the next attempt is due.
CREATE TABLE audit_delivery (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  holder uuid,
  lease_expires_at timestamptz NOT NULL,
  failures integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT '-infinity',
  last_error text,
  PRIMARY KEY (tenant_id)
);

DO $$
DECLARE
  item text;
BEGIN
  FOREACH item IN ARRAY ARRAY['audit_record', 'audit_outbox', 'audit_delivery'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', item);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', item);
    EXECUTE format(
      'CREATE POLICY own_tenant ON %I TO prefixcast_tenant'
      ' USING (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)'
      ' WITH CHECK (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)', item);
    EXECUTE format('CREATE POLICY every_tenant ON %I TO prefixcast_system USING (true) WITH CHECK (true)', item);
  END LOOP;
END
$$;

-- A tenant adds to its journal and never takes anything back; only the service prunes and sends.
GRANT SELECT, INSERT ON audit_record, audit_outbox TO prefixcast_tenant;
GRANT SELECT ON audit_delivery TO prefixcast_tenant;
GRANT SELECT, INSERT, DELETE ON audit_record TO prefixcast_system;
GRANT SELECT, INSERT, UPDATE, DELETE ON audit_outbox, audit_delivery TO prefixcast_system;
