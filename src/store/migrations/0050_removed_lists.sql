-- What was removed of lists is kept for a while, so that it can be put back. Triggers write it into the transaction of the removal, once for
-- a statement and module, whatever removed it. A removal costs what it removes: rows are kept as JSON, a thousand in one row.

-- A removal: of a module with what it had, or of entries of a module that stays. All entries that one transaction takes out of a module are one.
CREATE TABLE removed_batch (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  -- It may be gone, so there is no key to it.
  module_id uuid NOT NULL,
  -- The row of the module that was deleted; null: only entries were.
  module jsonb,
  -- Of such a module: what was collected and decided of it, as rows by table, and the names of communities and resolvers that it refers to.
  state jsonb,
  removed_by text,
  removed_at timestamptz(3) NOT NULL,
  -- Of the removal, to find what else it takes.
  transaction bigint NOT NULL,
  restored_at timestamptz(3),
  restored_by text,
  PRIMARY KEY (tenant_id, id)
);
CREATE INDEX removed_batch_module ON removed_batch (tenant_id, module_id, id);
CREATE INDEX removed_batch_deleted ON removed_batch (tenant_id, id) WHERE module IS NOT NULL AND restored_at IS NULL;

CREATE TABLE removed_chunk (
  tenant_id uuid NOT NULL,
  batch_id uuid NOT NULL,
  place bigint GENERATED ALWAYS AS IDENTITY,
  -- The table that they are rows of. What is encrypted of them stays so. Empty once they are restored.
  kind text NOT NULL,
  entries json NOT NULL,
  entry_count integer NOT NULL,
  -- What operators call the first of them.
  names text[] NOT NULL,
  -- Values of the communities of what was removed with them, by id; null: there are none, or the first chunk has them.
  communities jsonb,
  PRIMARY KEY (tenant_id, batch_id, place),
  CONSTRAINT removed_chunk_batch_id_fkey FOREIGN KEY (tenant_id, batch_id) REFERENCES removed_batch (tenant_id, id) ON DELETE CASCADE
);

DO $$
DECLARE
  item text;
BEGIN
  FOREACH item IN ARRAY ARRAY['removed_batch', 'removed_chunk'] LOOP
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

-- A UUIDv7 (RFC 9562, section 5.7).
CREATE FUNCTION new_id() RETURNS uuid LANGUAGE sql VOLATILE AS $$
  SELECT encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
           PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid
$$;

-- The tenant goes as a whole, and takes with it what it has removed.
CREATE FUNCTION is_remembered(of_tenant uuid) RETURNS boolean LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT current_setting('app.forgets_removed', true) IS DISTINCT FROM 'on' AND EXISTS (SELECT FROM tenant WHERE id = of_tenant)
$$;

-- Forgets what was removed longer ago than so many days (null: nothing for that), and of the rest the oldest, where a tenant keeps more
-- removed entries than it may have entries, or more removals than ten thousand. What is being restored is passed over.
CREATE FUNCTION forget_removed(of_tenant uuid, days integer) RETURNS bigint LANGUAGE sql SET search_path FROM CURRENT AS $$
  WITH kept AS (
    SELECT b.id, b.removed_at, row_number() OVER newest AS place,
           sum(CASE WHEN b.restored_at IS NULL THEN coalesce(c.entries, 0) ELSE 0 END) OVER newest AS entries
      FROM removed_batch b
      LEFT JOIN (SELECT batch_id, sum(entry_count) AS entries FROM removed_chunk WHERE tenant_id = of_tenant GROUP BY batch_id) c
        ON c.batch_id = b.id
     WHERE b.tenant_id = of_tenant
    WINDOW newest AS (ORDER BY b.removed_at DESC, b.id DESC)
  ), due AS MATERIALIZED (
    SELECT b.id FROM removed_batch b JOIN kept ON kept.id = b.id
     WHERE b.tenant_id = of_tenant
       AND (kept.removed_at < now() - make_interval(days => days)
            OR kept.place > 10000
            OR (kept.place > 1
                AND kept.entries > (SELECT maximum FROM tenant_quota WHERE tenant_id = of_tenant AND resource = 'entries')))
       FOR UPDATE OF b SKIP LOCKED
  ), gone AS (
    DELETE FROM removed_batch b USING due WHERE b.tenant_id = of_tenant AND b.id = due.id RETURNING b.id
  )
  SELECT count(*) FROM gone
$$;

