-- Nodes: agents that pull the routes of a speaker to where its daemon runs.

-- Of keys of the role node: whose node it is. Such a key outlives its speaker, and can do nothing any more.
ALTER TABLE api_key
  ADD COLUMN speaker_id uuid,
  ADD CONSTRAINT api_key_speaker_id_fkey FOREIGN KEY (tenant_id, speaker_id) REFERENCES speaker (tenant_id, id)
    ON DELETE SET NULL (speaker_id);
CREATE INDEX api_key_speaker ON api_key (tenant_id, speaker_id) WHERE speaker_id IS NOT NULL;

-- Each lets one node enroll, once.
CREATE TABLE enrollment_token (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  speaker_id uuid NOT NULL,
  prefix text NOT NULL,
  secret_hash bytea NOT NULL CHECK (length(secret_hash) = 32),
  expires_at timestamptz(3) NOT NULL,
  used_at timestamptz(3),
  created_by text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id),
  CONSTRAINT enrollment_token_speaker_id_fkey FOREIGN KEY (tenant_id, speaker_id) REFERENCES speaker (tenant_id, id)
    ON DELETE CASCADE
);
CREATE INDEX enrollment_token_speaker ON enrollment_token (tenant_id, speaker_id);
-- Whose token it is, is what this one is asked, so it cannot begin with the tenant.
CREATE UNIQUE INDEX enrollment_token_secret_hash_key ON enrollment_token (secret_hash);

ALTER TABLE enrollment_token ENABLE ROW LEVEL SECURITY;
ALTER TABLE enrollment_token FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON enrollment_token TO prefixcast_tenant
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
  WITH CHECK (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
CREATE POLICY every_tenant ON enrollment_token TO prefixcast_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON enrollment_token TO prefixcast_system, prefixcast_tenant;

-- The lease of an agent's speaker is held by the run of the agent that reports. An earlier run of the same identity that still
-- reports is a second agent, and is told here.
ALTER TABLE speaker_lease
  ADD COLUMN rival_hostname text,
  ADD COLUMN rival_seen_at timestamptz(3);
