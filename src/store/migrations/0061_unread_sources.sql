-- A page of sources begins with those that have been unread for longest, without a look at each.
--
-- While an index is made, nobody writes entries of its kind; reading goes on. It takes about a second for a million.
CREATE INDEX cdn_source_unread ON cdn_source (tenant_id, coalesce(last_refreshed_at, to_timestamp(0)), id);
CREATE INDEX as_entry_unread ON as_entry (tenant_id, coalesce(last_refreshed_at, to_timestamp(0)), id);
CREATE INDEX domain_entry_unread ON domain_entry (tenant_id, coalesce(last_refreshed_at, to_timestamp(0)), id);
CREATE INDEX geofeed_entry_unread ON geofeed_entry (tenant_id, coalesce(last_refreshed_at, to_timestamp(0)), id);
