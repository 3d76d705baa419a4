-- Everything the foundation stores. tenant_id comes first in every key, so that the data can be sharded by tenant.
-- Constraints are named <table>_<field>_key and <table>_<field>_fkey: constraint-problems.ts makes field faults of the names.
-- Times keep milliseconds, which is what the API shows.

CREATE TABLE tenant (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  slug text NOT NULL CONSTRAINT tenant_slug_key UNIQUE,
  status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended')),
  -- Numbers of revisions have no gaps, so a sequence will not do.
  last_revision_number integer NOT NULL DEFAULT 0,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE TABLE api_key (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  name text NOT NULL,
  role text NOT NULL CHECK (role IN ('viewer', 'operator', 'node', 'firewall', 'super_viewer', 'super_admin')),
  prefix text NOT NULL,
  -- SHA-256 of the secret. The one before stays good until a moment named at rotation.
  secret_hash bytea NOT NULL CHECK (length(secret_hash) = 32),
  previous_secret_hash bytea CHECK (length(previous_secret_hash) = 32),
  previous_valid_until timestamptz(3),
  last_used_at timestamptz(3),
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  created_by text,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id)
);
-- Whose key it is, is what these two are asked, so they cannot begin with the tenant.
CREATE UNIQUE INDEX api_key_secret_hash_key ON api_key (secret_hash);
CREATE UNIQUE INDEX api_key_previous_secret_hash_key ON api_key (previous_secret_hash);

CREATE TABLE setting (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  key text NOT NULL,
  value jsonb NOT NULL,
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, key)
);

CREATE TABLE community (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  community text NOT NULL,
  title text NOT NULL,
  description text,
  color text,
  next_hop_ipv4 text,
  next_hop_ipv6 text,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id),
  CONSTRAINT community_community_key UNIQUE (tenant_id, community)
);

CREATE TABLE module (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  name text NOT NULL,
  description text,
  type text NOT NULL CHECK (type IN ('CDN_SOURCES', 'AS_PREFIXES', 'DOMAINS', 'IP_RANGES')),
  purpose text NOT NULL DEFAULT 'announce' CHECK (purpose IN ('announce', 'exclude')),
  enabled boolean NOT NULL DEFAULT true,
  community_id uuid,
  refresh_interval_seconds integer,
  families text[] NOT NULL DEFAULT '{ipv4,ipv6}',
  doh_profile_ids uuid[] NOT NULL DEFAULT '{}',
  doh_profile_id uuid,
  doh_resolver_policy jsonb,
  last_refreshed_at timestamptz(3),
  last_refresh jsonb,
  next_refresh_at timestamptz(3),
  prefix_count_ipv4 integer NOT NULL DEFAULT 0,
  prefix_count_ipv6 integer NOT NULL DEFAULT 0,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id),
  CONSTRAINT module_name_key UNIQUE (tenant_id, name),
  CONSTRAINT module_community_id_fkey FOREIGN KEY (tenant_id, community_id) REFERENCES community (tenant_id, id)
);
CREATE INDEX module_community ON module (tenant_id, community_id);
CREATE INDEX module_due ON module (tenant_id, next_refresh_at) WHERE enabled AND next_refresh_at IS NOT NULL;

CREATE TABLE cdn_source (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  module_id uuid NOT NULL,
  name text NOT NULL,
  url text NOT NULL,
  format text NOT NULL DEFAULT 'auto' CHECK (format IN ('auto', 'text', 'json', 'csv')),
  json_path text,
  csv_column text,
  -- Names in clear, so that they can be shown; values in one encrypted JSON object.
  header_names text[] NOT NULL DEFAULT '{}',
  headers_sealed bytea,
  enabled boolean NOT NULL DEFAULT true,
  community_id uuid,
  last_refreshed_at timestamptz(3),
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'ok', 'stale', 'failed')),
  last_error text,
  prefix_count_ipv4 integer NOT NULL DEFAULT 0,
  prefix_count_ipv6 integer NOT NULL DEFAULT 0,
  etag text,
  last_modified text,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id),
  CONSTRAINT cdn_source_name_key UNIQUE (tenant_id, module_id, name),
  CONSTRAINT cdn_source_module_id_fkey FOREIGN KEY (tenant_id, module_id) REFERENCES module (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT cdn_source_community_id_fkey FOREIGN KEY (tenant_id, community_id) REFERENCES community (tenant_id, id)
);
CREATE INDEX cdn_source_module ON cdn_source (tenant_id, module_id, id);
CREATE INDEX cdn_source_community ON cdn_source (tenant_id, community_id);

