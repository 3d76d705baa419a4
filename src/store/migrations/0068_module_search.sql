-- Searches that cost what they find: modules by an index of trigrams, entries by a longer part of what is searched for; and who uses a resolver.

-- What `q` finds in the names and descriptions of modules, without a look at each of ten thousand, as 0031_search.sql has it for entries: the same extensions, and the same
-- way to make the index later.

CREATE FUNCTION make_module_search_index() RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  home text;
BEGIN
  SELECT quote_ident(n.nspname) INTO home FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_trgm';
  IF home IS NULL OR NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'btree_gin') THEN
    RETURN;
  END IF;
  EXECUTE format(
    'CREATE INDEX IF NOT EXISTS module_search ON module USING gin (tenant_id, name %1$s.gin_trgm_ops, description %1$s.gin_trgm_ops)', home);
END
$$;

-- Whoever makes the other indexes of searches makes this one too.
CREATE OR REPLACE FUNCTION make_search_indexes() RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM make_entry_search_indexes();
  PERFORM make_audit_search_index();
  PERFORM make_audit_range_index();
  PERFORM make_module_search_index();
END
$$;
SELECT make_module_search_index();

-- Ids of the next modules that say so, in the order of the page. First the next few hundred are looked at, which hold a page of whatever is
-- frequent; for what is rare, the index is asked. As search_entries: this runs as the role that sees every tenant, and names the tenant of the
-- transaction itself.
--
-- `filter` has the columns that are to be equal.
CREATE FUNCTION search_modules(
  pattern text, filter jsonb, behind uuid, is_descending boolean, most integer
) RETURNS uuid[] LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = prefixcast, pg_temp AS $$
DECLARE
  near integer := 400;
  of_tenant constant uuid := nullif(current_setting('app.tenant_id', true), '')::uuid;
  direction constant text := CASE WHEN is_descending THEN 'DESC' ELSE 'ASC' END;
  beyond constant text := CASE WHEN is_descending THEN '<' ELSE '>' END;
  says constant text := '(name ILIKE $2 OR description ILIKE $2)';
  rows_of text := 'FROM module WHERE tenant_id = $1 AND id ' || beyond || ' $4';
  item text;
  found uuid[] := '{}';
  others uuid[];
  looked integer;
  looked_in_all integer := 0;
  last uuid := behind;
BEGIN
  IF of_tenant IS NULL THEN
    RAISE EXCEPTION 'search_modules: no tenant is set';
  END IF;
  FOREACH item IN ARRAY '{type,purpose}'::text[] LOOP
    IF filter ? item THEN
      rows_of := rows_of || format(' AND %I = ($3 ->> %L)', item, item);
    END IF;
  END LOOP;
  IF filter ? 'enabled' THEN
    rows_of := rows_of || ' AND enabled = ($3 ->> ''enabled'')::boolean';
  END IF;
  IF filter ? 'community_id' THEN
    rows_of := rows_of || ' AND community_id = ($3 ->> ''community_id'')::uuid';
  END IF;
  WHILE near IS NOT NULL LOOP
    EXECUTE format(
      'WITH near AS MATERIALIZED (SELECT id, name, description %1$s ORDER BY id %2$s LIMIT %3$s)'
      ' SELECT ARRAY(SELECT id FROM near WHERE %4$s ORDER BY id %2$s LIMIT $5), (SELECT count(*) FROM near),'
      ' (SELECT id FROM near ORDER BY id %5$s LIMIT 1)',
      rows_of, direction, near, says, CASE WHEN is_descending THEN 'ASC' ELSE 'DESC' END)
      INTO others, looked, last USING of_tenant, pattern, filter, last, most - cardinality(found);
    found := found || others;
    IF cardinality(found) = most OR looked < near THEN
      RETURN found;
    END IF;
    looked_in_all := looked_in_all + looked;
    near := next_look(cardinality(found), most, looked_in_all);
  END LOOP;
  EXECUTE format('WITH hit AS MATERIALIZED (SELECT id %1$s AND %2$s) SELECT ARRAY(SELECT id FROM hit ORDER BY id %3$s LIMIT $5)', rows_of, says, direction)
    INTO others USING of_tenant, pattern, filter, last, most - cardinality(found);
  RETURN found || others;
END
$$;
REVOKE ALL ON FUNCTION search_modules(text, jsonb, uuid, boolean, integer) FROM PUBLIC;
-- A function's owner may create in its schema, and only while it is given the function.
GRANT CREATE ON SCHEMA prefixcast TO prefixcast_system;
ALTER FUNCTION search_modules(text, jsonb, uuid, boolean, integer) OWNER TO prefixcast_system;
SET LOCAL ROLE prefixcast_system;
GRANT EXECUTE ON FUNCTION search_modules(text, jsonb, uuid, boolean, integer) TO prefixcast_tenant;

-- The longest part of a pattern, in letters and digits, of which at most one in twenty of the texts has any three, and at most one in a hundred some three; null where there is
-- none. Where each three had to be as rare as one in a hundred, a part ended at those that the sample happened to have twice as often, and of `customer 999993` a
-- million customers were searched for `99999`: 3,700 rows were held against the whole text, where the two lists of `999993` have one row in common.
CREATE OR REPLACE FUNCTION rare_part(pattern text, texts text[]) RETURNS text LANGUAGE sql IMMUTABLE SET search_path = prefixcast, pg_temp RETURN (
  WITH triples AS (
    SELECT at, lower(substr(pattern, at, 3)) AS three FROM generate_series(1, least(length(pattern) - 2, 40)) at
  ), counted AS (
    SELECT at, (SELECT count(*) FROM unnest(texts) one WHERE position(three IN one) > 0) AS often
      FROM triples
     WHERE three ~ '^[[:alnum:]]{3}$'
  ), rare AS (
    SELECT at, often, at - row_number() OVER (ORDER BY at) AS run FROM counted WHERE 20 * often <= cardinality(texts)
  )
  SELECT substr(pattern, min(at)::integer, count(*)::integer + 2)
    FROM rare GROUP BY run HAVING 100 * min(often) <= cardinality(texts) ORDER BY count(*) DESC, min(at) LIMIT 1
);

SET LOCAL ROLE NONE;
REVOKE CREATE ON SCHEMA prefixcast FROM prefixcast_system;

-- A resolver that is deleted is looked for among the modules that name any.
CREATE INDEX module_resolvers ON module (tenant_id, id) WHERE doh_profile_ids <> '{}';
