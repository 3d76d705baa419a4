-- A module that is held stays in revisions with entries that were deleted since, or with all of them when it is deleted itself. These leave
-- at their ends as well, so the end of an entry outlives the entry.

ALTER TABLE past_expiry
  -- It may be gone, so there is no key to it.
  ADD COLUMN module_id uuid,
  -- Until somebody has looked whether a revision has to follow.
  ADD COLUMN is_open boolean NOT NULL DEFAULT false;
ALTER TABLE past_expiry ALTER COLUMN is_open SET DEFAULT true;
CREATE INDEX past_expiry_open ON past_expiry (tenant_id, at) WHERE is_open;

CREATE FUNCTION remember_end() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO past_expiry (tenant_id, entry_id, module_id, at)
  SELECT removed.tenant_id, removed.id, removed.module_id, greatest(removed.expires_at, clock_timestamp())
    FROM removed
    -- Entries go with their tenant.
    JOIN tenant ON tenant.id = removed.tenant_id
   WHERE removed.expires_at IS NOT NULL
      ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;

DO $$
DECLARE
  kind text;
BEGIN
  FOREACH kind IN ARRAY ARRAY['cdn_source', 'as_entry', 'domain_entry', 'ip_range_entry', 'geofeed_entry']
  LOOP
    EXECUTE format('CREATE TRIGGER %1$s_end AFTER DELETE ON %1$s REFERENCING OLD TABLE AS removed
                      FOR EACH STATEMENT EXECUTE FUNCTION remember_end()', kind);
  END LOOP;
END
$$;
