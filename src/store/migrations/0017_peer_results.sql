-- An apply at one speaker is told peer by peer, and a peer that does not bear new routes goes on with older ones.

ALTER TABLE speaker_apply
  -- What became of each peer, those that need attention first; null: not known.
  ADD COLUMN peers jsonb,
  -- The speaker runs the revision, and not every peer has it.
  ADD COLUMN partial boolean NOT NULL DEFAULT false;

-- Peers that did not bear what their speaker runs, and were put back to what they held before.
CREATE TABLE reverted_peer (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  speaker_id uuid NOT NULL,
  peer_id uuid NOT NULL,
  -- What the peer holds; null: nothing.
  revision_id uuid,
  -- What it did not bear.
  tried_revision_id uuid,
  since timestamptz(3) NOT NULL DEFAULT now(),
  error text NOT NULL,
  notification jsonb,
  -- It is to be tried again, once it is up and holds what it held before.
  retry boolean NOT NULL,
  PRIMARY KEY (tenant_id, speaker_id, peer_id),
  CONSTRAINT reverted_peer_speaker_id_fkey FOREIGN KEY (tenant_id, speaker_id) REFERENCES speaker (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT reverted_peer_peer_id_fkey FOREIGN KEY (tenant_id, peer_id) REFERENCES peer (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT reverted_peer_revision_id_fkey FOREIGN KEY (tenant_id, revision_id) REFERENCES revision (tenant_id, id),
  CONSTRAINT reverted_peer_tried_revision_id_fkey FOREIGN KEY (tenant_id, tried_revision_id) REFERENCES revision (tenant_id, id)
    ON DELETE SET NULL (tried_revision_id)
);
CREATE INDEX reverted_peer_peer ON reverted_peer (tenant_id, peer_id);
CREATE INDEX reverted_peer_revision ON reverted_peer (tenant_id, revision_id);
CREATE INDEX reverted_peer_tried_revision ON reverted_peer (tenant_id, tried_revision_id);

ALTER TABLE reverted_peer ENABLE ROW LEVEL SECURITY;
ALTER TABLE reverted_peer FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON reverted_peer TO prefixcast_tenant
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
  WITH CHECK (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
CREATE POLICY every_tenant ON reverted_peer TO prefixcast_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON reverted_peer TO prefixcast_system, prefixcast_tenant;

CREATE OR REPLACE FUNCTION write_apply_event() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM write_event(NEW.tenant_id, 'apply', jsonb_build_object(
    'id', NEW.id, 'job_id', NEW.job_id, 'speaker_id', NEW.speaker_id, 'revision_id', NEW.revision_id, 'state', NEW.state,
    'wave', NEW.wave, 'announced', NEW.announced, 'withdrawn', NEW.withdrawn, 'changed', NEW.changed,
    'code', NEW.code, 'error', NEW.error, 'partial', NEW.partial));
  RETURN NULL;
END
$$;
