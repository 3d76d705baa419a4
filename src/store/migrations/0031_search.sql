-- What `q` finds in the entries of a module, without a look at each. Trigrams need two extensions that come with PostgreSQL (contrib) and that
-- any user may create who may create schemas in the database; without them, or without that right, `q` finds the same and takes longer. Once
-- they are there, `SELECT prefixcast.make_search_indexes()` makes the indexes.
--
-- While an index is made, nobody writes entries; reading goes on. It takes some ten seconds for a million of each kind.

CREATE FUNCTION searched_texts(kind text) RETURNS text[] LANGUAGE sql IMMUTABLE RETURN
  CASE kind
    WHEN 'cdn_source' THEN '{name,url}'::text[]
    WHEN 'as_entry' THEN ARRAY['(''AS'' || asn::text)', 'note']
    WHEN 'domain_entry' THEN '{domain,note}'
    WHEN 'ip_range_entry' THEN ARRAY['(cidr::text)', 'note']
    WHEN 'geofeed_entry' THEN '{name,url}'
  END;

CREATE FUNCTION make_search_indexes() RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  needed text;
  home text;
  kind text;
BEGIN
  FOREACH needed IN ARRAY ARRAY['pg_trgm', 'btree_gin'] LOOP
    IF NOT EXISTS (SELECT FROM pg_available_extensions WHERE name = needed) THEN
      RAISE NOTICE 'q searches without an index: this server lacks the extension %', needed;
      RETURN;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_extension WHERE extname = needed) THEN
      BEGIN
        EXECUTE format('CREATE EXTENSION %I', needed);
      EXCEPTION WHEN insufficient_privilege THEN
        RAISE NOTICE 'q searches without an index: % may not create the extension %', current_user, needed;
        RETURN;
      END;
    END IF;
  END LOOP;
  SELECT quote_ident(n.nspname) INTO home FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_trgm';
  FOREACH kind IN ARRAY ARRAY['cdn_source', 'as_entry', 'domain_entry', 'ip_range_entry', 'geofeed_entry'] LOOP
    EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON %I USING gin (tenant_id, %s %s.gin_trgm_ops, %s %s.gin_trgm_ops)',
      kind || '_search', kind, (searched_texts(kind))[1], home, (searched_texts(kind))[2], home);
  END LOOP;
END
$$;
SELECT make_search_indexes();

-- Ids of the next entries of a module that say so, in their order. First the next few thousand are looked at, which hold a page of whatever is
-- frequent; for what is rare, the index is asked.
--
-- An index is asked with no operator that row level security has not passed on, and ILIKE is none of those. So this runs as the role that sees
-- every tenant, and names the tenant of the transaction itself.
CREATE FUNCTION search_entries(
  kind text, of_module uuid, pattern text, is_enabled boolean, has_status text, after uuid, most integer
) RETURNS uuid[] LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = prefixcast, pg_temp AS $$
DECLARE
  near constant integer := 2000;
  of_tenant constant uuid := nullif(current_setting('app.tenant_id', true), '')::uuid;
  rows_of constant text := format(
    'FROM %I WHERE tenant_id = $1 AND module_id = $2 AND id > $3', kind)
    || CASE WHEN is_enabled IS NULL THEN '' ELSE ' AND enabled = $4' END
    || CASE WHEN has_status IS NULL THEN '' ELSE ' AND status = $5' END;
  says constant text := format('(%s ILIKE $6 OR %s ILIKE $6)', (searched_texts(kind))[1], (searched_texts(kind))[2]);
  found uuid[];
  others uuid[];
  looked integer;
  last uuid;
BEGIN
  IF searched_texts(kind) IS NULL OR of_tenant IS NULL THEN
    RAISE EXCEPTION 'search_entries: % are no entries, or no tenant is set', kind;
  END IF;
  EXECUTE format(
    'WITH near AS MATERIALIZED (SELECT * %s ORDER BY id LIMIT %s)'
    ' SELECT ARRAY(SELECT id FROM near WHERE %s ORDER BY id LIMIT $7), (SELECT count(*) FROM near), (SELECT max(id::text)::uuid FROM near)',
    rows_of, near, says)
    INTO found, looked, last USING of_tenant, of_module, after, is_enabled, has_status, pattern, most;
  IF cardinality(found) = most OR looked < near THEN
    RETURN found;
  END IF;
  -- Three letters make a trigram.
  IF pattern ~ '[[:alnum:]]{3}' AND to_regclass(kind || '_search') IS NOT NULL THEN
    EXECUTE format('WITH hit AS MATERIALIZED (SELECT id %s AND %s) SELECT ARRAY(SELECT id FROM hit ORDER BY id LIMIT $7)', rows_of, says)
      INTO others USING of_tenant, of_module, last, is_enabled, has_status, pattern, most - cardinality(found);
  ELSE
    EXECUTE format('SELECT ARRAY(SELECT id %s AND %s ORDER BY id LIMIT $7)', rows_of, says)
      INTO others USING of_tenant, of_module, last, is_enabled, has_status, pattern, most - cardinality(found);
  END IF;
  RETURN found || others;
END
$$;
REVOKE ALL ON FUNCTION search_entries(text, uuid, text, boolean, text, uuid, integer) FROM PUBLIC;
-- A function's owner may create in its schema, and only while it is given the function.
GRANT CREATE ON SCHEMA prefixcast TO prefixcast_system;
ALTER FUNCTION search_entries(text, uuid, text, boolean, text, uuid, integer) OWNER TO prefixcast_system;
REVOKE CREATE ON SCHEMA prefixcast FROM prefixcast_system;
SET LOCAL ROLE prefixcast_system;
GRANT EXECUTE ON FUNCTION search_entries(text, uuid, text, boolean, text, uuid, integer) TO prefixcast_tenant;
SET LOCAL ROLE NONE;