CREATE TABLE ip_range_entry (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  module_id uuid NOT NULL,
  cidr cidr NOT NULL,
  note text,
  enabled boolean NOT NULL DEFAULT true,
  community_id uuid,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id),
  CONSTRAINT ip_range_entry_cidr_key UNIQUE (tenant_id, module_id, cidr),
  CONSTRAINT ip_range_entry_module_id_fkey FOREIGN KEY (tenant_id, module_id) REFERENCES module (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT ip_range_entry_community_id_fkey FOREIGN KEY (tenant_id, community_id) REFERENCES community (tenant_id, id)
);
CREATE INDEX ip_range_entry_module ON ip_range_entry (tenant_id, module_id, id);
CREATE INDEX ip_range_entry_community ON ip_range_entry (tenant_id, community_id);

-- Tables of prefixes, cut into blocks. A block that several tables hold is stored once.
CREATE TABLE content_block (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  hash bytea NOT NULL CHECK (length(hash) = 32),
  bytes bytea NOT NULL,
  PRIMARY KEY (tenant_id, hash)
);
-- Blocks come compressed already.
ALTER TABLE content_block ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE content (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  content_hash bytea NOT NULL CHECK (length(content_hash) = 32),
  manifest bytea NOT NULL,
  block_hashes bytea[] NOT NULL,
  prefix_count_ipv4 integer NOT NULL,
  prefix_count_ipv6 integer NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, content_hash)
);

CREATE TABLE snapshot (
  tenant_id uuid NOT NULL,
  module_id uuid NOT NULL,
  content_hash bytea NOT NULL,
  collected_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, module_id),
  CONSTRAINT snapshot_module_id_fkey FOREIGN KEY (tenant_id, module_id) REFERENCES module (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT snapshot_content_hash_fkey FOREIGN KEY (tenant_id, content_hash) REFERENCES content (tenant_id, content_hash)
);
CREATE INDEX snapshot_content ON snapshot (tenant_id, content_hash);

CREATE TABLE revision (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  number integer NOT NULL CHECK (number > 0),
  state text NOT NULL CHECK (state IN ('building', 'ready', 'held', 'failed')),
  findings jsonb NOT NULL DEFAULT '[]',
  content_hash bytea,
  parent_id uuid,
  rollback_of uuid,
  trigger jsonb NOT NULL,
  prefix_count_ipv4 integer NOT NULL DEFAULT 0,
  prefix_count_ipv6 integer NOT NULL DEFAULT 0,
  communities jsonb NOT NULL DEFAULT '[]',
  warnings jsonb NOT NULL DEFAULT '[]',
  pinned boolean NOT NULL DEFAULT false,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id),
  CONSTRAINT revision_number_key UNIQUE (tenant_id, number),
  CONSTRAINT revision_content_hash_fkey FOREIGN KEY (tenant_id, content_hash) REFERENCES content (tenant_id, content_hash),
  CONSTRAINT revision_parent_id_fkey FOREIGN KEY (tenant_id, parent_id) REFERENCES revision (tenant_id, id)
    ON DELETE SET NULL (parent_id),
  CONSTRAINT revision_rollback_of_fkey FOREIGN KEY (tenant_id, rollback_of) REFERENCES revision (tenant_id, id)
    ON DELETE SET NULL (rollback_of),
  CHECK (state <> 'ready' OR content_hash IS NOT NULL)
);
CREATE INDEX revision_content ON revision (tenant_id, content_hash);
CREATE INDEX revision_parent ON revision (tenant_id, parent_id);
CREATE INDEX revision_rollback ON revision (tenant_id, rollback_of);

CREATE TABLE job (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  type text NOT NULL,
  state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
  input jsonb NOT NULL,
  progress jsonb,
  attempt integer NOT NULL DEFAULT 0,
  queued_at timestamptz(3) NOT NULL DEFAULT now(),
  started_at timestamptz(3),
  finished_at timestamptz(3),
  error jsonb,
  result jsonb,
  resource_type text,
  resource_id uuid,
  requested_by text,
  parent_id uuid,
  cancel_requested_at timestamptz(3),
  -- The run that may change this row: a new one for every attempt.
  holder uuid,
  -- The order in which jobs were asked for, which the clocks of several processes do not tell.
  sequence bigint GENERATED ALWAYS AS IDENTITY,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id),
  CONSTRAINT job_parent_id_fkey FOREIGN KEY (tenant_id, parent_id) REFERENCES job (tenant_id, id) ON DELETE SET NULL (parent_id),
  CHECK ((resource_type IS NULL) = (resource_id IS NULL))
);
CREATE INDEX job_state ON job (tenant_id, state, id);
CREATE INDEX job_resource ON job (tenant_id, resource_id, id);
CREATE INDEX job_parent ON job (tenant_id, parent_id);

