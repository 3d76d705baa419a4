-- Names of a module, the resolvers that are asked for their addresses, and what these said last.

CREATE TABLE doh_profile (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  name text NOT NULL,
  url text NOT NULL,
  method text NOT NULL DEFAULT 'POST' CHECK (method IN ('GET', 'POST')),
  bootstrap_addresses text[] NOT NULL DEFAULT '{}',
  client_subnet text,
  timeout_ms integer NOT NULL DEFAULT 5000,
  -- Names in clear, so that they can be shown; values in one encrypted JSON object.
  header_names text[] NOT NULL DEFAULT '{}',
  headers_sealed bytea,
  enabled boolean NOT NULL DEFAULT true,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id),
  CONSTRAINT doh_profile_name_key UNIQUE (tenant_id, name)
);

CREATE TABLE domain_entry (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  module_id uuid NOT NULL,
  -- Lower-case A-labels without the final dot.
  domain text NOT NULL,
  note text,
  enabled boolean NOT NULL DEFAULT true,
  community_id uuid,
  last_refreshed_at timestamptz(3),
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'ok', 'stale', 'failed')),
  last_error text,
  prefix_count_ipv4 integer NOT NULL DEFAULT 0,
  prefix_count_ipv6 integer NOT NULL DEFAULT 0,
  -- What resolvers answered, and when each address was last among it: an array in the shape of the API.
  addresses jsonb NOT NULL DEFAULT '[]',
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id),
  CONSTRAINT domain_entry_domain_key UNIQUE (tenant_id, module_id, domain),
  CONSTRAINT domain_entry_module_id_fkey FOREIGN KEY (tenant_id, module_id) REFERENCES module (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT domain_entry_community_id_fkey FOREIGN KEY (tenant_id, community_id) REFERENCES community (tenant_id, id)
);
CREATE INDEX domain_entry_module ON domain_entry (tenant_id, module_id, id);
CREATE INDEX domain_entry_community ON domain_entry (tenant_id, community_id);
CREATE INDEX domain_entry_name ON domain_entry (tenant_id, domain);

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['doh_profile', 'domain_entry'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format(
      'CREATE POLICY own_tenant ON %I TO prefixcast_tenant'
      ' USING (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)'
      ' WITH CHECK (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)',
      name);
    EXECUTE format('CREATE POLICY every_tenant ON %I TO prefixcast_system USING (true) WITH CHECK (true)', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO prefixcast_system, prefixcast_tenant', name);
  END LOOP;
END
$$;
