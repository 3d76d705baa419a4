-- What `q` finds in the audit log, without a look at each record, as 0031_search.sql has it for entries: the same extensions, and the same way to
-- make the index later.
--
-- While the index is made, nobody writes records; reading goes on. It takes some ten seconds for a million.

-- What is searched. Lines, so that nothing is found across two of them.
CREATE FUNCTION audit_text(actor text, action text, resource_name text, after jsonb) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN actor || E'\n' || action || E'\n' || coalesce(resource_name, '') || E'\n' || coalesce(after ->> 'created_entries', '')
      || coalesce(after ->> 'changed_entries', '') || coalesce(after ->> 'updated_entries', '')
      || coalesce(after ->> 'deleted_entries', '') || coalesce(after ->> 'restored_entries', '');

CREATE FUNCTION make_audit_search_index() RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  home text;
BEGIN
  SELECT quote_ident(n.nspname) INTO home FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_trgm';
  IF home IS NULL OR NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'btree_gin') THEN
    RETURN;
  END IF;
  EXECUTE format(
    'CREATE INDEX IF NOT EXISTS audit_record_search ON audit_record'
    ' USING gin (tenant_id, audit_text(actor, action, resource_name, changes_after) %s.gin_trgm_ops)', home);
END
$$;

-- Whoever makes the indexes of entries makes this one too.
ALTER FUNCTION make_search_indexes() RENAME TO make_entry_search_indexes;
CREATE FUNCTION make_search_indexes() RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM make_entry_search_indexes();
  PERFORM make_audit_search_index();
END
$$;
SELECT make_search_indexes();

-- Ids of the next records that say so, in the order of the page. First the next few thousand are looked at, which hold a page of whatever is
-- frequent; for what is rare, the index is asked. As search_entries: this runs as the role that sees every tenant, and names the tenant of the
-- transaction itself.
--
-- `filter` has the columns that are to be equal, and since and until; null for `behind_at` begins at the beginning.
CREATE FUNCTION search_audit_records(
  pattern text, filter jsonb, behind_at timestamptz, behind_id uuid, is_descending boolean, most integer
) RETURNS uuid[] LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = prefixcast, pg_temp AS $$
DECLARE
  near constant integer := 2000;
  of_tenant constant uuid := nullif(current_setting('app.tenant_id', true), '')::uuid;
  direction constant text := CASE WHEN is_descending THEN 'DESC' ELSE 'ASC' END;
  beyond constant text := CASE WHEN is_descending THEN '<' ELSE '>' END;
  says constant text := 'audit_text(actor, action, resource_name, changes_after) ILIKE $2';
  rows_of text := 'FROM audit_record WHERE tenant_id = $1';
  item text;
  found uuid[];
  others uuid[];
  looked integer;
  last_at timestamptz := behind_at;
  last_id uuid := behind_id;
BEGIN
  IF of_tenant IS NULL THEN
    RAISE EXCEPTION 'search_audit_records: no tenant is set';
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
  EXECUTE format(
    'WITH near AS MATERIALIZED (SELECT * %1$s %2$s ORDER BY at %3$s, id %3$s LIMIT %4$s)'
    ' SELECT ARRAY(SELECT id FROM near WHERE %5$s ORDER BY at %3$s, id %3$s LIMIT $6), (SELECT count(*) FROM near),'
    ' (SELECT at FROM near ORDER BY at %6$s, id %6$s LIMIT 1), (SELECT id FROM near ORDER BY at %6$s, id %6$s LIMIT 1)',
    rows_of, CASE WHEN behind_at IS NULL THEN '' ELSE format('AND (at, id) %s ($4, $5)', beyond) END, direction, near, says,
    CASE WHEN is_descending THEN 'ASC' ELSE 'DESC' END)
    INTO found, looked, last_at, last_id USING of_tenant, pattern, filter, behind_at, behind_id, most;
  IF cardinality(found) = most OR looked < near THEN
    RETURN found;
  END IF;
  -- Three letters make a trigram.
  IF pattern ~ '[[:alnum:]]{3}' AND to_regclass('audit_record_search') IS NOT NULL THEN
    EXECUTE format(
      'WITH hit AS MATERIALIZED (SELECT at, id %s AND %s)'
      ' SELECT ARRAY(SELECT id FROM hit WHERE (at, id) %s ($4, $5) ORDER BY at %4$s, id %4$s LIMIT $6)',
      rows_of, says, beyond, direction)
      INTO others USING of_tenant, pattern, filter, last_at, last_id, most - cardinality(found);
  ELSE
    EXECUTE format('SELECT ARRAY(SELECT id %s AND %s AND (at, id) %s ($4, $5) ORDER BY at %4$s, id %4$s LIMIT $6)',
      rows_of, says, beyond, direction)
      INTO others USING of_tenant, pattern, filter, last_at, last_id, most - cardinality(found);
  END IF;
  RETURN found || others;
END
$$;
REVOKE ALL ON FUNCTION search_audit_records(text, jsonb, timestamptz, uuid, boolean, integer) FROM PUBLIC;
-- A function's owner may create in its schema, and only while it is given the function.
GRANT CREATE ON SCHEMA prefixcast TO prefixcast_system;
ALTER FUNCTION search_audit_records(text, jsonb, timestamptz, uuid, boolean, integer) OWNER TO prefixcast_system;
REVOKE CREATE ON SCHEMA prefixcast FROM prefixcast_system;
SET LOCAL ROLE prefixcast_system;
GRANT EXECUTE ON FUNCTION search_audit_records(text, jsonb, timestamptz, uuid, boolean, integer) TO prefixcast_tenant;
SET LOCAL ROLE NONE;
