-- Which ranges were edited since the snapshot of their module was made: a snapshot of a hundred thousand ranges follows from the one before and these,
-- and need not be made of all of them. Triggers write them into the transaction of the edit, whatever wrote it; whoever stores a snapshot takes away
-- what it read before it read the ranges. A row that is left is an edit that the snapshot may lack; one that it has already changes nothing.

CREATE TABLE range_edit (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  -- No foreign key: no edit waits for whoever holds the module.
  module_id uuid NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  -- Null: so many, or unknown, that all ranges have to be read.
  entry_ids uuid[],
  PRIMARY KEY (tenant_id, module_id, id)
);

ALTER TABLE range_edit ENABLE ROW LEVEL SECURITY;
ALTER TABLE range_edit FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON range_edit TO prefixcast_tenant
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
  WITH CHECK (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
CREATE POLICY every_tenant ON range_edit TO prefixcast_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON range_edit TO prefixcast_system, prefixcast_tenant;

-- Of ranges that were added or removed.
CREATE FUNCTION note_range_edits() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  -- Entries go with their module, and modules with their tenant.
  INSERT INTO range_edit (tenant_id, module_id, entry_ids)
  SELECT e.tenant_id, e.module_id, CASE WHEN count(*) <= 1000 THEN array_agg(e.id) END
    FROM edited e
   WHERE EXISTS (SELECT FROM module m WHERE m.tenant_id = e.tenant_id AND m.id = e.module_id)
   GROUP BY e.tenant_id, e.module_id;
  RETURN NULL;
END
$$;
CREATE TRIGGER ip_range_entry_edits_added AFTER INSERT ON ip_range_entry REFERENCING NEW TABLE AS edited
  FOR EACH STATEMENT EXECUTE FUNCTION note_range_edits();
CREATE TRIGGER ip_range_entry_edits_removed AFTER DELETE ON ip_range_entry REFERENCING OLD TABLE AS edited
  FOR EACH STATEMENT EXECUTE FUNCTION note_range_edits();

-- Of ranges that became others. What else changes of an entry is in no snapshot.
CREATE FUNCTION note_range_changes() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO range_edit (tenant_id, module_id, entry_ids)
  SELECT n.tenant_id, n.module_id, CASE WHEN count(*) <= 1000 THEN array_agg(n.id) END
    FROM after n JOIN before o ON o.tenant_id = n.tenant_id AND o.id = n.id
   WHERE n.cidr IS DISTINCT FROM o.cidr
   GROUP BY n.tenant_id, n.module_id;
  RETURN NULL;
END
$$;
CREATE TRIGGER ip_range_entry_edits_changed AFTER UPDATE ON ip_range_entry REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION note_range_changes();

-- A module that is put back has the snapshot that it had, and nothing says what was edited since.
CREATE FUNCTION note_unknown_ranges() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO range_edit (tenant_id, module_id) VALUES (NEW.tenant_id, NEW.id);
  RETURN NULL;
END
$$;
CREATE TRIGGER module_range_edits_unknown AFTER INSERT ON module
  FOR EACH ROW WHEN (NEW.type = 'IP_RANGES') EXECUTE FUNCTION note_unknown_ranges();
INSERT INTO range_edit (tenant_id, module_id) SELECT tenant_id, id FROM module WHERE type = 'IP_RANGES';

CREATE FUNCTION forget_range_edits() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  DELETE FROM range_edit WHERE tenant_id = OLD.tenant_id AND module_id = OLD.id;
  RETURN NULL;
END
$$;
CREATE TRIGGER module_range_edits_removed AFTER DELETE ON module
  FOR EACH ROW WHEN (OLD.type = 'IP_RANGES') EXECUTE FUNCTION forget_range_edits();
