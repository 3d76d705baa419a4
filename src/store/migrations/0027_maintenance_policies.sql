-- What is removed or looked after by itself: what, how, and when. Schedules are read by the service; when the next run is due stands here, by the
-- clock of the database.
CREATE TABLE maintenance_policy (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  name text NOT NULL,
  name_key text COLLATE "C",
  kind text NOT NULL,
  parameters jsonb NOT NULL,
  -- Five fields of cron, in UTC; null: it runs when somebody asks.
  schedule text,
  enabled boolean NOT NULL DEFAULT true,
  next_run_at timestamptz(3),
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id),
  CONSTRAINT maintenance_policy_name_key UNIQUE (tenant_id, name),
  CONSTRAINT maintenance_policy_name_without_case_key UNIQUE (tenant_id, name_key)
);
CREATE INDEX maintenance_policy_due ON maintenance_policy (tenant_id, next_run_at) WHERE next_run_at IS NOT NULL;

ALTER TABLE maintenance_policy ENABLE ROW LEVEL SECURITY;
ALTER TABLE maintenance_policy FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON maintenance_policy TO prefixcast_tenant
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
  WITH CHECK (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
CREATE POLICY every_tenant ON maintenance_policy TO prefixcast_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON maintenance_policy TO prefixcast_system, prefixcast_tenant;

CREATE TRIGGER maintenance_policy_names BEFORE INSERT ON maintenance_policy FOR EACH ROW EXECUTE FUNCTION set_name_key();
CREATE TRIGGER maintenance_policy_renames BEFORE UPDATE OF name ON maintenance_policy
  FOR EACH ROW WHEN (OLD.name IS DISTINCT FROM NEW.name) EXECUTE FUNCTION set_name_key();
