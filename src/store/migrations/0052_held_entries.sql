-- A module that is held because one of its sources lies is free again as soon as somebody switches that source off. What the source had until
-- then is remembered, so that it is held again if it still lies when it is switched on.
CREATE TABLE entry_before_hold (
  tenant_id uuid NOT NULL,
  module_id uuid NOT NULL,
  -- It may be deleted and come back, so there is no key to it.
  entry_id uuid NOT NULL,
  -- As of `entry_list`: read in another way it is another list.
  version integer NOT NULL,
  -- What was accepted of it last is in this content.
  content_hash bytea NOT NULL,
  PRIMARY KEY (tenant_id, module_id, entry_id),
  CONSTRAINT entry_before_hold_module_id_fkey FOREIGN KEY (tenant_id, module_id) REFERENCES module (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT entry_before_hold_content_hash_fkey FOREIGN KEY (tenant_id, content_hash) REFERENCES content (tenant_id, content_hash)
);
CREATE INDEX entry_before_hold_content ON entry_before_hold (tenant_id, content_hash);

ALTER TABLE entry_before_hold ENABLE ROW LEVEL SECURITY;
ALTER TABLE entry_before_hold FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON entry_before_hold TO prefixcast_tenant
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
  WITH CHECK (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
CREATE POLICY every_tenant ON entry_before_hold TO prefixcast_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON entry_before_hold TO prefixcast_system, prefixcast_tenant;

-- To be switched off and on is no other question. What was off when something was accepted is not measured, and so it is excused all the same.
DO $$
DECLARE
  kind record;
BEGIN
  FOR kind IN
    SELECT * FROM (VALUES
      ('cdn_source', ARRAY['url', 'format', 'json_path', 'csv_column']),
      ('as_entry', ARRAY['asn']),
      ('domain_entry', ARRAY['domain']),
      ('geofeed_entry', ARRAY['url', 'countries', 'regions'])) AS kinds (name, question)
  LOOP
    EXECUTE format('DROP TRIGGER %1$s_question ON %1$s', kind.name);
    EXECUTE format('CREATE TRIGGER %1$s_question BEFORE UPDATE ON %1$s FOR EACH ROW'
                   ' WHEN ((%2$s) IS DISTINCT FROM (%3$s)) EXECUTE FUNCTION begin_question()',
      kind.name,
      (SELECT string_agg(format('NEW.%I', q), ', ') FROM unnest(kind.question) q),
      (SELECT string_agg(format('OLD.%I', q), ', ') FROM unnest(kind.question) q));
  END LOOP;
END
$$;
