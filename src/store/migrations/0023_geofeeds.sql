-- Feeds that say where prefixes are (RFC 8805), and which countries and regions are taken from each.

ALTER TABLE module DROP CONSTRAINT module_type_check;
ALTER TABLE module ADD CONSTRAINT module_type_check
  CHECK (type IN ('CDN_SOURCES', 'AS_PREFIXES', 'DOMAINS', 'IP_RANGES', 'GEOFEED'));

CREATE TABLE geofeed_entry (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  module_id uuid NOT NULL,
  name text NOT NULL,
  name_key text COLLATE "C",
  url text NOT NULL,
  -- Codes of ISO 3166-1 alpha-2 and ISO 3166-2 in upper case, each once and in order.
  countries text[] NOT NULL,
  regions text[] NOT NULL DEFAULT '{}',
  -- Names in clear, so that they can be shown; values in one encrypted JSON object.
  header_names text[] NOT NULL DEFAULT '{}',
  headers_sealed bytea,
  enabled boolean NOT NULL DEFAULT true,
  community_id uuid,
  last_refreshed_at timestamptz(3),
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'ok', 'stale', 'failed')),
  last_error text,
  prefix_count_ipv4 integer NOT NULL DEFAULT 0,
  prefix_count_ipv6 integer NOT NULL DEFAULT 0,
  etag text,
  last_modified text,
  version integer NOT NULL DEFAULT 1,
  -- The version in which the entry began to be read as it is now.
  question_version integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id),
  CONSTRAINT geofeed_entry_name_key UNIQUE (tenant_id, module_id, name),
  CONSTRAINT geofeed_entry_name_without_case_key UNIQUE (tenant_id, module_id, name_key),
  CONSTRAINT geofeed_entry_module_id_fkey FOREIGN KEY (tenant_id, module_id) REFERENCES module (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT geofeed_entry_community_id_fkey FOREIGN KEY (tenant_id, community_id) REFERENCES community (tenant_id, id)
);
CREATE INDEX geofeed_entry_module ON geofeed_entry (tenant_id, module_id, id);
CREATE INDEX geofeed_entry_community ON geofeed_entry (tenant_id, community_id);

ALTER TABLE geofeed_entry ENABLE ROW LEVEL SECURITY;
ALTER TABLE geofeed_entry FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON geofeed_entry TO prefixcast_tenant
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
  WITH CHECK (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
CREATE POLICY every_tenant ON geofeed_entry TO prefixcast_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON geofeed_entry TO prefixcast_system, prefixcast_tenant;

CREATE TRIGGER geofeed_entry_names BEFORE INSERT ON geofeed_entry FOR EACH ROW EXECUTE FUNCTION set_name_key();
CREATE TRIGGER geofeed_entry_renames BEFORE UPDATE OF name ON geofeed_entry
  FOR EACH ROW WHEN (OLD.name IS DISTINCT FROM NEW.name) EXECUTE FUNCTION set_name_key();

CREATE TRIGGER geofeed_entry_question BEFORE UPDATE ON geofeed_entry FOR EACH ROW
  WHEN ((NEW.enabled, NEW.url, NEW.countries, NEW.regions) IS DISTINCT FROM (OLD.enabled, OLD.url, OLD.countries, OLD.regions))
  EXECUTE FUNCTION begin_question();

CREATE TRIGGER geofeed_entry_added AFTER INSERT ON geofeed_entry REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_entries();
CREATE TRIGGER geofeed_entry_removed AFTER DELETE ON geofeed_entry REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_entries();

-- Edits that no revision holds yet, as for the other kinds.
CREATE FUNCTION geofeed_entry_pending_added() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM note_change(e.tenant_id, e.module_id, true, false, count(*))
     FROM added e
     JOIN module m ON m.tenant_id = e.tenant_id AND m.id = e.module_id AND m.enabled
    WHERE e.enabled
    GROUP BY e.tenant_id, e.module_id;
  RETURN NULL;
END
$$;
CREATE FUNCTION geofeed_entry_pending_changed() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM note_change(e.tenant_id, e.module_id, bool_or(e.collect), bool_or(e.build), count(*))
     FROM (SELECT n.tenant_id, n.module_id,
                  n.enabled AND (NOT o.enabled
                    OR (n.url, n.countries, n.regions, n.header_names, n.headers_sealed)
                       IS DISTINCT FROM (o.url, o.countries, o.regions, o.header_names, o.headers_sealed)) AS collect,
                  n.enabled <> o.enabled OR (n.enabled AND n.community_id IS DISTINCT FROM o.community_id) AS build
             FROM after n JOIN before o ON o.tenant_id = n.tenant_id AND o.id = n.id) e
     JOIN module m ON m.tenant_id = e.tenant_id AND m.id = e.module_id AND m.enabled
    WHERE e.collect OR e.build
    GROUP BY e.tenant_id, e.module_id;
  RETURN NULL;
END
$$;
CREATE FUNCTION geofeed_entry_pending_removed() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM note_change(e.tenant_id, e.module_id, false, true, count(*))
     FROM removed e
     JOIN module m ON m.tenant_id = e.tenant_id AND m.id = e.module_id AND m.enabled
    WHERE e.enabled
    GROUP BY e.tenant_id, e.module_id;
  RETURN NULL;
END
$$;
CREATE TRIGGER geofeed_entry_pending_added AFTER INSERT ON geofeed_entry REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION geofeed_entry_pending_added();
CREATE TRIGGER geofeed_entry_pending_changed AFTER UPDATE ON geofeed_entry REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION geofeed_entry_pending_changed();
CREATE TRIGGER geofeed_entry_pending_removed AFTER DELETE ON geofeed_entry REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION geofeed_entry_pending_removed();

-- The value of a community is what routes carry. One that nothing refers to is carried by none.
CREATE OR REPLACE FUNCTION note_community_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF EXISTS (SELECT FROM module WHERE tenant_id = NEW.tenant_id AND community_id = NEW.id)
     OR EXISTS (SELECT FROM cdn_source WHERE tenant_id = NEW.tenant_id AND community_id = NEW.id)
     OR EXISTS (SELECT FROM as_entry WHERE tenant_id = NEW.tenant_id AND community_id = NEW.id)
     OR EXISTS (SELECT FROM domain_entry WHERE tenant_id = NEW.tenant_id AND community_id = NEW.id)
     OR EXISTS (SELECT FROM ip_range_entry WHERE tenant_id = NEW.tenant_id AND community_id = NEW.id)
     OR EXISTS (SELECT FROM geofeed_entry WHERE tenant_id = NEW.tenant_id AND community_id = NEW.id)
     OR EXISTS (SELECT FROM setting
                 WHERE tenant_id = NEW.tenant_id AND key = 'default_community_id' AND value = to_jsonb(NEW.id))
  THEN
    PERFORM note_change(NEW.tenant_id, NULL, false, true, 1);
  END IF;
  RETURN NULL;
END
$$;
