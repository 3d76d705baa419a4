-- Whether the module of a changed entry is enabled is looked up, once for each module. As a join it read every module for each entry that was changed, 12 ms where there are ten
-- thousand, since nested loops are switched off for the join of the rows before with those after (0037_pending_plans.sql).
DO $$
DECLARE
  kind record;
BEGIN
  FOR kind IN
    SELECT * FROM (VALUES
      ('cdn_source', ARRAY['url', 'format', 'json_path', 'csv_column', 'header_names', 'headers_sealed']),
      ('as_entry', ARRAY['asn']),
      ('domain_entry', ARRAY['domain']),
      ('ip_range_entry', ARRAY['cidr']),
      ('geofeed_entry', ARRAY['url', 'countries', 'regions', 'header_names', 'headers_sealed'])) AS kinds (name, question)
  LOOP
    EXECUTE format($function$
      CREATE OR REPLACE FUNCTION %1$s_pending_changed() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_nestloop = off AS $body$
      BEGIN
        PERFORM note_change(tenant_id, module_id, collect, build, many)
           FROM (SELECT tenant_id, module_id, bool_or(collect) AS collect, bool_or(build) AS build, count(*) AS many
                   FROM (SELECT n.tenant_id, n.module_id,
                                n.enabled AND (NOT o.enabled OR (%2$s) IS DISTINCT FROM (%3$s)) AS collect,
                                n.enabled <> o.enabled OR (n.enabled AND n.community_ids <> o.community_ids) AS build
                           FROM after n JOIN before o ON o.tenant_id = n.tenant_id AND o.id = n.id) e
                  WHERE collect OR build
                  GROUP BY tenant_id, module_id
                 OFFSET 0) changed
          WHERE (SELECT enabled FROM module m WHERE m.tenant_id = changed.tenant_id AND m.id = changed.module_id);
        RETURN NULL;
      END
      $body$
    $function$,
      kind.name,
      (SELECT string_agg('n.' || q, ', ') FROM unnest(kind.question) q),
      (SELECT string_agg('o.' || q, ', ') FROM unnest(kind.question) q));
  END LOOP;
END
$$;
