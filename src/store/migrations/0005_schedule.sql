-- When modules are refreshed by themselves, and when the periodic duties of a tenant were done last. All of it by the clock of the
-- database: those of processes may be a day off.

ALTER TABLE module
  -- Refreshes in a row that brought nothing.
  ADD COLUMN refresh_failures integer NOT NULL DEFAULT 0;

-- Up to a twentieth beside the interval, so that modules made at once do not stay together. Each failure doubles the wait, up to a
-- day, which also shortens that of who comes more seldom.
CREATE FUNCTION next_refresh(seconds integer, failures integer) RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
  SELECT clock_timestamp() + make_interval(secs => CASE
    WHEN failures = 0 THEN seconds * (0.95 + 0.1 * random())
    ELSE least(seconds * 2.0 ^ least(failures, 20), 86400) * (0.75 + 0.25 * random())
  END)
$$;

CREATE FUNCTION schedule_module() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT NEW.enabled OR NEW.refresh_interval_seconds IS NULL THEN
    NEW.next_refresh_at := NULL;
  ELSIF TG_OP = 'INSERT' OR NEW.next_refresh_at IS NULL
     OR NEW.refresh_interval_seconds IS DISTINCT FROM OLD.refresh_interval_seconds THEN
    NEW.refresh_failures := 0;
    NEW.next_refresh_at := next_refresh(NEW.refresh_interval_seconds, 0);
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER module_schedule BEFORE INSERT OR UPDATE OF enabled, refresh_interval_seconds ON module
  FOR EACH ROW EXECUTE FUNCTION schedule_module();

-- A refresh ends in many places: in its worker, with it, by an operator. The module is due again after each.
CREATE FUNCTION schedule_after_refresh() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE module
     SET refresh_failures = CASE
           WHEN NEW.state = 'cancelled' THEN refresh_failures
           WHEN NEW.state = 'failed' OR NEW.result ->> 'status' = 'failed' THEN refresh_failures + 1
           ELSE 0
         END
   WHERE tenant_id = NEW.tenant_id AND id = NEW.resource_id;
  UPDATE module
     SET next_refresh_at = next_refresh(refresh_interval_seconds, refresh_failures)
   WHERE tenant_id = NEW.tenant_id AND id = NEW.resource_id AND next_refresh_at IS NOT NULL;
  RETURN NULL;
END
$$;
CREATE TRIGGER job_schedules_module AFTER UPDATE OF state ON job
  FOR EACH ROW
  WHEN (NEW.type = 'module_refresh' AND OLD.state IN ('queued', 'running') AND NEW.state NOT IN ('queued', 'running'))
  EXECUTE FUNCTION schedule_after_refresh();

-- Of the many jobs that a module has had, the few that wait or run: what is due is looked for every second.
CREATE INDEX job_open ON job (tenant_id, type, resource_id) WHERE state IN ('queued', 'running');

CREATE TABLE duty (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  name text NOT NULL,
  done_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, name)
);

ALTER TABLE duty ENABLE ROW LEVEL SECURITY;
ALTER TABLE duty FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON duty TO prefixcast_tenant
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
  WITH CHECK (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
CREATE POLICY every_tenant ON duty TO prefixcast_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON duty TO prefixcast_system, prefixcast_tenant;
