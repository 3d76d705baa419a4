-- Peers that what their speaker runs is too many routes for, where its daemon has one table for all peers: they go on with what they hold of
-- it. Written down for whoever holds the speaker next.
CREATE TABLE limited_peer (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  speaker_id uuid NOT NULL,
  peer_id uuid NOT NULL,
  -- What its speaker ran when it was sent all of it last; null: nothing.
  revision_id uuid,
  -- Which labels of that it was sent; null: all.
  labels jsonb,
  families jsonb NOT NULL,
  PRIMARY KEY (tenant_id, speaker_id, peer_id),
  CONSTRAINT limited_peer_speaker_id_fkey FOREIGN KEY (tenant_id, speaker_id) REFERENCES speaker (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT limited_peer_peer_id_fkey FOREIGN KEY (tenant_id, peer_id) REFERENCES peer (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT limited_peer_revision_id_fkey FOREIGN KEY (tenant_id, revision_id) REFERENCES revision (tenant_id, id)
);
CREATE INDEX limited_peer_peer ON limited_peer (tenant_id, peer_id);
CREATE INDEX limited_peer_revision ON limited_peer (tenant_id, revision_id);

ALTER TABLE limited_peer ENABLE ROW LEVEL SECURITY;
ALTER TABLE limited_peer FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON limited_peer TO prefixcast_tenant
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
  WITH CHECK (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
CREATE POLICY every_tenant ON limited_peer TO prefixcast_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON limited_peer TO prefixcast_system, prefixcast_tenant;
