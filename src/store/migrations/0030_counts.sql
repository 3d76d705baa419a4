-- What lists say about how many there are is counted when it changes, not when it is read; and what lists are filtered by has an index in
-- the order of their pages.
--
-- While this runs, nobody writes entries or jobs; reading goes on. It takes some ten seconds for a million of each.

-- Entries of a module, in as many rows as had to be written at the same time: whoever counts takes a row that nobody else holds, or adds one.
-- So no writer waits for another, and none can meet another in a deadlock; the sum is exact for whoever reads it.
CREATE TABLE module_entry_count (
  tenant_id uuid NOT NULL,
  module_id uuid NOT NULL,
  slot bigint GENERATED ALWAYS AS IDENTITY,
  entries bigint NOT NULL,
  PRIMARY KEY (tenant_id, module_id, slot),
  CONSTRAINT module_entry_count_module_id_fkey FOREIGN KEY (tenant_id, module_id) REFERENCES module (tenant_id, id) ON DELETE CASCADE
) WITH (fillfactor = 50);

-- Jobs that have ended, by state, in the same way. What is open is counted when it is asked for.
CREATE TABLE ended_job_count (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  state text NOT NULL,
  slot bigint GENERATED ALWAYS AS IDENTITY,
  jobs bigint NOT NULL,
  PRIMARY KEY (tenant_id, state, slot)
) WITH (fillfactor = 50);

DO $$
DECLARE
  item text;
BEGIN
  FOREACH item IN ARRAY ARRAY['module_entry_count', 'ended_job_count'] LOOP
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

-- Between the count below and the first one of the triggers nobody may write: a writer that has begun would go on with what was there before.
LOCK TABLE cdn_source, as_entry, domain_entry, ip_range_entry, geofeed_entry, job IN SHARE ROW EXCLUSIVE MODE;

CREATE FUNCTION add_entries(of_tenant uuid, of_module uuid, more bigint) RETURNS void
  LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE module_entry_count SET entries = entries + more
   WHERE tenant_id = of_tenant AND module_id = of_module
     AND slot = (SELECT slot FROM module_entry_count WHERE tenant_id = of_tenant AND module_id = of_module
                  LIMIT 1 FOR UPDATE SKIP LOCKED);
  IF NOT FOUND THEN
    INSERT INTO module_entry_count (tenant_id, module_id, entries) VALUES (of_tenant, of_module, more);
  END IF;
END
$$;

CREATE OR REPLACE FUNCTION count_entries() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  sign integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
  quota record;
BEGIN
  FOR quota IN
    UPDATE tenant_quota q SET used = q.used + sign * c.entries
      FROM (SELECT tenant_id, count(*) AS entries FROM changed GROUP BY tenant_id) c
     WHERE q.tenant_id = c.tenant_id AND q.resource = 'entries'
    RETURNING q.maximum, q.used, c.entries
  LOOP
    IF sign > 0 AND quota.used > quota.maximum THEN
      PERFORM refuse_quota('entries', quota.maximum, quota.used, quota.entries);
    END IF;
  END LOOP;
  -- What a module takes with it needs no count.
  PERFORM add_entries(c.tenant_id, c.module_id, sign * c.entries)
     FROM (SELECT tenant_id, module_id, count(*) AS entries FROM changed GROUP BY tenant_id, module_id) c
     JOIN module m ON m.tenant_id = c.tenant_id AND m.id = c.module_id;
  RETURN NULL;
END
$$;

CREATE FUNCTION add_ended_jobs(of_tenant uuid, of_state text, more bigint) RETURNS void
  LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE ended_job_count SET jobs = jobs + more
   WHERE tenant_id = of_tenant AND state = of_state
     AND slot = (SELECT slot FROM ended_job_count WHERE tenant_id = of_tenant AND state = of_state
                  LIMIT 1 FOR UPDATE SKIP LOCKED);
  IF NOT FOUND THEN
    -- Jobs go with their tenant.
    INSERT INTO ended_job_count (tenant_id, state, jobs)
    SELECT of_tenant, of_state, more WHERE EXISTS (SELECT FROM tenant WHERE id = of_tenant);
  END IF;
END
$$;

CREATE FUNCTION is_ended(state text) RETURNS boolean LANGUAGE sql IMMUTABLE RETURN state NOT IN ('queued', 'running');

CREATE FUNCTION count_ended_job() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF is_ended(OLD.state) THEN
      PERFORM add_ended_jobs(OLD.tenant_id, OLD.state, -1);
    END IF;
  END IF;
  IF is_ended(NEW.state) THEN
    PERFORM add_ended_jobs(NEW.tenant_id, NEW.state, 1);
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER job_ended_count AFTER UPDATE OF state ON job FOR EACH ROW
  WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION count_ended_job();
CREATE TRIGGER job_made_ended_count AFTER INSERT ON job FOR EACH ROW
  WHEN (NEW.state NOT IN ('queued', 'running')) EXECUTE FUNCTION count_ended_job();

