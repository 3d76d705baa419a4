-- What `q` finds is looked up by the rarest part of it. Every trigram of a search has a list of rows in the index, and PostgreSQL walks through all of these lists: of
-- `customer 999993` in a million customers, ten lists of a million rows each, 50 ms. Where a sample of the rows does not have a part of the text, that
-- part alone is asked for, 1 ms, and what it finds is held against the whole text. And what is frequent in the sample, but not in the rows that were looked at first, is not
-- asked for at all: all that the index finds would be fetched and sorted for one page. That the rows are gone through in order instead has to be said by `enable_sort`, since
-- row level security keeps the statistics of texts from the planner.

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

-- Some pages of the table, the same ones each time, as a share in percent: enough for a few hundred rows.
CREATE FUNCTION sampled_percent(relation regclass) RETURNS float8 LANGUAGE sql STABLE RETURN
  (SELECT least(100, 1200.0 / greatest(relpages, 1)) FROM pg_class WHERE oid = relation);

-- Whether so many of the texts, which are in small letters, say it that a page of those who do is found sooner by going through the rows in order.
CREATE FUNCTION is_frequent(pattern text, texts text[]) RETURNS boolean LANGUAGE sql IMMUTABLE RETURN
  (SELECT 50 * count(*) > cardinality(texts) FROM unnest(texts) one WHERE one LIKE lower(pattern));

CREATE OR REPLACE FUNCTION search_entries(
  kind text, of_module uuid, pattern text, is_enabled boolean, has_status text, after uuid, most integer
) RETURNS uuid[] LANGUAGE plpgsql STABLE SECURITY DEFINER
  SET search_path = prefixcast, pg_temp SET enable_sort = off AS $$
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
    EXECUTE format(
      'SELECT ARRAY(SELECT lower(concat_ws('' '', %1$s, %2$s)) FROM %3$I TABLESAMPLE SYSTEM (%4$s) REPEATABLE (1)'
      ' WHERE tenant_id = $1 AND module_id = $2 LIMIT 300)', one, other, kind, sampled_percent(to_regclass(kind)))
      INTO texts USING of_tenant, of_module;
  END IF;
  IF NOT is_frequent(pattern, texts) THEN
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
    EXECUTE format('SELECT ARRAY(SELECT id %s AND %s ORDER BY id LIMIT $7)', rows_of, replace(says, ' ILIKE', ' || '''' ILIKE'))
      INTO others USING of_tenant, of_module, last, is_enabled, has_status, pattern, most - cardinality(found);
  END IF;
  RETURN found || others;
END
$$;

CREATE OR REPLACE FUNCTION search_audit_records(
  pattern text, filter jsonb, behind_at timestamptz, behind_id uuid, is_descending boolean, most integer
) RETURNS uuid[] LANGUAGE plpgsql STABLE SECURITY DEFINER
  SET search_path = prefixcast, pg_temp SET enable_sort = off AS $$
DECLARE
  near integer := 400;
  of_tenant constant uuid := nullif(current_setting('app.tenant_id', true), '')::uuid;
  direction constant text := CASE WHEN is_descending THEN 'DESC' ELSE 'ASC' END;
  beyond constant text := CASE WHEN is_descending THEN '<' ELSE '>' END;
  says constant text := 'audit_text(actor, action, resource_name, changes_after) ILIKE $2';
  rows_of text := 'FROM audit_record WHERE tenant_id = $1';
  item text;
  hits text;
  found uuid[] := '{}';
  others uuid[];
  texts text[];
  part text;
  looked integer;
  looked_in_all integer := 0;
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
  WHILE near IS NOT NULL LOOP
    EXECUTE format(
      'WITH near AS MATERIALIZED (SELECT * %1$s %2$s ORDER BY at %3$s, id %3$s LIMIT %4$s)'
      ' SELECT ARRAY(SELECT id FROM near WHERE %5$s ORDER BY at %3$s, id %3$s LIMIT $6), (SELECT count(*) FROM near),'
      ' (SELECT at FROM near ORDER BY at %6$s, id %6$s LIMIT 1), (SELECT id FROM near ORDER BY at %6$s, id %6$s LIMIT 1)',
      rows_of, CASE WHEN last_at IS NULL THEN '' ELSE format('AND (at, id) %s ($4, $5)', beyond) END, direction, near, says,
      CASE WHEN is_descending THEN 'ASC' ELSE 'DESC' END)
      INTO others, looked, last_at, last_id USING of_tenant, pattern, filter, last_at, last_id, most - cardinality(found);
    found := found || others;
    IF cardinality(found) = most OR looked < near THEN
      RETURN found;
    END IF;
    looked_in_all := looked_in_all + looked;
    near := next_look(cardinality(found), most, looked_in_all);
  END LOOP;
  -- Three letters make a trigram.
  IF pattern ~ '[[:alnum:]]{3}' AND to_regclass('audit_record_search') IS NOT NULL THEN
    EXECUTE format(
      'SELECT ARRAY(SELECT lower(audit_text(actor, action, resource_name, changes_after)) FROM audit_record TABLESAMPLE SYSTEM (%s) REPEATABLE (1)'
      ' WHERE tenant_id = $1 LIMIT 300)', sampled_percent('audit_record'))
      INTO texts USING of_tenant;
  END IF;
  IF NOT is_frequent(pattern, texts) THEN
    part := rare_part(pattern, texts);
    hits := CASE WHEN part IS NULL THEN says
                 ELSE replace(says, '$2', '$7') || ' AND ' || replace(says, ' ILIKE', ' || '''' ILIKE') END;
    EXECUTE format(
      'WITH hit AS MATERIALIZED (SELECT at, id %s AND %s)'
      ' SELECT ARRAY(SELECT id FROM hit WHERE (at, id) %s ($4, $5) ORDER BY at %4$s, id %4$s LIMIT $6)',
      rows_of, hits, beyond, direction)
      INTO others USING of_tenant, pattern, filter, last_at, last_id, most - cardinality(found), '%' || part || '%';
  ELSE
    EXECUTE format('SELECT ARRAY(SELECT id %s AND %s AND (at, id) %s ($4, $5) ORDER BY at %4$s, id %4$s LIMIT $6)',
      rows_of, replace(says, ' ILIKE', ' || '''' ILIKE'), beyond, direction)
      INTO others USING of_tenant, pattern, filter, last_at, last_id, most - cardinality(found);
  END IF;
  RETURN found || others;
END
$$;

SET LOCAL ROLE NONE;
REVOKE CREATE ON SCHEMA prefixcast FROM prefixcast_system;
