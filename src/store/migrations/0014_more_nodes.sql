-- Nodes by the thousand, and nodes that go back to nothing.

-- Null: the bundle withdraws everything, since its speaker ran nothing before the apply that was taken back.
ALTER TABLE speaker_bundle ALTER COLUMN revision_id DROP NOT NULL;

-- Each node is a speaker, has a key, and mostly a router of its own.
CREATE OR REPLACE FUNCTION default_quotas() RETURNS TABLE (resource text, maximum bigint) LANGUAGE sql IMMUTABLE AS $$
  VALUES ('modules', 1000::bigint), ('entries', 2000000), ('communities', 10000), ('speakers', 5000), ('peers', 5000),
         ('api_keys', 5000), ('jobs_queued', 10000)
$$;

-- Also for the tenants that are there, unless somebody gave them another number. Their owner sees no rows.
SET LOCAL ROLE prefixcast_system;
UPDATE tenant_quota SET maximum = 5000 WHERE resource IN ('speakers', 'peers', 'api_keys') AND maximum = 1000;
SET LOCAL ROLE NONE;
