-- Who touched a prefix: the records that name a range around it, by an index of the ranges that records name. Before, each record of the tenant was read.
--
-- While the index is made, nothing is written into the audit log. It takes some ten seconds for a million records of ranges and modules. Without the extension btree_gin, the same is
-- found without it, and takes longer.
CREATE FUNCTION audit_ranges(resource_type text, resource_name text, before jsonb, after jsonb) RETURNS text[]
  LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path FROM CURRENT
  RETURN array_remove(CASE WHEN resource_type = 'ip_range_entry' THEN ARRAY[resource_name, before ->> 'cidr'] ELSE '{}' END, NULL)
    || ARRAY(
      SELECT jsonb_array_elements_text(named) FROM (VALUES
        (after -> 'created_entries'), (after -> 'changed_entries'), (after -> 'updated_entries'), (after -> 'deleted_entries'), (after -> 'restored_entries')) lists (named)
       WHERE jsonb_typeof(named) = 'array');

CREATE FUNCTION make_audit_range_index() RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'btree_gin') THEN
    CREATE INDEX IF NOT EXISTS audit_record_ranges ON audit_record
      USING gin (tenant_id, audit_ranges(resource_type, resource_name, changes_before, changes_after))
      WHERE resource_type IN ('ip_range_entry', 'module');
  END IF;
END
$$;

-- Whoever makes the other indexes of searches makes this one too.
CREATE OR REPLACE FUNCTION make_search_indexes() RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM make_entry_search_indexes();
  PERFORM make_audit_search_index();
  PERFORM make_audit_range_index();
END
$$;
SELECT make_audit_range_index();

-- Ids of the next records that name one of these ranges, in the order of the page. As search_audit_records: this runs as the role that sees every tenant, and names the tenant of the
-- transaction itself, since row level security passes no operator on to the index.
--
-- `filter` has the columns that are to be equal, since and until, and q as a pattern; null for `behind_at` begins at the beginning.
CREATE FUNCTION audit_records_naming(
  ranges text[], filter jsonb, behind_at timestamptz, behind_id uuid, is_descending boolean, most integer
) RETURNS uuid[] LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = prefixcast, pg_temp SET enable_seqscan = off AS $$
DECLARE
  of_tenant constant uuid := nullif(current_setting('app.tenant_id', true), '')::uuid;
  direction constant text := CASE WHEN is_descending THEN 'DESC' ELSE 'ASC' END;
  beyond constant text := CASE WHEN is_descending THEN '<' ELSE '>' END;
  rows_of text := 'FROM audit_record WHERE tenant_id = $1 AND resource_type IN (''ip_range_entry'', ''module'')'
    ' AND audit_ranges(resource_type, resource_name, changes_before, changes_after) && $2';
  item text;
  found uuid[];
BEGIN
  IF of_tenant IS NULL THEN
    RAISE EXCEPTION 'audit_records_naming: no tenant is set';
  END IF;
  FOREACH item IN ARRAY '{action,severity,actor,resource_type,resource_id}'::text[] LOOP
    IF filter ? item THEN
      rows_of := rows_of || format(' AND %I = ($3 ->> %L)', item, item);
    END IF;
  END LOOP;
  FOREACH item IN ARRAY '{id,policy_id}'::text[] LOOP
    IF filter ? item THEN
      rows_of := rows_of || format(' AND %I = ($3 ->> %L)::uuid', item, item);
    END IF;
  END LOOP;
  IF filter ? 'since' THEN
    rows_of := rows_of || ' AND at >= ($3 ->> ''since'')::timestamptz';
  END IF;
  IF filter ? 'until' THEN
    rows_of := rows_of || ' AND at < ($3 ->> ''until'')::timestamptz';
  END IF;
  IF filter ? 'q' THEN
    -- What is appended to keeps the text out of the index of trigrams: one index is enough.
    rows_of := rows_of || ' AND audit_text(actor, action, resource_name, changes_after) || '''' ILIKE ($3 ->> ''q'')';
  END IF;
  EXECUTE format(
    'WITH hit AS MATERIALIZED (SELECT at, id %1$s)'
    ' SELECT ARRAY(SELECT id FROM hit WHERE $4 IS NULL OR (at, id) %2$s ($4, $5) ORDER BY at %3$s, id %3$s LIMIT $6)',
    rows_of, beyond, direction)
    INTO found USING of_tenant, ranges, filter, behind_at, behind_id, most;
  RETURN found;
END
$$;
REVOKE ALL ON FUNCTION audit_records_naming(text[], jsonb, timestamptz, uuid, boolean, integer) FROM PUBLIC;
-- A function's owner may create in its schema, and only while it is given the function.
GRANT CREATE ON SCHEMA prefixcast TO prefixcast_system;
ALTER FUNCTION audit_records_naming(text[], jsonb, timestamptz, uuid, boolean, integer) OWNER TO prefixcast_system;
REVOKE CREATE ON SCHEMA prefixcast FROM prefixcast_system;
SET LOCAL ROLE prefixcast_system;
GRANT EXECUTE ON FUNCTION audit_records_naming(text[], jsonb, timestamptz, uuid, boolean, integer) TO prefixcast_tenant;
SET LOCAL ROLE NONE;
