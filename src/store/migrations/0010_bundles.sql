-- Bundles: what the node of a speaker pulls, and the keys that sign it.

CREATE TABLE signing_key (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  -- Made of the public key.
  key_id text NOT NULL,
  public_key bytea NOT NULL CHECK (length(public_key) = 32),
  -- Null once it will never sign again.
  private_sealed bytea,
  not_before timestamptz(3) NOT NULL,
  -- When the last bundle that it signed has expired; null: it signs, or will.
  not_after timestamptz(3),
  -- The word of the key before, for nodes that trust that one only.
  endorsed_by text,
  endorsement bytea,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, key_id)
);

-- The bundle that was issued last to each speaker. What it is made of beside the routes is sealed: it holds passwords of sessions, and
-- the hash or the signature of something that is known but for a password tells the password.
CREATE TABLE speaker_bundle (
  tenant_id uuid NOT NULL,
  speaker_id uuid NOT NULL,
  sequence bigint NOT NULL,
  -- How often this state was signed: anew before it expires, and when keys change.
  issue integer NOT NULL,
  -- Of speaker.json and the content, keyed.
  fingerprint bytea NOT NULL,
  -- No ON DELETE: what a node was given is never pruned.
  revision_id uuid NOT NULL,
  keys_hash bytea NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  -- Of the whole bundle.
  length bigint NOT NULL,
  sha256 bytea NOT NULL,
  sealed bytea NOT NULL,
  -- The last that the node said it runs.
  applied_sequence bigint,
  PRIMARY KEY (tenant_id, speaker_id),
  CONSTRAINT speaker_bundle_speaker_id_fkey FOREIGN KEY (tenant_id, speaker_id) REFERENCES speaker (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT speaker_bundle_revision_id_fkey FOREIGN KEY (tenant_id, revision_id) REFERENCES revision (tenant_id, id)
);
CREATE INDEX speaker_bundle_revision ON speaker_bundle (tenant_id, revision_id);

-- Which bundle carries an apply to its node.
ALTER TABLE speaker_apply ADD COLUMN bundle_sequence bigint;
-- What a node is to run is looked for all the time: among all applies that kept a revision, and the few that are under way.
CREATE INDEX speaker_apply_begun ON speaker_apply (tenant_id, speaker_id, sequence, id)
  WHERE revision_id IS NOT NULL AND started_at IS NOT NULL;
CREATE INDEX speaker_apply_open ON speaker_apply (tenant_id, speaker_id) WHERE state IN ('queued', 'running');

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['signing_key', 'speaker_bundle'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_tenant ON %I TO prefixcast_tenant'
                   ' USING (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)'
                   ' WITH CHECK (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)', name);
    EXECUTE format('CREATE POLICY every_tenant ON %I TO prefixcast_system USING (true) WITH CHECK (true)', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO prefixcast_system, prefixcast_tenant', name);
  END LOOP;
END
$$;
