-- What the rails need to know: what a revision was built from, and against which rails it was checked.

ALTER TABLE module ADD COLUMN can_be_empty boolean NOT NULL DEFAULT false;

-- Which entries contributed to a snapshot, and the version of each as an operator had changed it last, as `id version,id version…`.
-- It changes when entries do, which is seldom: snapshots and revisions that have the same list share one row.
CREATE TABLE entry_list (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  hash bytea NOT NULL CHECK (length(hash) = 32),
  entries text NOT NULL,
  PRIMARY KEY (tenant_id, hash)
);

ALTER TABLE snapshot
  -- Null: nothing of it changes by itself.
  ADD COLUMN entries_hash bytea,
  -- What every revision that is built from it should tell.
  ADD COLUMN warnings jsonb NOT NULL DEFAULT '[]',
  ADD CONSTRAINT snapshot_entries_hash_fkey FOREIGN KEY (tenant_id, entries_hash) REFERENCES entry_list (tenant_id, hash);
CREATE INDEX snapshot_entries ON snapshot (tenant_id, entries_hash);

-- The rails that `findings` were found by, those about changes apart.
ALTER TABLE revision ADD COLUMN rails_hash bytea CHECK (length(rails_hash) = 32);

-- The snapshots that a revision was built from. A module may be gone, so there is no key to it.
CREATE TABLE revision_input (
  tenant_id uuid NOT NULL,
  revision_id uuid NOT NULL,
  module_id uuid NOT NULL,
  families text[] NOT NULL,
  content_hash bytea NOT NULL,
  -- Null: nothing of the module changes by itself.
  entries_hash bytea,
  PRIMARY KEY (tenant_id, revision_id, module_id),
  CONSTRAINT revision_input_revision_id_fkey FOREIGN KEY (tenant_id, revision_id) REFERENCES revision (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT revision_input_content_hash_fkey FOREIGN KEY (tenant_id, content_hash) REFERENCES content (tenant_id, content_hash),
  CONSTRAINT revision_input_entries_hash_fkey FOREIGN KEY (tenant_id, entries_hash) REFERENCES entry_list (tenant_id, hash)
);
CREATE INDEX revision_input_content ON revision_input (tenant_id, content_hash);
CREATE INDEX revision_input_entries ON revision_input (tenant_id, entries_hash);

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['entry_list', 'revision_input'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format(
      'CREATE POLICY own_tenant ON %I TO prefixcast_tenant'
      ' USING (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)'
      ' WITH CHECK (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)', name);
    EXECUTE format('CREATE POLICY every_tenant ON %I TO prefixcast_system USING (true) WITH CHECK (true)', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO prefixcast_system, prefixcast_tenant', name);
  END LOOP;
END
$$;