-- Many at once, where they are pruned.
CREATE FUNCTION count_removed_jobs() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM add_ended_jobs(r.tenant_id, r.state, -r.jobs)
     FROM (SELECT tenant_id, state, count(*) AS jobs FROM removed WHERE is_ended(state) GROUP BY tenant_id, state) r;
  RETURN NULL;
END
$$;
CREATE TRIGGER job_removed_count AFTER DELETE ON job REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_removed_jobs();

-- Whoever queues a job waits for others who do only where the limit is near. Far from it, where less than half is used, all hold the quota
-- together, and each may add so many that as many as there can be at once do not reach it. Whoever comes near it, or adds more, waits for
-- them and keeps it for itself, and so counts all that there are.
CREATE FUNCTION keep_job_quota() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  -- How many this transaction, which is of one tenant, has added so; below zero: it keeps the quota for itself.
  noted text := current_setting('app.jobs_added', true);
  added integer := CASE WHEN noted LIKE NEW.tenant_id || ' %' THEN split_part(noted, ' ', 2)::integer ELSE 0 END;
  most bigint;
  has bigint;
  each_may bigint;
BEGIN
  SELECT maximum INTO most FROM tenant_quota WHERE tenant_id = NEW.tenant_id AND resource = 'jobs_queued';
  each_may := most / 2 / current_setting('max_connections')::bigint;
  IF added = 0 AND each_may > 0 AND quota_used(NEW.tenant_id, 'jobs_queued') <= most / 2 THEN
    PERFORM FROM tenant_quota WHERE tenant_id = NEW.tenant_id AND resource = 'jobs_queued' FOR KEY SHARE;
    -- Whoever kept it meanwhile may have added many.
    IF quota_used(NEW.tenant_id, 'jobs_queued') <= most / 2 THEN
      PERFORM set_config('app.jobs_added', NEW.tenant_id || ' 1', true);
      RETURN NULL;
    END IF;
  ELSIF added > 0 AND added < each_may THEN
    PERFORM set_config('app.jobs_added', NEW.tenant_id || ' ' || added + 1, true);
    RETURN NULL;
  END IF;
  PERFORM set_config('app.jobs_added', NEW.tenant_id || ' -1', true);
  SELECT maximum INTO most FROM tenant_quota WHERE tenant_id = NEW.tenant_id AND resource = 'jobs_queued' FOR UPDATE;
  has := quota_used(NEW.tenant_id, 'jobs_queued');
  IF has > most THEN
    PERFORM refuse_quota('jobs_queued', most, has, 1);
  END IF;
  RETURN NULL;
END
$$;
DROP TRIGGER job_quota ON job;
CREATE TRIGGER job_quota AFTER INSERT ON job FOR EACH ROW WHEN (NEW.parent_id IS NULL) EXECUTE FUNCTION keep_job_quota();

-- Pages of jobs by what they are filtered by.
DROP INDEX job_state;
CREATE INDEX job_state ON job (tenant_id, state, created_at, id);
CREATE INDEX job_type ON job (tenant_id, type, created_at, id);
CREATE INDEX job_type_state ON job (tenant_id, type, state, created_at, id);
CREATE INDEX job_resource_created ON job (tenant_id, resource_id, created_at, id);

-- Pages of modules and entries likewise.
CREATE INDEX module_type ON module (tenant_id, type, id);
CREATE INDEX module_purpose ON module (tenant_id, purpose, id);
CREATE INDEX module_enabled ON module (tenant_id, enabled, id);
DROP INDEX module_community;
CREATE INDEX module_community ON module (tenant_id, community_id, id);
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['cdn_source', 'as_entry', 'domain_entry', 'ip_range_entry', 'geofeed_entry'] LOOP
    EXECUTE format('CREATE INDEX %I ON %I (tenant_id, module_id, enabled, id)', name || '_enabled', name);
    IF name <> 'ip_range_entry' THEN
      EXECUTE format('CREATE INDEX %I ON %I (tenant_id, module_id, status, id)', name || '_status', name);
    END IF;
  END LOOP;
END
$$;

-- What is there. Its owner sees no rows.
SET LOCAL ROLE prefixcast_system;
INSERT INTO module_entry_count (tenant_id, module_id, entries)
SELECT tenant_id, module_id, count(*)
  FROM (SELECT tenant_id, module_id FROM cdn_source
        UNION ALL SELECT tenant_id, module_id FROM as_entry
        UNION ALL SELECT tenant_id, module_id FROM domain_entry
        UNION ALL SELECT tenant_id, module_id FROM ip_range_entry
        UNION ALL SELECT tenant_id, module_id FROM geofeed_entry) AS entry
 GROUP BY tenant_id, module_id;
INSERT INTO ended_job_count (tenant_id, state, jobs)
SELECT tenant_id, state, count(*) FROM job WHERE state NOT IN ('queued', 'running') GROUP BY tenant_id, state;
SET LOCAL ROLE NONE;