CREATE FUNCTION remember_module() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT is_remembered(OLD.tenant_id) THEN
    RETURN OLD;
  END IF;
  INSERT INTO removed_batch (tenant_id, id, module_id, module, state, removed_by, removed_at, transaction)
  VALUES (OLD.tenant_id, new_id(), OLD.id, to_jsonb(OLD), jsonb_build_object(
    'snapshot', (SELECT to_jsonb(s) FROM snapshot s WHERE s.tenant_id = OLD.tenant_id AND s.module_id = OLD.id),
    'accepted_snapshot', (SELECT to_jsonb(s) FROM accepted_snapshot s WHERE s.tenant_id = OLD.tenant_id AND s.module_id = OLD.id),
    'held_snapshot', (SELECT to_jsonb(s) FROM held_snapshot s WHERE s.tenant_id = OLD.tenant_id AND s.module_id = OLD.id),
    'released_snapshot', (SELECT to_jsonb(s) FROM released_snapshot s WHERE s.tenant_id = OLD.tenant_id AND s.module_id = OLD.id),
    'rolled_back_snapshot', (SELECT to_jsonb(s) FROM rolled_back_snapshot s WHERE s.tenant_id = OLD.tenant_id AND s.module_id = OLD.id),
    'communities', (SELECT jsonb_object_agg(c.id, c.community) FROM community c
                     WHERE c.tenant_id = OLD.tenant_id AND c.id = OLD.community_id),
    'resolvers', (SELECT jsonb_object_agg(d.id, d.name) FROM doh_profile d
                   WHERE d.tenant_id = OLD.tenant_id AND d.id = ANY (OLD.doh_profile_ids))),
    nullif(current_setting('app.actor', true), ''), now(), pg_current_xact_id()::text::bigint);
  RETURN OLD;
END
$$;
-- Before: its entries follow, and are to find it.
CREATE TRIGGER module_remembered BEFORE DELETE ON module FOR EACH ROW EXECUTE FUNCTION remember_module();

CREATE FUNCTION remember_entries() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  gone record;
  batch uuid;
  -- Of the module that took them with it, or of what this transaction has taken out of one that stays.
  of_module boolean;
  is_large boolean;
BEGIN
  FOR gone IN SELECT tenant_id, module_id, count(*) AS entries FROM removed
               WHERE expires_at IS NULL OR expires_at > clock_timestamp() GROUP BY tenant_id, module_id
  LOOP
    CONTINUE WHEN NOT is_remembered(gone.tenant_id);
    of_module := NOT EXISTS (SELECT FROM module WHERE tenant_id = gone.tenant_id AND id = gone.module_id);
    SELECT b.id INTO batch FROM removed_batch b
     WHERE b.tenant_id = gone.tenant_id AND b.module_id = gone.module_id AND b.removed_at = now()::timestamptz(3)
       AND b.transaction = pg_current_xact_id()::text::bigint AND b.restored_at IS NULL AND (b.module IS NOT NULL) = of_module
     ORDER BY b.id DESC LIMIT 1;
    IF NOT FOUND THEN
      batch := new_id();
      INSERT INTO removed_batch (tenant_id, id, module_id, removed_by, removed_at, transaction)
      VALUES (gone.tenant_id, batch, gone.module_id, nullif(current_setting('app.actor', true), ''), now(),
              pg_current_xact_id()::text::bigint);
    END IF;
    -- The rows as text, which takes half the time of jsonb: a module of a million entries goes in one statement.
    WITH written AS (
      INSERT INTO removed_chunk (tenant_id, batch_id, kind, entries, entry_count, names, communities)
      SELECT gone.tenant_id, batch, TG_TABLE_NAME, json_agg(r), count(*),
             array_agg(coalesce(to_json(r) ->> 'name', to_json(r) ->> 'domain', to_json(r) ->> 'cidr', 'AS' || (to_json(r) ->> 'asn')))
               FILTER (WHERE place % 1000 < 3),
             CASE WHEN place / 1000 = 0 THEN (
               SELECT jsonb_object_agg(c.id, c.community) FROM community c
                WHERE c.tenant_id = gone.tenant_id
                  AND c.id IN (SELECT unnest(own.community_ids) FROM removed own
                                WHERE own.tenant_id = gone.tenant_id AND own.module_id = gone.module_id)) END
        FROM (SELECT own AS r, row_number() OVER (ORDER BY own.id) - 1 AS place FROM removed own
               WHERE own.tenant_id = gone.tenant_id AND own.module_id = gone.module_id
                 AND (own.expires_at IS NULL OR own.expires_at > clock_timestamp())) AS numbered
       GROUP BY place / 1000 ORDER BY place / 1000
      RETURNING place
    )
    -- Not for each of many small ones.
    SELECT gone.entries >= 1000 OR bool_or(place % 64 = 0) INTO is_large FROM written;
    IF is_large THEN
      PERFORM forget_removed(gone.tenant_id, NULL);
    END IF;
  END LOOP;
  RETURN NULL;
END
$$;

DO $$
DECLARE
  kind text;
BEGIN
  FOREACH kind IN ARRAY ARRAY['cdn_source', 'as_entry', 'domain_entry', 'ip_range_entry', 'geofeed_entry']
  LOOP
    EXECUTE format('CREATE TRIGGER %1$s_remembered AFTER DELETE ON %1$s REFERENCING OLD TABLE AS removed
                      FOR EACH STATEMENT EXECUTE FUNCTION remember_entries()', kind);
  END LOOP;
END
$$;
