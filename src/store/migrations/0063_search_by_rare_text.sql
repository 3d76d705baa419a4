-- What `q` finds is looked up by the rarest part of it. Every trigram of a search has a list of rows in the index, and PostgreSQL walks through all of these lists: of
-- `customer 999993` in a million customers, ten lists of a million rows each, 50 ms. Where the rows that were looked at first do not have a part of the text, that
-- part alone is asked for, 1 ms, and what it finds is held against the whole text.

-- A function's owner may create in its schema, and only while it is given the function.
GRANT CREATE ON SCHEMA prefixcast TO prefixcast_system;
SET LOCAL ROLE prefixcast_system;

-- The longest part of a pattern, in letters and digits, of which at most one in a hundred of the texts has any three; null where there is none.
--
-- A part of two texts is not told from one of the first, which costs a lookup at most. Long patterns are looked at to their first forty letters.
CREATE FUNCTION rare_part(pattern text, texts text[]) RETURNS text LANGUAGE sql IMMUTABLE SET search_path = prefixcast, pg_temp RETURN (
  WITH triples AS (
    SELECT at, lower(substr(pattern, at, 3)) AS three FROM generate_series(1, least(length(pattern) - 2, 40)) at
  ), rare AS (
    SELECT at, at - row_number() OVER (ORDER BY at) AS run
      FROM triples
     WHERE three ~ '^[[:alnum:]]{3}$'
       AND 100 * (SELECT count(*) FROM unnest(texts) one WHERE position(three IN one) > 0) <= cardinality(texts)
  )
  SELECT substr(pattern, min(at)::integer, count(*)::integer + 2)
    FROM rare GROUP BY run ORDER BY count(*) DESC, min(at) LIMIT 1
);

CREATE OR REPLACE FUNCTION search_entries(
  kind text, of_module uuid, pattern text, is_enabled boolean, has_status text, after uuid, most integer
) RETURNS uuid[] LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = prefixcast, pg_temp AS $$
DECLARE
  near integer := 400;
  of_tenant constant uuid := nullif(current_setting('app.tenant_id', true), '')::uuid;
  rows_of constant text := format(
    'FROM %I WHERE tenant_id = $1 AND module_id = $2 AND id > $3', kind)
    || CASE WHEN is_enabled IS NULL THEN '' ELSE ' AND enabled = $4' END
    || CASE WHEN has_status IS NULL THEN '' ELSE ' AND status = $5' END;
  one constant text := (searched_texts(kind))[1];
  other constant text := (searched_texts(kind))[2];
  says constant text := format('(%s ILIKE $6 OR %s ILIKE $6)', one, other);
  found uuid[] := '{}';
  others uuid[];
  texts text[];
  part text;
  is_most boolean;
  hits text;
  looked integer;
  looked_in_all integer := 0;
  last uuid := after;
BEGIN
  IF searched_texts(kind) IS NULL OR of_tenant IS NULL THEN
    RAISE EXCEPTION 'search_entries: % are no entries, or no tenant is set', kind;
  END IF;
  WHILE near IS NOT NULL LOOP
    EXECUTE format(
      'WITH near AS MATERIALIZED (SELECT * %s ORDER BY id LIMIT %s)'
      ' SELECT ARRAY(SELECT id FROM near WHERE %s ORDER BY id LIMIT $7), (SELECT count(*) FROM near), (SELECT max(id::text)::uuid FROM near)',
      rows_of, near, says)
      INTO others, looked, last USING of_tenant, of_module, last, is_enabled, has_status, pattern, most - cardinality(found);
    found := found || others;
    IF cardinality(found) = most OR looked < near THEN
      RETURN found;
    END IF;
    looked_in_all := looked_in_all + looked;
    near := next_look(cardinality(found), most, looked_in_all);
  END LOOP;
  -- Three letters make a trigram.
  IF pattern ~ '[[:alnum:]]{3}' AND to_regclass(kind || '_search') IS NOT NULL THEN
    EXECUTE format('SELECT ARRAY(SELECT lower(concat_ws('' '', %s, %s)) FROM (SELECT * %s ORDER BY id LIMIT 200) near)', one, other, rows_of)
      INTO texts USING of_tenant, of_module, after, is_enabled, has_status;
    part := rare_part(pattern, texts);
    IF part IS NULL THEN
      hits := rows_of || ' AND ' || says;
    ELSE
      -- What is appended to keeps the whole text out of the index, and so the tenant where most rows are its own: its list is as long as theirs.
      SELECT 10 * sum(entries) > (SELECT reltuples FROM pg_class WHERE oid = to_regclass(kind)) INTO is_most
        FROM module_entry_count WHERE tenant_id = of_tenant AND module_id = of_module;
      hits := CASE WHEN is_most THEN replace(rows_of, 'tenant_id = $1', 'tenant_id::text || '''' = $1::text') ELSE rows_of END
        || format(' AND (%1$s ILIKE $8 OR %2$s ILIKE $8) AND (%1$s || '''' ILIKE $6 OR %2$s || '''' ILIKE $6)', one, other);
    END IF;
    EXECUTE format('WITH hit AS MATERIALIZED (SELECT id %s) SELECT ARRAY(SELECT id FROM hit ORDER BY id LIMIT $7)', hits)
      INTO others USING of_tenant, of_module, last, is_enabled, has_status, pattern, most - cardinality(found), '%' || part || '%';
  ELSE
    EXECUTE format('SELECT ARRAY(SELECT id %s AND %s ORDER BY id LIMIT $7)', rows_of, says)
      INTO others USING of_tenant, of_module, last, is_enabled, has_status, pattern, most - cardinality(found);
  END IF;
  RETURN found || others;
END
$$;

SET LOCAL ROLE NONE;
REVOKE CREATE ON SCHEMA prefixcast FROM prefixcast_system;
