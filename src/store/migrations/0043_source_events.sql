-- An event where the status of sources changes: one for all of a module that change in one statement.

CREATE FUNCTION write_source_events() RETURNS trigger LANGUAGE plpgsql
  SET search_path FROM CURRENT
  -- As for pending changes: planned with few rows, the join would take a hundred million steps with ten thousand.
  SET enable_nestloop = off AS $$
DECLARE
  -- As many as an event names.
  named constant integer := 100;
  told record;
BEGIN
  FOR told IN
    SELECT changed.tenant_id, changed.module_id, max(changed.count) AS count, jsonb_agg(jsonb_build_object(
             'id', changed.id, 'name', changed.name, 'status', changed.status, 'last_error', changed.last_error) ORDER BY changed.place)
             FILTER (WHERE changed.place <= named) AS sources
      FROM (SELECT after.tenant_id, after.module_id, after.id, after.status, after.last_error,
                   coalesce(to_jsonb(after) ->> 'name', to_jsonb(after) ->> 'domain', 'AS' || (to_jsonb(after) ->> 'asn')) AS name,
                   row_number() OVER of_module AS place, count(*) OVER (PARTITION BY after.tenant_id, after.module_id) AS count
              FROM rows_before before
              JOIN rows_after after ON after.tenant_id = before.tenant_id AND after.id = before.id
             WHERE after.status IS DISTINCT FROM before.status
            WINDOW of_module AS (PARTITION BY after.tenant_id, after.module_id ORDER BY after.id)) AS changed
     GROUP BY changed.tenant_id, changed.module_id
  LOOP
    PERFORM write_event(told.tenant_id, 'source', jsonb_build_object(
      'module_id', told.module_id, 'type', TG_TABLE_NAME, 'count', told.count, 'sources', told.sources));
  END LOOP;
  RETURN NULL;
END
$$;

DO $$
DECLARE
  kind text;
BEGIN
  FOREACH kind IN ARRAY ARRAY['cdn_source', 'as_entry', 'domain_entry', 'geofeed_entry'] LOOP
    EXECUTE format('CREATE TRIGGER %1$s_statuses AFTER UPDATE ON %1$s REFERENCING OLD TABLE AS rows_before NEW TABLE AS rows_after'
                   ' FOR EACH STATEMENT EXECUTE FUNCTION write_source_events()', kind);
  END LOOP;
END
$$;
