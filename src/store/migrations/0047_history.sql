-- What became of a prefix is answered without reading revisions: each ready revision has what differs from the ready one before it, and of
-- each module what differs from the snapshot that was used before, in pieces by address. It is worked out after the commit, newest first;
-- what is missing is worked out when it is asked for. It follows from contents, so it may be thrown away at any time.

CREATE TABLE revision_step (
  tenant_id uuid NOT NULL,
  revision_id uuid NOT NULL,
  -- The ready revision before. With it goes the step: what differs is then to be told from an older one.
  previous_id uuid NOT NULL,
  -- Modules that came, went, or were used in another way than before, whatever became of their snapshots.
  switched uuid[] NOT NULL,
  PRIMARY KEY (tenant_id, revision_id),
  CONSTRAINT revision_step_revision_id_fkey FOREIGN KEY (tenant_id, revision_id) REFERENCES revision (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT revision_step_previous_id_fkey FOREIGN KEY (tenant_id, previous_id) REFERENCES revision (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX revision_step_previous ON revision_step (tenant_id, previous_id);

CREATE TABLE step_piece (
  tenant_id uuid NOT NULL,
  revision_id uuid NOT NULL,
  place integer NOT NULL,
  -- Of the revision.
  number integer NOT NULL,
  -- Whose snapshot differs; null: the revision itself.
  module_id uuid,
  family text NOT NULL CHECK (family IN ('ipv4', 'ipv6')),
  first_address bytea NOT NULL,
  last_address bytea NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (tenant_id, revision_id, place),
  CONSTRAINT step_piece_revision_id_fkey FOREIGN KEY (tenant_id, revision_id)
    REFERENCES revision_step (tenant_id, revision_id) ON DELETE CASCADE
);
-- Pieces come compressed already.
ALTER TABLE step_piece ALTER COLUMN bytes SET STORAGE EXTERNAL;
CREATE INDEX step_piece_around ON step_piece (tenant_id, family, number, first_address, last_address);

-- Revisions that came, went or were let through since steps were last worked out. Triggers only insert, so that nobody waits. No foreign
-- key: that a revision is gone is a reason too.
CREATE TABLE due_step (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  id bigint GENERATED ALWAYS AS IDENTITY,
  -- Some process is at it, or was when it ended.
  claimed_at timestamptz(3),
  PRIMARY KEY (tenant_id, id)
);

DO $$
DECLARE
  item text;
BEGIN
  FOREACH item IN ARRAY ARRAY['revision_step', 'step_piece', 'due_step'] LOOP
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

CREATE FUNCTION note_due_step() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  of_tenant uuid := CASE WHEN TG_OP = 'DELETE' THEN OLD.tenant_id ELSE NEW.tenant_id END;
BEGIN
  -- Revisions go with their tenant.
  IF EXISTS (SELECT FROM tenant WHERE id = of_tenant) THEN
    INSERT INTO due_step (tenant_id) VALUES (of_tenant);
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER revision_added_steps AFTER INSERT ON revision FOR EACH ROW
  WHEN (NEW.state = 'ready') EXECUTE FUNCTION note_due_step();
CREATE TRIGGER revision_released_steps AFTER UPDATE OF state ON revision FOR EACH ROW
  WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION note_due_step();
CREATE TRIGGER revision_removed_steps AFTER DELETE ON revision FOR EACH ROW
  WHEN (OLD.state = 'ready') EXECUTE FUNCTION note_due_step();

-- For the revisions that are there. Their owner sees no rows.
SET LOCAL ROLE prefixcast_system;
INSERT INTO due_step (tenant_id) SELECT DISTINCT tenant_id FROM revision;
SET LOCAL ROLE NONE;