CREATE TABLE speaker (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  name text NOT NULL,
  label text,
  daemon text NOT NULL DEFAULT 'builtin' CHECK (daemon IN ('builtin', 'bird', 'frr', 'gobgp', 'openbgpd')),
  mode text NOT NULL DEFAULT 'local' CHECK (mode IN ('local', 'agent')),
  router_id text,
  local_asn bigint NOT NULL CHECK (local_asn BETWEEN 1 AND 4294967294),
  local_ipv4 text,
  local_ipv6 text,
  policies_json jsonb NOT NULL DEFAULT '{}',
  enabled boolean NOT NULL DEFAULT true,
  -- No ON DELETE: what a speaker runs can never be pruned.
  applied_revision_id uuid,
  applied_at timestamptz(3),
  agent_version text,
  agent_last_seen_at timestamptz(3),
  agent_hostname text,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id),
  CONSTRAINT speaker_name_key UNIQUE (tenant_id, name),
  CONSTRAINT speaker_applied_revision_id_fkey FOREIGN KEY (tenant_id, applied_revision_id) REFERENCES revision (tenant_id, id)
);
CREATE INDEX speaker_applied_revision ON speaker (tenant_id, applied_revision_id);

CREATE TABLE speaker_lease (
  tenant_id uuid NOT NULL,
  speaker_id uuid NOT NULL,
  holder uuid NOT NULL,
  expires_at timestamptz NOT NULL,
  -- What the holder last told of the daemon.
  reachable boolean NOT NULL DEFAULT true,
  version text,
  router_id text,
  up_since timestamptz(3),
  reconfigured_at timestamptz(3),
  error text,
  PRIMARY KEY (tenant_id, speaker_id),
  CONSTRAINT speaker_lease_speaker_id_fkey FOREIGN KEY (tenant_id, speaker_id) REFERENCES speaker (tenant_id, id) ON DELETE CASCADE
);

CREATE TABLE speaker_apply (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  speaker_id uuid NOT NULL,
  -- Null: whatever the speaker runs when its turn comes.
  revision_id uuid,
  job_id uuid,
  -- That of the job, which may be gone.
  sequence bigint NOT NULL DEFAULT 0,
  state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'succeeded', 'failed', 'superseded')),
  announced integer,
  withdrawn integer,
  changed integer,
  error text,
  queued_at timestamptz(3) NOT NULL DEFAULT now(),
  started_at timestamptz(3),
  finished_at timestamptz(3),
  PRIMARY KEY (tenant_id, id),
  CONSTRAINT speaker_apply_speaker_id_fkey FOREIGN KEY (tenant_id, speaker_id) REFERENCES speaker (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT speaker_apply_revision_id_fkey FOREIGN KEY (tenant_id, revision_id) REFERENCES revision (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT speaker_apply_job_id_fkey FOREIGN KEY (tenant_id, job_id) REFERENCES job (tenant_id, id) ON DELETE SET NULL (job_id),
  -- A job that is taken up again finds the applies of its first attempt.
  CONSTRAINT speaker_apply_job_speaker_key UNIQUE (tenant_id, job_id, speaker_id)
);
CREATE INDEX speaker_apply_latest ON speaker_apply (tenant_id, speaker_id, sequence);
CREATE INDEX speaker_apply_revision ON speaker_apply (tenant_id, revision_id);

CREATE TABLE peer (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  name text NOT NULL,
  description text,
  address text NOT NULL,
  remote_asn bigint NOT NULL CHECK (remote_asn BETWEEN 1 AND 4294967294),
  families text[] NOT NULL DEFAULT '{ipv4,ipv6}',
  passive boolean NOT NULL DEFAULT false,
  port integer NOT NULL DEFAULT 179,
  multihop integer,
  password_sealed bytea,
  hold_time integer NOT NULL DEFAULT 90,
  next_hop_ipv4 text,
  next_hop_ipv6 text,
  max_prefixes_out integer,
  graceful_restart boolean NOT NULL DEFAULT true,
  bfd boolean NOT NULL DEFAULT false,
  enabled boolean NOT NULL DEFAULT true,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id),
  CONSTRAINT peer_name_key UNIQUE (tenant_id, name)
);

