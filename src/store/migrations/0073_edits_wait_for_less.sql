-- Events that had happened when a webhook began to follow them, and that nobody had given a number: it is not sent these. Whoever gives numbers
-- keeps all others of the tenant from it until its transaction ends, and an edit of a webhook is to wait for nobody.

ALTER TABLE webhook_turn ADD COLUMN passed bigint[] NOT NULL DEFAULT '{}';

-- What an edit of ranges has led from one stamp to the next (0053_entry_stamps.sql): which entries it touched. Whoever knows which ranges counted under a
-- stamp reads these entries again, and not all two hundred thousand. Rows are written in the transaction of the edit, and taken back with it.

CREATE TABLE range_step (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  -- No foreign key: no edit waits for whoever holds the module.
  module_id uuid NOT NULL,
  -- The stamp that the edit gave its row of module_entry_count, and the one that this had before.
  stamp uuid NOT NULL,
  before uuid NOT NULL,
  -- Null: so many that all ranges have to be read.
  entry_ids uuid[],
  made_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, module_id, stamp)
);

ALTER TABLE range_step ENABLE ROW LEVEL SECURITY;
ALTER TABLE range_step FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON range_step TO prefixcast_tenant
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
  WITH CHECK (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
CREATE POLICY every_tenant ON range_step TO prefixcast_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON range_step TO prefixcast_system, prefixcast_tenant;

-- A row that no edit has used yet names no state.
ALTER TABLE module_entry_count ALTER COLUMN stamp SET DEFAULT '00000000-0000-0000-0000-000000000000';

-- Stamps are given by what knows which entries it is about, and nowhere else: a stamp without its step would be a gap.
CREATE OR REPLACE FUNCTION add_entries(of_tenant uuid, of_module uuid, more bigint) RETURNS void
  LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE module_entry_count SET entries = entries + more
   WHERE tenant_id = of_tenant AND module_id = of_module
     AND slot = (SELECT slot FROM module_entry_count WHERE tenant_id = of_tenant AND module_id = of_module
                  LIMIT 1 FOR UPDATE SKIP LOCKED);
  IF NOT FOUND THEN
    INSERT INTO module_entry_count (tenant_id, module_id, entries) VALUES (of_tenant, of_module, more);
  END IF;
END
$$;

CREATE OR REPLACE FUNCTION note_change(of_tenant uuid, of_module uuid, collect boolean, build boolean, many bigint) RETURNS void
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

-- As add_entries, in a row that nobody else holds.
CREATE FUNCTION step_ranges(of_tenant uuid, of_module uuid, ids uuid[]) RETURNS void
  LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  next uuid := gen_random_uuid();
  held record;
BEGIN
  SELECT slot, stamp INTO held FROM module_entry_count
   WHERE tenant_id = of_tenant AND module_id = of_module LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    INSERT INTO module_entry_count (tenant_id, module_id, entries) VALUES (of_tenant, of_module, 0)
    RETURNING slot, stamp INTO held;
  END IF;
  UPDATE module_entry_count SET stamp = next
   WHERE tenant_id = of_tenant AND module_id = of_module AND slot = held.slot;
  INSERT INTO range_step (tenant_id, module_id, stamp, before, entry_ids)
  VALUES (of_tenant, of_module, next, held.stamp, CASE WHEN cardinality(ids) <= 1000 THEN ids END);
END
$$;

-- Of ranges that were added or removed.
CREATE OR REPLACE FUNCTION note_range_edits() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  edit record;
BEGIN
  -- Entries go with their module, and modules with their tenant.
  FOR edit IN
    SELECT e.tenant_id, e.module_id, CASE WHEN count(*) <= 1000 THEN array_agg(e.id) END AS ids
      FROM edited e
     WHERE EXISTS (SELECT FROM module m WHERE m.tenant_id = e.tenant_id AND m.id = e.module_id)
     GROUP BY e.tenant_id, e.module_id
  LOOP
    INSERT INTO range_edit (tenant_id, module_id, entry_ids) VALUES (edit.tenant_id, edit.module_id, edit.ids);
    PERFORM step_ranges(edit.tenant_id, edit.module_id, edit.ids);
  END LOOP;
  RETURN NULL;
END
$$;

-- Of ranges that became others, and of those that count from now on, or count as something else. What else changes of an entry is in no snapshot, and is
-- no revision's.
CREATE OR REPLACE FUNCTION note_range_changes() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  edit record;
BEGIN
  FOR edit IN
    SELECT n.tenant_id, n.module_id,
           count(*) FILTER (WHERE n.cidr IS DISTINCT FROM o.cidr) AS others,
           array_agg(n.id) FILTER (WHERE n.cidr IS DISTINCT FROM o.cidr) AS other_ids,
           array_agg(n.id) FILTER (WHERE n.enabled <> o.enabled OR n.community_ids <> o.community_ids) AS ids
      FROM after n JOIN before o ON o.tenant_id = n.tenant_id AND o.id = n.id
     WHERE n.cidr IS DISTINCT FROM o.cidr OR n.enabled <> o.enabled OR n.community_ids <> o.community_ids
     GROUP BY n.tenant_id, n.module_id
  LOOP
    IF edit.others > 0 THEN
      INSERT INTO range_edit (tenant_id, module_id, entry_ids)
      VALUES (edit.tenant_id, edit.module_id, CASE WHEN edit.others <= 1000 THEN edit.other_ids END);
    END IF;
    IF edit.ids IS NOT NULL THEN
      PERFORM step_ranges(edit.tenant_id, edit.module_id, edit.ids);
    END IF;
  END LOOP;
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION forget_range_edits() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  DELETE FROM range_edit WHERE tenant_id = OLD.tenant_id AND module_id = OLD.id;
  DELETE FROM range_step WHERE tenant_id = OLD.tenant_id AND module_id = OLD.id;
  RETURN NULL;
END
$$;
