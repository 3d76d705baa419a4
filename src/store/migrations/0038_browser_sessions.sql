-- Sessions of browsers, which are opened with an API key and end with it. The cookie has the secret, the table its hash alone.

CREATE TABLE browser_session (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  api_key_id uuid NOT NULL,
  secret_hash bytea NOT NULL,
  -- Hash of the key's secret that opened it: a session works no longer than that secret does, whatever the key is rotated to.
  key_secret_hash bytea NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  -- To the minute.
  last_used_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id),
  CONSTRAINT browser_session_secret_hash_key UNIQUE (secret_hash),
  CONSTRAINT browser_session_api_key_id_fkey FOREIGN KEY (tenant_id, api_key_id)
    REFERENCES api_key (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX browser_session_api_key ON browser_session (tenant_id, api_key_id, last_used_at);

ALTER TABLE browser_session ENABLE ROW LEVEL SECURITY;
ALTER TABLE browser_session FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON browser_session TO prefixcast_tenant
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
  WITH CHECK (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
CREATE POLICY every_tenant ON browser_session TO prefixcast_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON browser_session TO prefixcast_system, prefixcast_tenant;