CREATE TABLE peer_speaker (
  tenant_id uuid NOT NULL,
  peer_id uuid NOT NULL,
  speaker_id uuid NOT NULL,
  PRIMARY KEY (tenant_id, peer_id, speaker_id),
  CONSTRAINT peer_speaker_peer_id_fkey FOREIGN KEY (tenant_id, peer_id) REFERENCES peer (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT peer_speaker_speaker_id_fkey FOREIGN KEY (tenant_id, speaker_id) REFERENCES speaker (tenant_id, id)
);
CREATE INDEX peer_speaker_speaker ON peer_speaker (tenant_id, speaker_id);

CREATE TABLE peer_community (
  tenant_id uuid NOT NULL,
  peer_id uuid NOT NULL,
  community_id uuid NOT NULL,
  PRIMARY KEY (tenant_id, peer_id, community_id),
  CONSTRAINT peer_community_peer_id_fkey FOREIGN KEY (tenant_id, peer_id) REFERENCES peer (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT peer_community_community_id_fkey FOREIGN KEY (tenant_id, community_id) REFERENCES community (tenant_id, id)
);
CREATE INDEX peer_community_community ON peer_community (tenant_id, community_id);

-- What the holder of a speaker last told of its sessions.
CREATE TABLE speaker_session (
  tenant_id uuid NOT NULL,
  speaker_id uuid NOT NULL,
  peer_id uuid NOT NULL,
  state text NOT NULL CHECK (state IN ('idle', 'connect', 'active', 'open_sent', 'open_confirm', 'established')),
  since timestamptz(3) NOT NULL,
  routes_exported integer NOT NULL,
  routes_received integer NOT NULL,
  updates_sent bigint NOT NULL,
  last_error text,
  reported_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, speaker_id, peer_id),
  CONSTRAINT speaker_session_speaker_id_fkey FOREIGN KEY (tenant_id, speaker_id) REFERENCES speaker (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT speaker_session_peer_id_fkey FOREIGN KEY (tenant_id, peer_id) REFERENCES peer (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX speaker_session_peer ON speaker_session (tenant_id, peer_id);

CREATE TABLE idempotency_key (
  tenant_id uuid NOT NULL,
  api_key_id uuid NOT NULL,
  key text NOT NULL,
  request_hash bytea NOT NULL CHECK (length(request_hash) = 32),
  -- Who claimed it: a claim that was taken over cannot be answered by the first any more.
  claim uuid NOT NULL,
  claimed_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Encrypted; null while the request runs.
  answer bytea,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, api_key_id, key),
  CONSTRAINT idempotency_key_api_key_id_fkey FOREIGN KEY (tenant_id, api_key_id) REFERENCES api_key (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX idempotency_key_age ON idempotency_key (tenant_id, created_at);

-- One rule for every table: the tenant role sees and writes the rows of the tenant that the transaction names, the system role
-- all of them, and nobody else any, the owner included.
DO $$
DECLARE
  item record;
BEGIN
  FOR item IN
    SELECT c.relname AS name,
           CASE c.relname WHEN 'tenant' THEN 'id' ELSE 'tenant_id' END AS tenant_column
      FROM pg_class c
     WHERE c.relnamespace = 'prefixcast'::regnamespace AND c.relkind = 'r' AND c.relname <> 'migration'
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', item.name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', item.name);
    EXECUTE format(
      'CREATE POLICY own_tenant ON %I TO prefixcast_tenant'
      ' USING (%I = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)'
      ' WITH CHECK (%I = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)',
      item.name, item.tenant_column, item.tenant_column);
    EXECUTE format('CREATE POLICY every_tenant ON %I TO prefixcast_system USING (true) WITH CHECK (true)', item.name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO prefixcast_system', item.name);
    IF item.name <> 'tenant' THEN
      EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO prefixcast_tenant', item.name);
    END IF;
  END LOOP;
END
$$;

-- A tenant reads itself; of its own row it changes the counter only.
GRANT SELECT, UPDATE (last_revision_number) ON tenant TO prefixcast_tenant;
