-- Entries that leave by themselves, and entries with several communities.

DO $$
DECLARE
  kind text;
BEGIN
  FOREACH kind IN ARRAY ARRAY['cdn_source', 'as_entry', 'domain_entry', 'ip_range_entry', 'geofeed_entry']
  LOOP
    EXECUTE format('ALTER TABLE %1$s ADD COLUMN expires_at timestamptz(3),
                                     ADD COLUMN community_ids uuid[] NOT NULL DEFAULT ''{}''
                                       CHECK (cardinality(community_ids) <= 32 AND array_position(community_ids, NULL) IS NULL)', kind);
    -- Nothing of it is an edit.
    EXECUTE format('ALTER TABLE %1$s DISABLE TRIGGER USER', kind);
    -- The owner of the tables sees no rows.
    SET LOCAL ROLE prefixcast_system;
    EXECUTE format('UPDATE %1$s SET community_ids = ARRAY[community_id] WHERE community_id IS NOT NULL', kind);
    SET LOCAL ROLE NONE;
    EXECUTE format('ALTER TABLE %1$s ENABLE TRIGGER USER', kind);
    -- The first of them, to which most entries are confined, is held by a foreign key; the others by the trigger below.
    EXECUTE format('ALTER TABLE %1$s DROP COLUMN community_id', kind);
    EXECUTE format('ALTER TABLE %1$s ADD COLUMN community_id uuid GENERATED ALWAYS AS (community_ids[1]) STORED', kind);
    EXECUTE format('ALTER TABLE %1$s ADD CONSTRAINT %1$s_community_id_fkey
                      FOREIGN KEY (tenant_id, community_id) REFERENCES community (tenant_id, id)', kind);
    EXECUTE format('CREATE INDEX %1$s_community ON %1$s (tenant_id, community_id)', kind);
    EXECUTE format('CREATE INDEX %1$s_communities ON %1$s (tenant_id, id) WHERE cardinality(community_ids) > 1', kind);
    EXECUTE format('CREATE INDEX %1$s_expiry ON %1$s (tenant_id, expires_at) WHERE expires_at IS NOT NULL', kind);
  END LOOP;
END
$$;

-- Takes the lock that a foreign key takes, so that no community is deleted under an entry that is about to have it.
CREATE FUNCTION refer_to_communities() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  missing uuid;
BEGIN
  PERFORM FROM community WHERE tenant_id = NEW.tenant_id AND id = ANY (NEW.community_ids) ORDER BY id FOR KEY SHARE;
  SELECT wanted INTO missing FROM unnest(NEW.community_ids) wanted
   WHERE NOT EXISTS (SELECT FROM community WHERE tenant_id = NEW.tenant_id AND id = wanted) LIMIT 1;
  IF FOUND THEN
    RAISE foreign_key_violation USING
      MESSAGE = format('there is no community %s', missing),
      CONSTRAINT = TG_TABLE_NAME || '_community_ids_fkey';
  END IF;
  RETURN NEW;
END
$$;

-- As before, with all communities of an entry.
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
      CREATE OR REPLACE FUNCTION %1$s_pending_changed() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $body$
      BEGIN
        PERFORM note_change(e.tenant_id, e.module_id, bool_or(e.collect), bool_or(e.build), count(*))
           FROM (SELECT n.tenant_id, n.module_id,
                        n.enabled AND (NOT o.enabled OR (%2$s) IS DISTINCT FROM (%3$s)) AS collect,
                        n.enabled <> o.enabled OR (n.enabled AND n.community_ids <> o.community_ids) AS build
                   FROM after n JOIN before o ON o.tenant_id = n.tenant_id AND o.id = n.id) e
           JOIN module m ON m.tenant_id = e.tenant_id AND m.id = e.module_id AND m.enabled
          WHERE e.collect OR e.build
          GROUP BY e.tenant_id, e.module_id;
        RETURN NULL;
      END
      $body$
    $function$,
      kind.name,
      (SELECT string_agg('n.' || q, ', ') FROM unnest(kind.question) q),
      (SELECT string_agg('o.' || q, ', ') FROM unnest(kind.question) q));
    EXECUTE format('CREATE TRIGGER %1$s_communities_added BEFORE INSERT ON %1$s FOR EACH ROW
                      WHEN (cardinality(NEW.community_ids) > 1) EXECUTE FUNCTION refer_to_communities()', kind.name);
    EXECUTE format('CREATE TRIGGER %1$s_communities_changed BEFORE UPDATE OF community_ids ON %1$s FOR EACH ROW
                      WHEN (cardinality(NEW.community_ids) > 1 AND NEW.community_ids <> OLD.community_ids)
                      EXECUTE FUNCTION refer_to_communities()', kind.name);
  END LOOP;
END
$$;

CREATE FUNCTION entry_has_community(of_tenant uuid, community uuid) RETURNS boolean
  LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT EXISTS (SELECT FROM cdn_source WHERE tenant_id = of_tenant AND community_id = community)
      OR EXISTS (SELECT FROM as_entry WHERE tenant_id = of_tenant AND community_id = community)
      OR EXISTS (SELECT FROM domain_entry WHERE tenant_id = of_tenant AND community_id = community)
      OR EXISTS (SELECT FROM ip_range_entry WHERE tenant_id = of_tenant AND community_id = community)
      OR EXISTS (SELECT FROM geofeed_entry WHERE tenant_id = of_tenant AND community_id = community)
      OR EXISTS (SELECT FROM cdn_source WHERE tenant_id = of_tenant AND cardinality(community_ids) > 1 AND community = ANY (community_ids))
      OR EXISTS (SELECT FROM as_entry WHERE tenant_id = of_tenant AND cardinality(community_ids) > 1 AND community = ANY (community_ids))
      OR EXISTS (SELECT FROM domain_entry WHERE tenant_id = of_tenant AND cardinality(community_ids) > 1 AND community = ANY (community_ids))
      OR EXISTS (SELECT FROM ip_range_entry WHERE tenant_id = of_tenant AND cardinality(community_ids) > 1 AND community = ANY (community_ids))
      OR EXISTS (SELECT FROM geofeed_entry WHERE tenant_id = of_tenant AND cardinality(community_ids) > 1 AND community = ANY (community_ids))
$$;

CREATE OR REPLACE FUNCTION note_community_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF EXISTS (SELECT FROM module WHERE tenant_id = NEW.tenant_id AND community_id = NEW.id)
     OR entry_has_community(NEW.tenant_id, NEW.id)
     OR EXISTS (SELECT FROM setting
                 WHERE tenant_id = NEW.tenant_id AND key = 'default_community_id' AND value = to_jsonb(NEW.id))
  THEN
    PERFORM note_change(NEW.tenant_id, NULL, false, true, 1);
  END IF;
  RETURN NULL;
END
$$;

-- Entries that have left by themselves, for as long as some speaker may still run what they were: that they leave was said when they were
-- written, and is no slip of whoever edits something later.
CREATE TABLE expired_entry (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  entry_id uuid NOT NULL,
  at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, entry_id)
);
CREATE INDEX expired_entry_at ON expired_entry (tenant_id, at);

ALTER TABLE expired_entry ENABLE ROW LEVEL SECURITY;
ALTER TABLE expired_entry FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON expired_entry TO prefixcast_tenant
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
  WITH CHECK (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
CREATE POLICY every_tenant ON expired_entry TO prefixcast_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON expired_entry TO prefixcast_system, prefixcast_tenant;
