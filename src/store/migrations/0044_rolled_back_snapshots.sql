-- What a rollback took back of a module: this content, and no other, is held until somebody lets it through.
CREATE TABLE rolled_back_snapshot (
  tenant_id uuid NOT NULL,
  module_id uuid NOT NULL,
  content_hash bytea NOT NULL CHECK (length(content_hash) = 32),
  PRIMARY KEY (tenant_id, module_id),
  CONSTRAINT rolled_back_snapshot_module_id_fkey FOREIGN KEY (tenant_id, module_id) REFERENCES module (tenant_id, id) ON DELETE CASCADE
);
ALTER TABLE rolled_back_snapshot ENABLE ROW LEVEL SECURITY;
ALTER TABLE rolled_back_snapshot FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON rolled_back_snapshot TO prefixcast_tenant
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
  WITH CHECK (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
CREATE POLICY every_tenant ON rolled_back_snapshot TO prefixcast_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON rolled_back_snapshot TO prefixcast_system, prefixcast_tenant;
