-- A module whose edits take too much away from a speaker is held by itself: it stays in revisions as it was, and the edits of others go on.

-- Which communities the entries of a module had when a revision was built. Revisions that have the same share one row.
CREATE TABLE module_policy (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  hash bytea NOT NULL CHECK (length(hash) = 32),
  groups jsonb NOT NULL,
  PRIMARY KEY (tenant_id, hash)
);
ALTER TABLE revision_input
  -- Null: built before this was written down.
  ADD COLUMN policy_hash bytea,
  -- The module may be gone by now, and nothing else says what it was called.
  ADD COLUMN name text,
  ADD CONSTRAINT revision_input_policy_hash_fkey FOREIGN KEY (tenant_id, policy_hash) REFERENCES module_policy (tenant_id, hash);
CREATE INDEX revision_input_policy ON revision_input (tenant_id, policy_hash);

-- A module that stays in revisions as it was. It may be gone, so there is no key to it.
CREATE TABLE held_withdrawal (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  module_id uuid NOT NULL,
  -- Of a module that is gone nothing else says it.
  name text NOT NULL,
  -- Of the module as it would be: what a release lets through.
  hash bytea NOT NULL CHECK (length(hash) = 32),
  -- The same without what sources bring by themselves.
  state_hash bytea NOT NULL CHECK (length(state_hash) = 32),
  findings jsonb NOT NULL,
  since timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, module_id)
);

-- What somebody let through, until no speaker runs anything of it any more.
CREATE TABLE released_withdrawal (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  module_id uuid NOT NULL,
  state_hash bytea NOT NULL CHECK (length(state_hash) = 32),
  reason text NOT NULL,
  released_by text NOT NULL,
  released_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, module_id)
);

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['module_policy', 'held_withdrawal', 'released_withdrawal'] LOOP
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

-- All that a module is held for; null: nothing.
CREATE FUNCTION held_of(uuid, uuid) RETURNS jsonb LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT CASE WHEN count(*) > 0 THEN jsonb_build_object(
           'since', rfc3339(min(since)),
           'snapshot', encode((array_agg(hash ORDER BY is_whole DESC))[1], 'hex'),
           'findings', jsonb_path_query_array(jsonb_agg(findings ORDER BY is_whole), '$[*][*]')) END
    FROM (SELECT since, content_hash AS hash, findings, false AS is_whole FROM held_snapshot
           WHERE tenant_id = $1 AND module_id = $2
           UNION ALL
          SELECT since, hash, findings, true FROM held_withdrawal
           WHERE tenant_id = $1 AND module_id = $2) held
$$;

CREATE OR REPLACE FUNCTION write_held_event() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  told record := coalesce(NEW, OLD);
  held jsonb := held_of(told.tenant_id, told.module_id);
BEGIN
  -- Of a module that is deleted nobody needs to know that it is held no more.
  IF (held IS NULL AND NOT EXISTS (SELECT FROM module WHERE tenant_id = told.tenant_id AND id = told.module_id))
     OR NOT EXISTS (SELECT FROM tenant WHERE id = told.tenant_id) THEN
    RETURN NULL;
  END IF;
  PERFORM write_event(told.tenant_id, 'module', jsonb_build_object('id', told.module_id, 'held',
    held - 'findings' || jsonb_build_object('codes',
      (SELECT jsonb_agg(DISTINCT finding -> 'code') FROM jsonb_array_elements(held -> 'findings') AS finding))));
  RETURN NULL;
END
$$;
CREATE TRIGGER withdrawal_held AFTER INSERT OR DELETE ON held_withdrawal FOR EACH ROW EXECUTE FUNCTION write_held_event();
CREATE TRIGGER withdrawal_held_by_another AFTER UPDATE ON held_withdrawal FOR EACH ROW
  WHEN ((OLD.hash, OLD.findings) IS DISTINCT FROM (NEW.hash, NEW.findings))
  EXECUTE FUNCTION write_held_event();
