-- What changed of many entries at once is told by joining the rows before with those after. The plan of that join is made with the first
-- change of a session, mostly that of one entry: a nested loop, which of ten thousand takes a hundred million steps.
DO $$
DECLARE
  kind text;
BEGIN
  FOREACH kind IN ARRAY ARRAY['cdn_source', 'as_entry', 'domain_entry', 'ip_range_entry', 'geofeed_entry']
  LOOP
    EXECUTE format('ALTER FUNCTION %I() SET enable_nestloop = off', kind || '_pending_changed');
  END LOOP;
END
$$;
