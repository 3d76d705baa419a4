-- Names are unique without case, and settings have a version.

-- What two names must differ in. Upper case, since that knows one form of every sigma; by a collation that means the same on every server,
-- so that no Turkish server takes I and i for two letters. `NULL` collides with nothing.
DO $$
DECLARE
  chosen text := (
    SELECT quote_ident(collname) FROM pg_collation
     WHERE collname IN ('pg_c_utf8', 'und-x-icu') AND collnamespace = 'pg_catalog'::regnamespace
     ORDER BY collname LIMIT 1);
  -- normalize() works in UTF-8 only.
  form text := CASE WHEN getdatabaseencoding() = 'UTF8' THEN 'normalize(btrim(name), NFKC)' ELSE 'btrim(name)' END;
BEGIN
  EXECUTE format(
    'CREATE FUNCTION name_key(name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN upper((%s) COLLATE %s)',
    form, coalesce(chosen, '"C"'));
END
$$;

CREATE FUNCTION set_name_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.name_key := prefixcast.name_key(NEW.name);
  RETURN NEW;
END
$$;

-- Names from before may differ in case only. The oldest of such keeps the name for itself; the others have no key until they are
-- renamed, so that nothing that refers to them by name breaks.
DO $$
DECLARE
  item record;
BEGIN
  FOR item IN
    SELECT * FROM (VALUES
      ('module', 'tenant_id'), ('cdn_source', 'tenant_id, module_id'), ('speaker', 'tenant_id'), ('peer', 'tenant_id'), ('doh_profile', 'tenant_id')
    ) AS named (name, scope)
  LOOP
    EXECUTE format('ALTER TABLE %I ADD COLUMN name_key text COLLATE "C"', item.name);
    SET LOCAL ROLE prefixcast_system;
    EXECUTE format(
      'UPDATE %I AS named SET name_key = name_key(first.name)'
      ' FROM (SELECT DISTINCT ON (%s, name_key(name)) tenant_id, id, name FROM %I ORDER BY %s, name_key(name), id) AS first'
      ' WHERE named.tenant_id = first.tenant_id AND named.id = first.id',
      item.name, item.scope, item.name, item.scope);
    SET LOCAL ROLE NONE;
    EXECUTE format(
      'ALTER TABLE %I ADD CONSTRAINT %I UNIQUE (%s, name_key)',
      item.name, item.name || '_name_without_case_key', item.scope);
    EXECUTE format(
      'CREATE TRIGGER %I BEFORE INSERT ON %I FOR EACH ROW EXECUTE FUNCTION set_name_key()',
      item.name || '_names', item.name);
    EXECUTE format(
      'CREATE TRIGGER %I BEFORE UPDATE OF name ON %I FOR EACH ROW WHEN (OLD.name IS DISTINCT FROM NEW.name)'
      ' EXECUTE FUNCTION set_name_key()',
      item.name || '_renames', item.name);
  END LOOP;
END
$$;

-- How often the settings of a tenant were changed: what their ETag tells.
CREATE TABLE settings_version (
  tenant_id uuid PRIMARY KEY REFERENCES tenant (id) ON DELETE CASCADE,
  version integer NOT NULL
);
ALTER TABLE settings_version ENABLE ROW LEVEL SECURITY;
ALTER TABLE settings_version FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON settings_version TO prefixcast_tenant
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
  WITH CHECK (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
CREATE POLICY every_tenant ON settings_version TO prefixcast_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON settings_version TO prefixcast_system, prefixcast_tenant;
