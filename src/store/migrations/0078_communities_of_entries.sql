-- The index of entries by their community has those alone that have one. Most have that of their module, and an import wrote each of them into an index that nobody
-- asks for them: who uses a community is asked by its id.
--
-- While an index is made, nobody writes entries of its kind; reading goes on. It takes less than a second for a million.
DO $$
DECLARE
  kind text;
BEGIN
  FOREACH kind IN ARRAY ARRAY['cdn_source', 'as_entry', 'domain_entry', 'ip_range_entry', 'geofeed_entry']
  LOOP
    EXECUTE format('DROP INDEX %1$s_community', kind);
    EXECUTE format('CREATE INDEX %1$s_community ON %1$s (tenant_id, community_id) WHERE community_id IS NOT NULL', kind);
  END LOOP;
END
$$;
