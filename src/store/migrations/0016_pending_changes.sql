-- Edits that no revision holds yet. Triggers write them into the transaction of the edit, once for a statement and module, whatever wrote
-- it: so no writer forgets them, and an import of a hundred thousand entries is one row. Triggers only insert: no edit waits for a build.

CREATE TABLE pending_change (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  id bigint GENERATED ALWAYS AS IDENTITY,
  -- Null: what all modules share, such as a community. No foreign key: that a module was deleted is a change itself.
  module_id uuid,
  -- The module has to be collected before a revision can hold the edit; a revision has to be built of what is collected. Or both.
  needs_collect boolean NOT NULL,
  needs_build boolean NOT NULL CHECK (needs_collect OR needs_build),
  edits integer NOT NULL,
  at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  -- How often work was queued for it. Where that came to nothing, it is queued again at next_try_at.
  tries integer NOT NULL DEFAULT 0,
  next_try_at timestamptz(3),
  PRIMARY KEY (tenant_id, id)
);
CREATE INDEX pending_change_module ON pending_change (tenant_id, module_id);

ALTER TABLE pending_change ENABLE ROW LEVEL SECURITY;
ALTER TABLE pending_change FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON pending_change TO prefixcast_tenant
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
  WITH CHECK (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
CREATE POLICY every_tenant ON pending_change TO prefixcast_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON pending_change TO prefixcast_system, prefixcast_tenant;

-- The notification is a hint for whoever queues what follows.
CREATE FUNCTION note_change(of_tenant uuid, of_module uuid, collect boolean, build boolean, many bigint) RETURNS void
  LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  -- Modules and entries go with their tenant.
  IF NOT EXISTS (SELECT FROM tenant WHERE id = of_tenant) THEN
    RETURN;
  END IF;
  INSERT INTO pending_change (tenant_id, module_id, needs_collect, needs_build, edits)
  VALUES (of_tenant, of_module, collect, build, many);
  PERFORM pg_notify('prefixcast_pending', of_tenant::text);
END
$$;

-- Of each kind of entries: what decides what is read, or is read from it.
DO $$
DECLARE
  kind record;
BEGIN
  FOR kind IN
    SELECT * FROM (VALUES
      ('cdn_source', ARRAY['url', 'format', 'json_path', 'csv_column', 'header_names', 'headers_sealed']),
      ('as_entry', ARRAY['asn']),
      ('domain_entry', ARRAY['domain']),
      ('ip_range_entry', ARRAY['cidr'])) AS kinds (name, question)
  LOOP
    EXECUTE format($function$
      CREATE FUNCTION %1$s_pending_added() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $body$
      BEGIN
        PERFORM note_change(e.tenant_id, e.module_id, true, false, count(*))
           FROM added e
           JOIN module m ON m.tenant_id = e.tenant_id AND m.id = e.module_id AND m.enabled
          WHERE e.enabled
          GROUP BY e.tenant_id, e.module_id;
        RETURN NULL;
      END
      $body$
    $function$, kind.name);
    -- What is enabled again may still be held from before, and is also collected.
    EXECUTE format($function$
      CREATE FUNCTION %1$s_pending_changed() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $body$
      BEGIN
        PERFORM note_change(e.tenant_id, e.module_id, bool_or(e.collect), bool_or(e.build), count(*))
           FROM (SELECT n.tenant_id, n.module_id,
                        n.enabled AND (NOT o.enabled OR (%2$s) IS DISTINCT FROM (%3$s)) AS collect,
                        n.enabled <> o.enabled OR (n.enabled AND n.community_id IS DISTINCT FROM o.community_id) AS build
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
    EXECUTE format($function$
      CREATE FUNCTION %1$s_pending_removed() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $body$
      BEGIN
        PERFORM note_change(e.tenant_id, e.module_id, false, true, count(*))
           FROM removed e
           JOIN module m ON m.tenant_id = e.tenant_id AND m.id = e.module_id AND m.enabled
          WHERE e.enabled
          GROUP BY e.tenant_id, e.module_id;
        RETURN NULL;
      END
      $body$
    $function$, kind.name);
    EXECUTE format('CREATE TRIGGER %1$s_pending_added AFTER INSERT ON %1$s REFERENCING NEW TABLE AS added'
                   ' FOR EACH STATEMENT EXECUTE FUNCTION %1$s_pending_added()', kind.name);
    EXECUTE format('CREATE TRIGGER %1$s_pending_changed AFTER UPDATE ON %1$s REFERENCING OLD TABLE AS before NEW TABLE AS after'
                   ' FOR EACH STATEMENT EXECUTE FUNCTION %1$s_pending_changed()', kind.name);
    EXECUTE format('CREATE TRIGGER %1$s_pending_removed AFTER DELETE ON %1$s REFERENCING OLD TABLE AS removed'
                   ' FOR EACH STATEMENT EXECUTE FUNCTION %1$s_pending_removed()', kind.name);
  END LOOP;
END
$$;

-- A module is changed rarely, but written down at every refresh: only the first kind goes as far as the function.
CREATE FUNCTION note_module_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  collect boolean := NEW.enabled AND (
    NOT OLD.enabled OR NEW.can_be_empty <> OLD.can_be_empty
    OR (NEW.type = 'DOMAINS' AND (NEW.families, NEW.doh_profile_ids, NEW.doh_resolver_policy)
                                 IS DISTINCT FROM (OLD.families, OLD.doh_profile_ids, OLD.doh_resolver_policy)));
  build boolean := NEW.enabled <> OLD.enabled OR (
    NEW.enabled AND (NEW.purpose, NEW.community_id, NEW.families) IS DISTINCT FROM (OLD.purpose, OLD.community_id, OLD.families));
BEGIN
  IF collect OR build THEN
    PERFORM note_change(NEW.tenant_id, NEW.id, collect, build, 1);
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER module_pending_changed
  AFTER UPDATE OF enabled, purpose, community_id, families, can_be_empty, doh_profile_ids, doh_resolver_policy ON module
  FOR EACH ROW EXECUTE FUNCTION note_module_change();

CREATE FUNCTION note_module_removal() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM note_change(OLD.tenant_id, OLD.id, false, true, 1);
  RETURN NULL;
END
$$;
CREATE TRIGGER module_pending_removed AFTER DELETE ON module
  FOR EACH ROW WHEN (OLD.enabled AND OLD.prefix_count_ipv4 + OLD.prefix_count_ipv6 > 0)
  EXECUTE FUNCTION note_module_removal();

-- The value of a community is what routes carry. One that nothing refers to is carried by none.
CREATE FUNCTION note_community_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF EXISTS (SELECT FROM module WHERE tenant_id = NEW.tenant_id AND community_id = NEW.id)
     OR EXISTS (SELECT FROM cdn_source WHERE tenant_id = NEW.tenant_id AND community_id = NEW.id)
     OR EXISTS (SELECT FROM as_entry WHERE tenant_id = NEW.tenant_id AND community_id = NEW.id)
     OR EXISTS (SELECT FROM domain_entry WHERE tenant_id = NEW.tenant_id AND community_id = NEW.id)
     OR EXISTS (SELECT FROM ip_range_entry WHERE tenant_id = NEW.tenant_id AND community_id = NEW.id)
     OR EXISTS (SELECT FROM setting
                 WHERE tenant_id = NEW.tenant_id AND key = 'default_community_id' AND value = to_jsonb(NEW.id))
  THEN
    PERFORM note_change(NEW.tenant_id, NULL, false, true, 1);
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER community_pending_changed AFTER UPDATE OF community ON community
  FOR EACH ROW WHEN (OLD.community IS DISTINCT FROM NEW.community) EXECUTE FUNCTION note_community_change();

-- A guardrail that is set otherwise may let through what is held. Two of them also decide what is taken from sources.
CREATE FUNCTION note_setting_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  of_tenant uuid := CASE TG_OP WHEN 'DELETE' THEN OLD.tenant_id ELSE NEW.tenant_id END;
  of_key text := CASE TG_OP WHEN 'DELETE' THEN OLD.key ELSE NEW.key END;
BEGIN
  PERFORM note_change(of_tenant, NULL, false, true, 1);
  IF of_key IN ('guard_bogons', 'guard_empty_result') THEN
    PERFORM note_change(of_tenant, m.id, true, false, 1) FROM module m
      WHERE m.tenant_id = of_tenant AND m.enabled AND m.type <> 'IP_RANGES'
        AND (of_key = 'guard_bogons' OR m.type <> 'DOMAINS');
  END IF;
  RETURN NULL;
END
$$;
CREATE FUNCTION is_built_by(setting text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT setting = 'default_community_id' OR (starts_with(setting, 'guard_') AND setting <> 'guard_no_export')
$$;
CREATE TRIGGER setting_pending_added AFTER INSERT ON setting
  FOR EACH ROW WHEN (is_built_by(NEW.key)) EXECUTE FUNCTION note_setting_change();
CREATE TRIGGER setting_pending_changed AFTER UPDATE OF value ON setting
  FOR EACH ROW WHEN (is_built_by(NEW.key) AND OLD.value IS DISTINCT FROM NEW.value) EXECUTE FUNCTION note_setting_change();
CREATE TRIGGER setting_pending_removed AFTER DELETE ON setting
  FOR EACH ROW WHEN (is_built_by(OLD.key)) EXECUTE FUNCTION note_setting_change();

-- Who is asked decides what is answered.
CREATE FUNCTION note_resolver_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM note_change(m.tenant_id, m.id, true, false, 1) FROM module m
    WHERE m.tenant_id = NEW.tenant_id AND m.enabled AND NEW.id = ANY (m.doh_profile_ids);
  RETURN NULL;
END
$$;
CREATE TRIGGER doh_profile_pending_changed AFTER UPDATE OF url, client_subnet, headers_sealed, enabled ON doh_profile
  FOR EACH ROW WHEN ((OLD.url, OLD.client_subnet, OLD.headers_sealed, OLD.enabled)
                     IS DISTINCT FROM (NEW.url, NEW.client_subnet, NEW.headers_sealed, NEW.enabled))
  EXECUTE FUNCTION note_resolver_change();
