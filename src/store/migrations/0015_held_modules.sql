-- A module that breaks a guardrail by itself is held, not the revision: what it brought waits, and what was accepted of it stays.

-- The snapshot of a module that the last ready revision was built from.
CREATE TABLE accepted_snapshot (
  tenant_id uuid NOT NULL,
  module_id uuid NOT NULL,
  content_hash bytea NOT NULL,
  -- As of `snapshot`.
  entries_hash bytea,
  -- Entries that the content holds, but that were disabled or gone when it was accepted: nothing of them was accepted.
  left_out uuid[] NOT NULL DEFAULT '{}',
  warnings jsonb NOT NULL DEFAULT '[]',
  accepted_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, module_id),
  CONSTRAINT accepted_snapshot_module_id_fkey FOREIGN KEY (tenant_id, module_id) REFERENCES module (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT accepted_snapshot_content_hash_fkey FOREIGN KEY (tenant_id, content_hash) REFERENCES content (tenant_id, content_hash),
  CONSTRAINT accepted_snapshot_entries_hash_fkey FOREIGN KEY (tenant_id, entries_hash) REFERENCES entry_list (tenant_id, hash)
);
CREATE INDEX accepted_snapshot_content ON accepted_snapshot (tenant_id, content_hash);
CREATE INDEX accepted_snapshot_entries ON accepted_snapshot (tenant_id, entries_hash);

-- A module that is held, since when, and why: its latest snapshot when it was judged last.
CREATE TABLE held_snapshot (
  tenant_id uuid NOT NULL,
  module_id uuid NOT NULL,
  content_hash bytea NOT NULL,
  findings jsonb NOT NULL,
  -- The entries that the findings name.
  entry_ids uuid[] NOT NULL DEFAULT '{}',
  since timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, module_id),
  CONSTRAINT held_snapshot_module_id_fkey FOREIGN KEY (tenant_id, module_id) REFERENCES module (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT held_snapshot_content_hash_fkey FOREIGN KEY (tenant_id, content_hash) REFERENCES content (tenant_id, content_hash)
);
CREATE INDEX held_snapshot_content ON held_snapshot (tenant_id, content_hash);

-- What somebody let through: this content of the module, and no other, may break these guardrails.
CREATE TABLE released_snapshot (
  tenant_id uuid NOT NULL,
  module_id uuid NOT NULL,
  content_hash bytea NOT NULL CHECK (length(content_hash) = 32),
  codes text[] NOT NULL,
  reason text NOT NULL,
  released_by text NOT NULL,
  released_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, module_id),
  CONSTRAINT released_snapshot_module_id_fkey FOREIGN KEY (tenant_id, module_id) REFERENCES module (tenant_id, id) ON DELETE CASCADE
);

ALTER TABLE revision_input
  ADD COLUMN left_out uuid[] NOT NULL DEFAULT '{}',
  -- The guardrails that this snapshot was let through for.
  ADD COLUMN released text[] NOT NULL DEFAULT '{}';

-- The modules that were held when the revision was built, and so are in it with what was accepted before.
ALTER TABLE revision ADD COLUMN quarantined jsonb NOT NULL DEFAULT '[]';

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['accepted_snapshot', 'held_snapshot', 'released_snapshot'] LOOP
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

-- The kinds are those of api/events.ts.
ALTER TABLE event DROP CONSTRAINT event_kind_check, ADD CONSTRAINT event_kind_check CHECK (kind ~ '^[a-z]+(_[a-z]+)*$');

CREATE FUNCTION write_held_event() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    -- Of a module that is deleted nobody needs to know that it is held no more.
    IF EXISTS (SELECT FROM module WHERE tenant_id = OLD.tenant_id AND id = OLD.module_id) THEN
      PERFORM write_event(OLD.tenant_id, 'module', jsonb_build_object('id', OLD.module_id, 'held', NULL));
    END IF;
    RETURN NULL;
  END IF;
  PERFORM write_event(NEW.tenant_id, 'module', jsonb_build_object(
    'id', NEW.module_id,
    'held', jsonb_build_object('since', rfc3339(NEW.since), 'snapshot', encode(NEW.content_hash, 'hex'), 'codes',
      (SELECT jsonb_agg(DISTINCT finding -> 'code') FROM jsonb_array_elements(NEW.findings) AS finding))));
  RETURN NULL;
END
$$;
CREATE TRIGGER module_held AFTER INSERT OR DELETE ON held_snapshot FOR EACH ROW EXECUTE FUNCTION write_held_event();
CREATE TRIGGER module_held_by_another AFTER UPDATE ON held_snapshot FOR EACH ROW
  WHEN ((OLD.content_hash, OLD.findings) IS DISTINCT FROM (NEW.content_hash, NEW.findings))
  EXECUTE FUNCTION write_held_event();

-- What there is was accepted when it last went into a ready revision. Its owner sees no rows.
SET LOCAL ROLE prefixcast_system;
INSERT INTO accepted_snapshot (tenant_id, module_id, content_hash, entries_hash)
SELECT DISTINCT ON (input.tenant_id, input.module_id)
       input.tenant_id, input.module_id, input.content_hash, input.entries_hash
  FROM revision_input input
  JOIN revision ON revision.tenant_id = input.tenant_id AND revision.id = input.revision_id AND revision.state = 'ready'
  JOIN module ON module.tenant_id = input.tenant_id AND module.id = input.module_id
 ORDER BY input.tenant_id, input.module_id, revision.number DESC;
SET LOCAL ROLE NONE;
