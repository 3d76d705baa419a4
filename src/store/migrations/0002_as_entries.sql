-- AS numbers of a module, and what the source of prefixes said of each.

CREATE TABLE as_entry (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  module_id uuid NOT NULL,
  asn bigint NOT NULL CHECK (asn BETWEEN 1 AND 4294967294),
  note text,
  enabled boolean NOT NULL DEFAULT true,
  community_id uuid,
  last_refreshed_at timestamptz(3),
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'ok', 'stale', 'failed')),
  last_error text,
  prefix_count_ipv4 integer NOT NULL DEFAULT 0,
  prefix_count_ipv6 integer NOT NULL DEFAULT 0,
  -- The validators are those of an answer to this question; asked otherwise, they mean nothing.
  asked text,
  etag text,
  last_modified text,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id),
  CONSTRAINT as_entry_asn_key UNIQUE (tenant_id, module_id, asn),
  CONSTRAINT as_entry_module_id_fkey FOREIGN KEY (tenant_id, module_id) REFERENCES module (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT as_entry_community_id_fkey FOREIGN KEY (tenant_id, community_id) REFERENCES community (tenant_id, id)
);
CREATE INDEX as_entry_module ON as_entry (tenant_id, module_id, id);
CREATE INDEX as_entry_community ON as_entry (tenant_id, community_id);

ALTER TABLE as_entry ENABLE ROW LEVEL SECURITY;
ALTER TABLE as_entry FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON as_entry TO prefixcast_tenant
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
  WITH CHECK (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
CREATE POLICY every_tenant ON as_entry TO prefixcast_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON as_entry TO prefixcast_system, prefixcast_tenant;
